import ImageCore
import ImageProcessing

/// The parts of the pipeline that are the same for all images of a decoder.
struct PipelineConfiguration: Sendable {
    let colorConverter: (any ColorConverter)?
    let limits: DecodingLimits
    let pool: PixelBufferPool?
}

/// The stages that process the rows of one image after the codec: color conversion, resampling, rotation.
struct DecodingPipeline {
    let plan: DownsamplingPlan
    /// The layout of the rows that the codec must deliver.
    let layout: PixelLayout
    private let colorSpace: ColorSpace
    private let header: ImageHeader
    private let first: any PixelRowSink
    private let collector: BitmapCollector
    /// Counts the rows before the resampler and adds missing ones. Nil if no row may be missing.
    private let filler: RowFiller?

    /// Throws `.limitExceeded` if the result is too large, and `.unsupported` for HDR without a converter. The memory
    /// of the codec is not included; see `check`.
    ///
    /// - Parameters:
    ///   - mayEndEarly: Whether the codec may deliver fewer rows than the image has.
    ///   - decodesParts: Whether the codec can decode a part of the image.
    ///   - convertedSpace: The color space of the rows, if the codec converts colors.
    init(
        header: ImageHeader, request: DecodingRequest, configuration: PipelineConfiguration, mayEndEarly: Bool = false,
        decodesParts: Bool = false, convertedSpace: ColorSpace?, decodableSize: (PixelSize) -> PixelSize
    ) throws(ImageDecodingError) {
        plan = DownsamplingPlan(
            header: header, target: request.target, decodesParts: decodesParts, decodableSize: decodableSize)
        try Self.check(plan, heldByCodec: 0, limits: configuration.limits)
        self.header = header
        let hasAlpha = header.hasAlpha || mayEndEarly
        collector = Self.collector(for: plan, header: header, checksAlpha: hasAlpha, pool: configuration.pool)
        var stage: any PixelRowSink = collector
        if case .resample(let region) = plan.step {
            stage = LanczosStage(
                input: plan.rows, region: region, output: plan.storedOutput, isOpaque: !hasAlpha,
                isLinear: request.target?.usesLinearLight == true, next: collector)
        }
        filler = mayEndEarly ? RowFiller(size: plan.rows, next: stage) : nil
        let source = try Self.source(
            of: header, for: request.color, convertedSpace, configuration.colorConverter)
        colorSpace = source.space
        let converted = configuration.colorConverter?.makeStage(
            from: source.color, layout: source.layout, to: source.space, width: plan.rows.width,
            next: filler ?? stage)
        first = converted ?? filler ?? stage
        layout = converted == nil ? .rgba8 : source.layout
    }

    /// Throws `.limitExceeded` if the result and the memory of the codec exceed the limit together.
    func check(heldByCodec held: Int, limits: DecodingLimits) throws(ImageDecodingError) {
        try Self.check(plan, heldByCodec: held, limits: limits)
    }

    /// Calls `decode` with a sink for the rows of the codec. The sink calls `isCancelled` before each row and at each
    /// check.
    func run(
        isCancelled: @Sendable () -> Bool, decode: (any PixelRowSink) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) {
        let result = withoutActuallyEscaping(isCancelled) { isCancelled in
            let checkpoint = CancellationCheckpoint(isCancelled: isCancelled, next: first)
            // The closure must not outlive the call, even if the codec retains the sink.
            defer { checkpoint.close() }
            return Result { () throws(ImageDecodingError) in try decode(checkpoint) }
        }
        try result.get()
    }

    /// The number of rows so far. Only for a pipeline that may end early.
    var receivedRows: Int { filler?.received ?? 0 }

    /// Returns the image. Missing rows become transparent if the pipeline may end early; otherwise throws. Call it
    /// once.
    func finish() throws(ImageDecodingError) -> Bitmap {
        try filler?.fill()
        return try collector.finish(format: header.format, colorSpace: colorSpace)
    }

    /// The sides are checked too, because the resampler allocates memory for each column and row of the output.
    private static func check(
        _ plan: DownsamplingPlan, heldByCodec held: Int, limits: DecodingLimits
    ) throws(ImageDecodingError) {
        try limits.check(.decodedBytes, plan.decodedBytes(heldByCodec: held))
        try limits.check(.side, max(plan.output.width, plan.output.height))
    }

    private static func collector(
        for plan: DownsamplingPlan, header: ImageHeader, checksAlpha: Bool, pool: PixelBufferPool?
    ) -> BitmapCollector {
        var offset = (x: 0, y: 0)
        if case .crop(let x, let y) = plan.step { offset = (x, y) }
        return BitmapCollector(
            storedSize: plan.storedOutput, offset: offset, orientation: header.orientation, checksAlpha: checksAlpha,
            pool: pool)
    }

    /// Returns the color and layout of the rows of the codec, and the color space of the result. A color that can't be
    /// applied counts as sRGB.
    private static func source(
        of header: ImageHeader, for output: OutputColor, _ convertedSpace: ColorSpace?,
        _ converter: (any ColorConverter)?
    ) throws(ImageDecodingError) -> (color: SourceColor, layout: PixelLayout, space: ColorSpace) {
        if let space = convertedSpace {
            return (SourceColor(primaries: space.primaries, transfer: space.transfer), .rgba8, space)
        }
        guard let converter else {
            if header.color.isHDR { throw .unsupported(header.format, "HDR needs a ColorConverter") }
            return (.sRGB, .rgba8, .sRGB)
        }
        if output == .sRGB { return (header.color, header.nativeLayout, .sRGB) }
        let gamut = converter.gamut(of: header.color, layout: header.nativeLayout)
        let space = if case .space(let space) = output { space } else { gamut ?? .sRGB }
        return gamut == nil ? (.sRGB, .rgba8, space) : (header.color, header.nativeLayout, space)
    }
}

/// Forwards rows until decoding is cancelled.
private final class CancellationCheckpoint: PixelRowSink {
    private var isCancelled: (() -> Bool)?
    private let next: any PixelRowSink

    init(isCancelled: @escaping () -> Bool, next: any PixelRowSink) {
        self.isCancelled = isCancelled
        self.next = next
    }

    func close() { isCancelled = nil }

    func receive(_ row: Span<UInt8>) throws(ImageDecodingError) {
        try checkCancellation()
        try next.receive(row)
    }

    func receiveImage(
        byteCount: Int, write: (inout [UInt8]) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) -> Bool {
        try checkCancellation()
        return try next.receiveImage(byteCount: byteCount, write: write)
    }

    func checkCancellation() throws(ImageDecodingError) {
        if isCancelled?() ?? true { throw .cancelled }
    }
}

/// Replaces missing rows at the end of an image with transparent ones.
private final class RowFiller: PixelRowSink {
    private let size: PixelSize
    private let next: any PixelRowSink
    private(set) var received = 0

    init(size: PixelSize, next: any PixelRowSink) {
        self.size = size
        self.next = next
    }

    func receive(_ row: Span<UInt8>) throws(ImageDecodingError) {
        received += 1
        try next.receive(row)
    }

    func fill() throws(ImageDecodingError) {
        let row = [UInt8](repeating: 0, count: size.width * 4)
        while received < size.height { try receive(row.span) }
    }
}
