public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes any format whose decoder it was given, straight to the wanted size, row by row.
///
/// The codec scales as far as it can, rows flow through colour conversion and resampling, and the result is turned upright
/// as it is written. Beside the output only a few rows are held, wherever the format allows.
public struct DownsamplingDecoder: SizedImageDecoder {
    let registry: DecoderRegistry
    let parts: PipelineParts

    /// - Parameters:
    ///   - decoders: in the order in which they are asked whether they recognise a file.
    ///   - colorConverter: nil to ignore embedded profiles.
    ///   - pool: where the memory of images comes from and goes back to; nil to leave that to the system.
    public init(
        decoders: [any ImageDecoder], resampler: any RowResampler, colorConverter: (any ColorConverter)? = nil,
        limits: DecodingLimits = .default, pool: PixelBufferPool? = nil
    ) {
        registry = DecoderRegistry(decoders)
        parts = PipelineParts(resampler: resampler, colorConverter: colorConverter, limits: limits, pool: pool)
    }

    public func header(of data: Data) throws(DecodingFailure) -> ImageHeader { try open(data).header }

    /// The small image that a camera put into the file, itself a complete file, or nil. See
    /// `OpenedImage.embeddedThumbnail` for what it is worth.
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

    /// Opens a file and checks its header once more, for codecs that forget to.
    func open(_ data: Data) throws(DecodingFailure) -> any OpenedImage {
        try parts.limits.check(.encodedBytes, data.count)
        let image = try registry.decoder(for: data).open(data, limits: parts.limits)
        try parts.limits.check(image.header.storedSize)
        try parts.limits.check(.frames, image.header.frameCount)
        return image
    }

    /// The whole of one frame.
    func image(
        of image: any OpenedImage, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage {
        let pipeline = try pipeline(for: image, request: request, mayEndEarly: false)
        try run(pipeline, on: image, request: request, isCancelled: isCancelled)
        return DecodedImage(bitmap: try pipeline.finish(), header: image.header)
    }

    /// What can be told of a frame whose file ends too early. Throws `.truncated` when that is nothing.
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
            header: header, target: request.target, parts: parts, mayEndEarly: mayEndEarly,
            decodableSize: { image.decodableSize(covering: $0, preference: request.preference) })
    }

    private func run(
        _ pipeline: DecodingPipeline, on image: any OpenedImage, request: DecodingRequest,
        isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) {
        let (frame, size, layout) = (request.frame, pipeline.plan.codecSize, pipeline.layout)
        try pipeline.check(
            heldByCodec: image.heldBytes(frame: frame, size: size, layout: layout), limits: parts.limits)
        try pipeline.run(isCancelled: isCancelled) { sink throws(DecodingFailure) in
            try image.decode(frame: frame, size: size, layout: layout, preference: request.preference, into: sink)
        }
    }
}
