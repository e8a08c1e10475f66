import ImageCore

/// The parts that are the same for every image that a decoder makes.
struct PipelineParts: Sendable {
    let resampler: any RowResampler
    let colorConverter: (any ColorConverter)?
    let limits: DecodingLimits
    let pool: PixelBufferPool?
}

/// What the rows of one image flow through after the codec: colour conversion, resampling, turning.
struct DecodingPipeline {
    let plan: DownsamplingPlan
    /// The layout in which the codec is to hand over its rows.
    let layout: PixelLayout
    private let header: ImageHeader
    private let first: any PixelRowSink
    private let collector: BitmapCollector
    /// Counts rows in the middle and makes up those that are missing; nil when none may be missing.
    private let filler: RowFiller?

    /// Throws `.limitExceeded` when the result is too large; what the codec holds is not counted yet.
    ///
    /// - Parameter mayEndEarly: true when the codec may hand over fewer rows than the image has.
    init(
        header: ImageHeader, target: ImageTarget?, parts: PipelineParts, mayEndEarly: Bool = false,
        decodableSize: (PixelSize) -> PixelSize
    ) throws(DecodingFailure) {
        let oversampling = target?.preference == .speed ? 1 : max(1, parts.resampler.oversampling)
        plan = DownsamplingPlan(
            header: header, target: target, oversampling: oversampling, decodableSize: decodableSize)
        try Self.check(plan, heldByCodec: 0, limits: parts.limits)
        self.header = header
        let hasAlpha = header.hasAlpha || mayEndEarly
        collector = Self.collector(for: plan, header: header, checksAlpha: hasAlpha, pool: parts.pool)
        var stage: any PixelRowSink = collector
        if case .resample(let region) = plan.step {
            stage = try parts.resampler.makeStage(
                source: plan.codecSize, region: region, output: plan.storedOutput, isOpaque: !hasAlpha,
                next: collector)
        }
        filler = mayEndEarly ? RowFiller(size: plan.codecSize, next: stage) : nil
        (first, layout) = Self.converting(to: filler ?? stage, plan: plan, header: header, parts.colorConverter)
    }

    /// Throws `.limitExceeded` when the result and what the codec holds are too much together.
    func check(heldByCodec held: Int, limits: DecodingLimits) throws(DecodingFailure) {
        try Self.check(plan, heldByCodec: held, limits: limits)
    }

    /// Calls `decode` with a sink that takes the codec's rows and asks `isCancelled` before each of them.
    func run(
        isCancelled: @Sendable () -> Bool, decode: (any PixelRowSink) throws(DecodingFailure) -> Void
    ) throws(DecodingFailure) {
        let result = withoutActuallyEscaping(isCancelled) { isCancelled in
            let checkpoint = CancellationCheckpoint(isCancelled: isCancelled, next: first)
            // A codec that keeps its sink must not keep the caller's closure.
            defer { checkpoint.close() }
            return Result { () throws(DecodingFailure) in try decode(checkpoint) }
        }
        try result.get()
    }

    /// How many rows have come, of a pipeline that may end early.
    var receivedRows: Int { filler?.received ?? 0 }

    /// The image. Rows that are missing are transparent if some may be missing, and an error if not. Call once.
    func finish() throws(DecodingFailure) -> Bitmap {
        try filler?.fill()
        return try collector.finish(format: header.format)
    }

    /// The side as well, because a resampler takes memory for each column and row of the output.
    private static func check(
        _ plan: DownsamplingPlan, heldByCodec held: Int, limits: DecodingLimits
    ) throws(DecodingFailure) {
        try limits.check(.decodedBytes, plan.decodedBytes(heldByCodec: held))
        try limits.check(.side, max(plan.output.width, plan.output.height))
    }

    private static func collector(
        for plan: DownsamplingPlan, header: ImageHeader, checksAlpha: Bool, pool: PixelBufferPool?
    ) -> BitmapCollector {
        var origin = (x: 0, y: 0)
        if case .crop(let x, let y) = plan.step { origin = (x, y) }
        return BitmapCollector(
            storedSize: plan.storedOutput, origin: origin, orientation: header.orientation, checksAlpha: checksAlpha,
            pool: pool)
    }

    /// A stage that converts colours for `next` where there is something to convert, and the layout that it takes.
    private static func converting(
        to next: any PixelRowSink, plan: DownsamplingPlan, header: ImageHeader, _ converter: (any ColorConverter)?
    ) -> (first: any PixelRowSink, layout: PixelLayout) {
        let width = plan.codecSize.width
        if let profile = header.colorProfile,
            let stage = converter?.makeStage(profile: profile, layout: header.nativeLayout, width: width, next: next)
        {
            return (stage, header.nativeLayout)
        }
        if header.colorProfile == nil, let calibration = header.colorCalibration,
            let stage = converter?.makeStage(calibration: calibration, width: width, next: next)
        {
            return (stage, .rgba8)
        }
        return (next, .rgba8)
    }
}

/// Lets rows pass until their receiver is cancelled.
private final class CancellationCheckpoint: PixelRowSink {
    private var isCancelled: (() -> Bool)?
    private let next: any PixelRowSink

    init(isCancelled: @escaping () -> Bool, next: any PixelRowSink) {
        self.isCancelled = isCancelled
        self.next = next
    }

    func close() { isCancelled = nil }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        try checkCancellation()
        try next.receive(row)
    }

    func takeImage(_ pixels: [UInt8]) throws(DecodingFailure) -> Bool {
        try checkCancellation()
        return try next.takeImage(pixels)
    }

    func checkCancellation() throws(DecodingFailure) {
        if isCancelled?() ?? true { throw .cancelled }
    }
}

/// Makes up the rows that a codec could not tell: transparent ones.
private final class RowFiller: PixelRowSink {
    private let size: PixelSize
    private let next: any PixelRowSink
    private(set) var received = 0

    init(size: PixelSize, next: any PixelRowSink) {
        self.size = size
        self.next = next
    }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        received += 1
        try next.receive(row)
    }

    func fill() throws(DecodingFailure) {
        let row = [UInt8](repeating: 0, count: size.width * 4)
        while received < size.height { try receive(row.span) }
    }
}
