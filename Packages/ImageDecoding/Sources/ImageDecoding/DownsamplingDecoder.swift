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
    private let registry: DecoderRegistry
    private let resampler: any RowResampler
    private let colorConverter: (any ColorConverter)?
    private let limits: DecodingLimits

    /// - Parameters:
    ///   - decoders: in the order in which they are asked whether they recognise a file.
    ///   - colorConverter: nil to ignore embedded profiles.
    public init(
        decoders: [any ImageDecoder], resampler: any RowResampler, colorConverter: (any ColorConverter)? = nil,
        limits: DecodingLimits = .default
    ) {
        registry = DecoderRegistry(decoders)
        self.resampler = resampler
        self.colorConverter = colorConverter
        self.limits = limits
    }

    public func header(of data: Data) throws(DecodingFailure) -> ImageHeader { try open(data).header }

    public func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage {
        if isCancelled() { throw .cancelled }
        let image = try open(data)
        let header = image.header
        guard (0..<header.frameCount).contains(request.frame) else {
            throw .noSuchFrame(request.frame, frameCount: header.frameCount)
        }
        let plan = DownsamplingPlan(
            header: header, target: request.target, oversampling: max(1, resampler.oversampling),
            decodableSize: image.decodableSize(covering:))
        try check(plan, heldByCodec: 0)
        let collector = collector(for: plan, header: header)
        let (stage, layout) = try stages(for: plan, header: header, into: collector)
        try check(
            plan, heldByCodec: image.heldBytes(frame: request.frame, size: plan.codecSize, layout: layout))
        try Self.run(isCancelled: isCancelled, into: stage) { sink throws(DecodingFailure) in
            try image.decode(frame: request.frame, size: plan.codecSize, layout: layout, into: sink)
        }
        return DecodedImage(bitmap: try collector.finish(format: header.format), header: header)
    }

    private func open(_ data: Data) throws(DecodingFailure) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        let image = try registry.decoder(for: data).open(data, limits: limits)
        try limits.check(image.header.storedSize)
        try limits.check(.frames, image.header.frameCount)
        return image
    }

    /// The side as well, because a resampler takes memory for each column and row of the output.
    private func check(_ plan: DownsamplingPlan, heldByCodec held: Int) throws(DecodingFailure) {
        try limits.check(.decodedBytes, plan.decodedBytes(heldByCodec: held))
        try limits.check(.side, max(plan.output.width, plan.output.height))
    }

    private func collector(for plan: DownsamplingPlan, header: ImageHeader) -> BitmapCollector {
        var origin = (x: 0, y: 0)
        if case .crop(let x, let y) = plan.step { origin = (x, y) }
        return BitmapCollector(
            storedSize: plan.storedOutput, origin: origin, orientation: header.orientation,
            checksAlpha: header.hasAlpha)
    }

    /// The stages after the codec, and the layout that the first of them takes.
    private func stages(
        for plan: DownsamplingPlan, header: ImageHeader, into collector: BitmapCollector
    ) throws(DecodingFailure) -> (first: any PixelRowSink, layout: PixelLayout) {
        var first: any PixelRowSink = collector
        if case .resample(let region) = plan.step {
            first = try resampler.makeStage(
                source: plan.codecSize, region: region, output: plan.storedOutput, isOpaque: !header.hasAlpha,
                next: collector)
        }
        guard let profile = header.colorProfile, let colorConverter,
            let conversion = colorConverter.makeStage(
                profile: profile, layout: header.nativeLayout, width: plan.codecSize.width, next: first)
        else { return (first, .rgba8) }
        return (conversion, header.nativeLayout)
    }

    /// Calls `decode` with a sink that asks `isCancelled` before each row that it passes on.
    private static func run(
        isCancelled: @Sendable () -> Bool, into stage: any PixelRowSink,
        decode: (any PixelRowSink) throws(DecodingFailure) -> Void
    ) throws(DecodingFailure) {
        let result = withoutActuallyEscaping(isCancelled) { isCancelled in
            let checkpoint = CancellationCheckpoint(isCancelled: isCancelled, next: stage)
            // A codec that keeps its sink must not keep the caller's closure.
            defer { checkpoint.close() }
            return Result { () throws(DecodingFailure) in try decode(checkpoint) }
        }
        try result.get()
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
        if isCancelled?() ?? true { throw .cancelled }
        try next.receive(row)
    }
}
