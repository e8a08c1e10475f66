public import ImageCore

/// Decodes the formats of the decoders that you pass, directly to the target size, row by row.
///
/// The codec scales as far as it can. Its rows are converted to the color space of the request, resampled, and written
/// to the upright image. If the format allows it, only a few rows are in memory in addition to the result.
public struct DownsamplingDecoder: SizedImageDecoder {
    let decoders: [any ImageDecoder]
    let configuration: PipelineConfiguration

    /// The limits of each image.
    public var limits: DecodingLimits { configuration.limits }

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - decoders: The decoders, in the order in which they are tried.
    ///   - colorConverter: Converts colors; nil to treat all as sRGB, and to refuse HDR.
    ///   - limits: The limits of each image.
    ///   - pool: Reuses the memory of images; nil to allocate it for each image.
    public init(
        decoders: [any ImageDecoder], colorConverter: (any ColorConverter)? = nil,
        limits: DecodingLimits = .default, pool: PixelBufferPool? = nil
    ) {
        self.decoders = decoders
        configuration = PipelineConfiguration(colorConverter: colorConverter, limits: limits, pool: pool)
    }

    public func header(of data: Data) throws(ImageDecodingError) -> ImageHeader { try open(data).header }

    /// Returns the smallest color space with all colors of an image, or nil if its color can't be applied.
    ///
    /// - Parameter header: The header of the image.
    public func gamut(of header: ImageHeader) -> ColorSpace? {
        configuration.colorConverter?.gamut(of: header.color, layout: header.nativeLayout)
    }

    /// Returns the thumbnail in the file, which is a complete file itself. See `OpenedImage.embeddedThumbnail` for its
    /// limitations.
    public func embeddedThumbnail(of data: Data) throws(ImageDecodingError) -> Data? {
        try open(data).embeddedThumbnail
    }

    public func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        if isCancelled() { throw .cancelled }
        let opened = try open(data)
        do {
            return try image(of: opened, request: request, isCancelled: isCancelled)
        } catch .truncated where request.acceptsTruncated {
            return try truncatedImage(of: opened, request: request, isCancelled: isCancelled)
        }
    }

    /// Opens a file and checks its header, because a codec might not.
    func open(_ data: Data) throws(ImageDecodingError) -> any OpenedImage {
        try configuration.limits.check(.encodedBytes, data.count)
        let image = try decoders.decoder(for: data).open(data, limits: configuration.limits)
        try configuration.limits.check(image.header.storedSize)
        try configuration.limits.check(.frames, image.header.frameCount)
        return image
    }

    /// Decodes a complete frame.
    func image(
        of image: any OpenedImage, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        let pipeline = try pipeline(for: image, request: request, mayEndEarly: false)
        try run(pipeline, on: image, request: request, isCancelled: isCancelled)
        return DecodedImage(bitmap: try pipeline.finish(), header: image.header)
    }

    /// Decodes the available rows of a truncated file. Throws `.truncated` if there are none.
    private func truncatedImage(
        of image: any OpenedImage, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
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
    ) throws(ImageDecodingError) -> DecodingPipeline {
        let header = image.header
        guard (0..<header.frameCount).contains(request.frame) else {
            throw .noSuchFrame(request.frame, frameCount: header.frameCount)
        }
        return try DecodingPipeline(
            header: header, request: request, configuration: configuration, mayEndEarly: mayEndEarly,
            decodesParts: image is any PartDecodableImage,
            convertedSpace: (image as? any ColorConvertingImage)?.convert(to: request.color),
            decodableSize: { image.decodableSize(covering: $0, preference: request.target?.preference ?? .quality) })
    }

    private func run(
        _ pipeline: DecodingPipeline, on image: any OpenedImage, request: DecodingRequest,
        isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) {
        let (frame, size, layout) = (request.frame, pipeline.plan.codecSize, pipeline.layout)
        try pipeline.check(
            heldByCodec: image.heldByteCount(frame: frame, size: size, layout: layout), limits: configuration.limits)
        try pipeline.run(isCancelled: isCancelled) { sink throws(ImageDecodingError) in
            if let part = pipeline.plan.codecPart, let image = image as? any PartDecodableImage {
                return try image.decode(part: part, layout: layout, into: sink)
            }
            try image.decode(
                frame: frame, size: size, layout: layout, preference: request.target?.preference ?? .quality, into: sink
            )
        }
    }
}

extension [any ImageDecoder] {
    /// Returns the first decoder that recognizes a file by its signature. Throws `.unsupported` with the module that
    /// decodes it, if the format is one of this package, or `.unknownFormat`.
    func decoder(for data: Data) throws(ImageDecodingError) -> any ImageDecoder {
        let prefix = Data(data.prefix(FileSignature.byteCount))
        if let decoder = first(where: { $0.recognizes(prefix) }) { return decoder }
        guard let format = FileSignature.format(of: data), let type = Self.types[format] else {
            throw .unknownFormat
        }
        throw .unsupported(format, "there is no decoder for it; add \(type) to the decoders")
    }

    /// The decoders of this package, for error messages.
    private static var types: [ImageFormat: String] {
        [
            .jpeg: "JPEGDecoder of ImageCodecJPEG", .png: "PNGDecoder of ImageCodecPNG",
            .webP: "WebPDecoder of ImageCodecWebP", .gif: "GIFDecoder of ImageCodecGIF",
            .avif: "AVIFDecoder of ImageCodecAVIF (trait AVIF)", .heic: "HEIFDecoder of ImageCodecHEIF (trait HEIF)",
            .jpegXL: "JXLDecoder of ImageCodecJXL (trait JXL)", .bmp: "BMPDecoder of ImageCodecBMP",
            .ico: "ICODecoder of ImageCodecBMP", .tiff: "TIFFDecoder of ImageCodecTIFF (trait TIFF)",
            .svg: "SVGDecoder of ImageCodecSVG (trait SVG)",
        ]
    }
}

