public import Foundation
public import ImageCore
import ImageDecoding
import ImageProcessing

/// Decodes a source to size, applies the options and encodes the result.
///
/// Synchronous and CPU-bound: call it in the decode lane of a scheduler.
public struct ImageRenderer: Sendable {
    /// Lossy results up to this quality are decoded for speed, because encoding loses far more than that.
    private static let maxQualityForSpeed = 85

    /// Decodes the sources, within `limits.decoding`.
    let decoder: DownsamplingDecoder
    let limits: RenderingLimits
    /// The quality by format, from 1 to 100. 80 for others.
    var standardQuality: [ImageFormat: Int] = [:]
    /// Measures the stages.
    let clock: any Clock<Duration>

    /// Renders a source.
    ///
    /// - Parameters:
    ///   - source: The file.
    ///   - options: What to do.
    ///   - accepted: The formats of the client, if the options have none.
    ///   - isCancelled: Called between rows. Return true to stop.
    public func render(
        _ source: Data, _ options: ProcessingOptions, accepted: AcceptedFormats,
        isCancelled: @Sendable () -> Bool = { false }
    ) throws(RenderingFailure) -> RenderedImage {
        let header = try decoding { () throws(DecodingFailure) in try decoder.header(of: source) }
        let output = output(for: header, options, accepted)
        if options.unprocessedFormats.contains(header.format), header.format == output.format {
            return RenderedImage(data: source, format: header.format, size: header.size, times: StageTimes())
        }
        let frameCount = output.isAnimated ? limits.frameCount(of: header) : 1
        let plan = RenderingPlan(
            header, options,
            limit: .init(
                side: min(limits.resultSide, output.largestSide), area: limits.resultPixels / max(1, frameCount)))
        try check(plan, frameCount: frameCount)
        var job = RenderingJob(
            plan: plan, options: options, output: output, quality: quality(of: output, options), limits: limits,
            watch: Stopwatch(clock))
        let frames = try frames(of: source, header, count: frameCount, &job, isCancelled)
        let data = try job.encode(frames, loopCount: header.loopCount)
        return RenderedImage(
            data: data, format: output.format, size: plan.output,
            leftOutFrames: output.isAnimated ? header.frameCount - frameCount : 0, times: job.times)
    }

    /// Returns the header of a source.
    public func header(of source: Data) throws(RenderingFailure) -> ImageHeader {
        try decoding { () throws(DecodingFailure) in try decoder.header(of: source) }
    }

    /// Returns a small image of a source, for its placeholder.
    public func preview(
        of source: Data, fitting size: PixelSize, isCancelled: @Sendable () -> Bool = { false }
    ) throws(RenderingFailure) -> Bitmap {
        try decoding { () throws(DecodingFailure) in
            try decoder.decode(source, request: DecodingRequest(target: ImageTarget(size)), isCancelled: isCancelled)
                .bitmap
        }
    }

    private func output(
        for header: ImageHeader, _ options: ProcessingOptions, _ accepted: AcceptedFormats
    ) -> OutputFormat {
        let hasAlpha = options.background == nil && (header.hasAlpha || options.addsSpace)
        let format = accepted.format(
            wanted: options.format, for: header, isAnimated: header.frameCount > 1 && limits.frames > 1,
            hasAlpha: hasAlpha)
        return OutputFormats.output(for: format) ?? OutputFormats.standard
    }

    private func quality(of output: OutputFormat, _ options: ProcessingOptions) -> Int {
        if options.quality > 0 { return options.quality }
        return options.formatQuality[output.format] ?? standardQuality[output.format] ?? 80
    }

    private func check(_ plan: RenderingPlan, frameCount: Int) throws(RenderingFailure) {
        let sides = [plan.output, plan.scaled]
        let (area, overflows) = plan.largestArea.multipliedReportingOverflow(by: frameCount)
        guard !overflows, area <= limits.resultPixels,
            plan.output.width <= limits.resultSide, plan.output.height <= limits.resultSide
        else { throw .resultTooLarge(sides.max { $0.area < $1.area } ?? plan.output) }
    }

    private func frames(
        of source: Data, _ header: ImageHeader, count: Int, _ job: inout RenderingJob,
        _ isCancelled: @Sendable () -> Bool
    ) throws(RenderingFailure) -> [AnimationFrame] {
        var target = job.plan.target
        if job.output.isLossy, job.quality <= Self.maxQualityForSpeed { target?.preference = .speed }
        let request = DecodingRequest(target: target, color: job.options.stripsColorProfile ? .sRGB : .automatic)
        let reader = try decoding { () throws(DecodingFailure) in
            try decoder.makeFrameReader(of: source, request: request)
        }
        var frames: [AnimationFrame] = []
        for index in 0..<count {
            let decoded = try decoding { () throws(DecodingFailure) in
                try reader.frame(at: index, isCancelled: isCancelled)
            }
            job.lap(.decode)
            let delay = header.frameDelays.indices.contains(index) ? header.frameDelays[index] : .milliseconds(100)
            frames.append(AnimationFrame(bitmap: try job.process(decoded), delay: delay))
            job.lap(.process)
        }
        return frames
    }

    private func decoding<Value>(
        _ body: () throws(DecodingFailure) -> Value
    ) throws(RenderingFailure) -> Value {
        do throws(DecodingFailure) {
            return try body()
        } catch {
            throw error == .cancelled ? .cancelled : .decoding(error)
        }
    }
}
