public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes the formats of the decoders that you pass, directly to the target size, row by row.
///
/// The codec scales as far as it can. Its rows are converted to sRGB, resampled, and written to the upright image. If
/// the format allows it, only a few rows are in memory in addition to the result.
public struct DownsamplingDecoder: SizedImageDecoder {
    let decoders: [any ImageDecoder]
    let configuration: PipelineConfiguration

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - decoders: The decoders, in the order in which they are tried.
    ///   - colorConverter: Converts colors to sRGB; nil to ignore embedded profiles.
    ///   - limits: The limits of each image.
    ///   - pool: Reuses the memory of images; nil to allocate it for each image.
    public init(
        decoders: [any ImageDecoder], colorConverter: (any ColorConverter)? = nil,
        limits: DecodingLimits = .default, pool: PixelBufferPool? = nil
    ) {
        self.decoders = decoders
        configuration = PipelineConfiguration(colorConverter: colorConverter, limits: limits, pool: pool)
    }

    public func header(of data: Data) throws(DecodingFailure) -> ImageHeader { try open(data).header }

    /// Returns the thumbnail in the file, which is a complete file itself. See `OpenedImage.embeddedThumbnail` for its
    /// limitations.
    public func embeddedThumbnail(of data: Data) throws(DecodingFailure) -> Data? { try open(data).embeddedThumbnail }

    public func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage {
        if isCancelled() { throw .cancelled }
        let opened = try open(data)
        do {
            return try image(of: opened, request: request, isCancelled: isCancelled)
        } catch .truncated where request.acceptsTruncated {
            return try truncatedImage(of: opened, request: request, isCancelled: isCancelled)
        }
    }

    /// Opens a file and checks its header, because a codec might not.
    func open(_ data: Data) throws(DecodingFailure) -> any OpenedImage {
        try configuration.limits.check(.encodedBytes, data.count)
        let image = try decoders.decoder(for: data).open(data, limits: configuration.limits)
        try configuration.limits.check(image.header.storedSize)
        try configuration.limits.check(.frames, image.header.frameCount)
        return image
    }

    /// Decodes a complete frame.
    func image(
        of image: any OpenedImage, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage {
        let pipeline = try pipeline(for: image, request: request, mayEndEarly: false)
        try run(pipeline, on: image, request: request, isCancelled: isCancelled)
        return DecodedImage(bitmap: try pipeline.finish(), header: image.header)
    }

    /// Decodes the available rows of a truncated file. Throws `.truncated` if there are none.
    private func truncatedImage(
        of image: any OpenedImage, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage {
        let pipeline = try pipeline(for: image, request: request, mayEndEarly: true)
        do {
            try run(pipeline, on: image, request: request, isCancelled: isCancelled)
        } catch .truncated where pipeline.receivedRows > 0 {
            return DecodedImage(bitmap: try pipeline.finish(), header: image.header, completeness: .truncated)
        }
        return DecodedImage(bitmap: try pipeline.finish(), header: image.header)
    }

    private func pipeline(
        for image: any OpenedImage, request: DecodingRequest, mayEndEarly: Bool
    ) throws(DecodingFailure) -> DecodingPipeline {
        let header = image.header
        guard (0..<header.frameCount).contains(request.frame) else {
            throw .noSuchFrame(request.frame, frameCount: header.frameCount)
        }
        return try DecodingPipeline(
            header: header, target: request.target, configuration: configuration, mayEndEarly: mayEndEarly,
            decodableSize: { image.decodableSize(covering: $0, preference: request.target?.preference ?? .quality) })
    }

    private func run(
        _ pipeline: DecodingPipeline, on image: any OpenedImage, request: DecodingRequest,
        isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) {
        let (frame, size, layout) = (request.frame, pipeline.plan.codecSize, pipeline.layout)
        try pipeline.check(
            heldByCodec: image.heldBytes(frame: frame, size: size, layout: layout), limits: configuration.limits)
        try pipeline.run(isCancelled: isCancelled) { sink throws(DecodingFailure) in
            try image.decode(
                frame: frame, size: size, layout: layout, preference: request.target?.preference ?? .quality, into: sink
            )
        }
    }
}

extension [any ImageDecoder] {
    /// Returns the first decoder that recognizes a file by its signature. File names and MIME types are ignored.
    ///
    /// Throws `.unsupported` with the module that decodes the file, if it is in a format of this package, and
    /// `.unknownFormat` for other files.
    func decoder(for data: Data) throws(DecodingFailure) -> any ImageDecoder {
        let prefix = Data(data.prefix(FileSignature.byteCount))
        if let decoder = first(where: { $0.recognizes(prefix) }) { return decoder }
        guard let format = FileSignature.format(of: prefix), let type = Self.types[format] else {
            throw .unknownFormat
        }
        throw .unsupported(format, "there is no decoder for it; add \(type) to the decoders")
    }

    /// The decoders of this package, for error messages.
    private static var types: [ImageFormat: String] {
        [
            .jpeg: "JPEGDecoder of ImageCodecJPEG", .png: "PNGDecoder of ImageCodecPNG",
            .webp: "WebPDecoder of ImageCodecWebP", .gif: "GIFDecoder of ImageCodecGIF",
            .avif: "AVIFDecoder of ImageCodecAVIF", .heic: "HEIFDecoder of ImageCodecHEIF",
            .jxl: "JXLDecoder of ImageCodecJXL",
        ]
    }
}

/// Decodes the frames of one file, one at a time: composited, upright, in sRGB and at the target size.
///
/// Keeps the canvas of the codec, so that each frame is decoded once if you read them in order. Otherwise frames are
/// decoded again from the last independent one. Does not cache frames. Synchronous and CPU-bound, and not `Sendable`. To
/// play an animation, use `AnimatedImage`.
public final class FrameReader {
    /// The header of the file.
    public let header: ImageHeader
    private let image: any OpenedImage
    private let decoder: DownsamplingDecoder
    private let target: ImageTarget?

    fileprivate init(_ data: Data, decoder: DownsamplingDecoder, target: ImageTarget?) throws(DecodingFailure) {
        image = try decoder.open(data)
        header = image.header
        self.decoder = decoder
        self.target = target
    }

    /// Decodes a frame.
    ///
    /// - Parameters:
    ///   - index: The frame, from 0.
    ///   - isCancelled: Called between rows. Return true to stop decoding.
    /// - Throws: `.noSuchFrame`, `.cancelled`, or an error of the decoder.
    public func frame(at index: Int, isCancelled: @Sendable () -> Bool) throws(DecodingFailure) -> Bitmap {
        if isCancelled() { throw .cancelled }
        let request = DecodingRequest(target: target, frame: index)
        return try decoder.image(of: image, request: request, isCancelled: isCancelled).bitmap
    }
}

extension DownsamplingDecoder {
    /// Opens a file to read its frames.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - target: The target size, or nil for the size of the canvas.
    /// - Throws: An error of the decoder that opens the file.
    public func makeFrameReader(of data: Data, target: ImageTarget? = nil) throws(DecodingFailure) -> FrameReader {
        try FrameReader(data, decoder: self, target: target)
    }
}