/// Keeps the canvas of the codec, so that each frame is decoded once if you read them in order. Otherwise frames are
/// decoded again from the last independent one.
private final class DownsamplingFrameReader: FrameReader {
    let header: ImageHeader
    private let image: any OpenedImage
    private let decoder: DownsamplingDecoder
    private var request: DecodingRequest

    init(_ data: Data, decoder: DownsamplingDecoder, request: DecodingRequest) throws(ImageDecodingError) {
        image = try decoder.open(data)
        header = image.header
        self.decoder = decoder
        self.request = request
    }

    func frame(at index: Int, isCancelled: @Sendable () -> Bool) throws(ImageDecodingError) -> Bitmap {
        request.frame = index
        return try decoder.image(of: image, request: request, isCancelled: isCancelled).bitmap
    }
}

extension DownsamplingDecoder {
    /// Opens a file to read its frames.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - request: The size and the color space of the frames.
    /// - Throws: An error of the decoder that opens the file.
    public func makeFrameReader(
        of data: Data, request: DecodingRequest = DecodingRequest()
    ) throws(ImageDecodingError) -> any FrameReader {
        try DownsamplingFrameReader(data, decoder: self, request: request)
    }
}

/// Makes previews with the incremental decoder of the codec.
final class DownsamplingSession: DecodingSession {
    private let decoder: DownsamplingDecoder
    private let request: DecodingRequest
    private let throttle: PreviewThrottle
    private var byteCount = 0
    private var stage = Stage.unrecognized(Data())
    private var last: (extent: PreviewExtent, moment: Duration)?

    private enum Stage {
        /// There are too few bytes to detect the format.
        case unrecognized(Data)
        /// The header is not complete.
        case opened(any IncrementalImage)
        /// Previews have `rowCount` rows.
        case started(any IncrementalImage, ImageHeader, rowCount: Int)
        /// There are no more previews: the format has none, or the data is malformed.
        case finished
    }

    init(_ decoder: DownsamplingDecoder, request: DecodingRequest, throttle: PreviewThrottle) {
        self.decoder = decoder
        self.request = request
        self.throttle = throttle
        // A later frame can't be shown before the frames that it is composited on.
        if request.frame != 0 { stage = .finished }
    }

    func append(
        _ bytes: Data, at elapsed: Duration, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage? {
        if isCancelled() { throw .cancelled }
        byteCount += bytes.count
        try decoder.configuration.limits.check(.encodedBytes, byteCount)
        do {
            try advance(with: bytes)
            return try preview(at: elapsed, isCancelled: isCancelled)
        } catch .cancelled {
            throw .cancelled
        } catch {
            // Decoding all bytes throws the error.
            stage = .finished
            return nil
        }
    }

    /// Passes `bytes` to the incremental decoder, or all bytes so far if the format has just been detected.
    private func advance(with bytes: Data) throws(ImageDecodingError) {
        switch stage {
        case .finished: return
        case .unrecognized(let first):
            let data = first + bytes
            guard Self.hasSignature(data) else { return stage = .unrecognized(data) }
            guard let codec = try decoder.decoders.decoder(for: data) as? any IncrementalImageDecoder else {
                return stage = .finished
            }
            let image = codec.makeIncrementalImage(limits: decoder.configuration.limits)
            stage = .opened(image)
            try image.append(data)
            try start(image)
        case .opened(let image):
            try image.append(bytes)
            try start(image)
        case .started(let image, _, _):
            try image.append(bytes)
        }
    }

    /// Whether there are enough bytes to detect the format. Only the brands of HEIF and AVIF can need more than 32.
    private static func hasSignature(_ data: Data) -> Bool {
        let hasBrands = data.dropFirst(4).starts(with: "ftyp".utf8)
        return data.count >= (hasBrands ? FileSignature.byteCount : 32)
    }

    /// Sets the size of the previews as soon as the header is complete.
    private func start(_ image: any IncrementalImage) throws(ImageDecodingError) {
        guard let header = image.header else { return }
        let limits = decoder.configuration.limits
        try limits.check(header.storedSize)
        let pipeline = try makePipeline(for: image, header)
        let (size, layout) = (pipeline.plan.codecSize, pipeline.layout)
        try pipeline.check(heldByCodec: image.heldByteCount(size: size, layout: layout), limits: limits)
        try image.start(size: size, layout: layout)
        stage = .started(image, header, rowCount: size.height)
    }

    private func preview(
        at elapsed: Duration, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage? {
        guard case .started(let image, let header, let rowCount) = stage else { return nil }
        let extent = image.extent
        guard throttle.isDue(extent, of: rowCount, at: elapsed, after: last) else { return nil }
        let pipeline = try makePipeline(for: image, header)
        try pipeline.run(isCancelled: isCancelled) { sink throws(ImageDecodingError) in
            try image.decodePreview(into: sink)
        }
        last = (extent, elapsed)
        return DecodedImage(bitmap: try pipeline.finish(), header: header, completeness: .preview)
    }

    private func makePipeline(
        for image: any IncrementalImage, _ header: ImageHeader
    ) throws(ImageDecodingError) -> DecodingPipeline {
        try DecodingPipeline(
            header: header, request: request, configuration: decoder.configuration, mayEndEarly: true,
            convertedSpace: (image as? any ColorConvertingImage)?.convert(to: request.color),
            decodableSize: image.decodableSize(covering:))
    }
}

extension DownsamplingDecoder {
    public func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> (any DecodingSession)? {
        DownsamplingSession(self, request: request, throttle: throttle)
    }
}
