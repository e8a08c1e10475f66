import Foundation
import ImageCore
import ImageDecodingIsolation
import ImageMetadata
import ImageProcessing
import ImageThumbHash

/// Decodes a source to size, applies the options and encodes the result.
///
/// Synchronous and CPU-bound: call it in the decode lane of a scheduler.
struct ImageRenderer: Sendable {
    /// Lossy results up to this quality are decoded for speed, because encoding loses far more than that.
    private static let maxQualityForSpeed = 85

    /// Decodes the sources, within `limits.decoding`: in workers, or in this process.
    var decoder: any SizedImageDecoder
    var limits: RenderingLimits
    /// The formats of sources that are not decoded.
    var refusedSources: Set<ImageFormat> = []
    /// The quality by format, from 1 to 100. 80 for others.
    var standardQuality: [ImageFormat: Int] = [:]
    /// The quality for clients that want to load less data, if it is lower.
    var saveDataQuality = 50
    /// How results are encoded.
    var encoders = EncoderSettings()
    /// Measures the stages.
    let clock: any Clock<Duration>

    /// Renders a source.
    ///
    /// - Parameters:
    ///   - accepted: The formats of the client, if the options have none.
    ///   - watermark: The image of the option `watermark`.
    ///   - isCancelled: Called between rows. Return true to stop.
    func render(
        _ source: Data, _ options: ProcessingOptions, accepted: AcceptedFormats, watermark: Watermark? = nil,
        isCancelled: @Sendable () -> Bool = { false }
    ) throws(RenderingFailure) -> RenderedImage {
        if options.isRaw { return raw(source) }
        if let limits = options.limits, limits != ProcessingOptions.Limits() {
            var options = options
            options.limits = nil
            return try limited(by: limits)
                .render(source, options, accepted: accepted, watermark: watermark, isCancelled: isCancelled)
        }
        if options.watermark.opacity > 0, watermark == nil { throw .noWatermark }
        let header = try decoding { () throws(ImageDecodingError) in try decoder.header(of: source) }
        try decoding { () throws(ImageDecodingError) in try limits.checkFrames(of: header) }
        var options = options
        // A drawing has no size in which it is best.
        if header.format == .svg { options.enlarges = true }
        var (output, alternative) = outputs(for: header, options, accepted)
        if isUnprocessed(header.format, output, options) {
            return RenderedImage(
                data: source, format: header.format, size: header.size, sourceSize: header.size)
        }
        let frameCount = output.isAnimated ? limits.frameCount(of: header) : 1
        let trimmed = try frameCount == 1 ? trimmed(source, options, isCancelled) : nil
        let plan = RenderingPlan(
            header.with(trimmed?.size), options,
            limit: .init(
                side: min(limits.resultSide, (alternative ?? output).largestSide),
                area: limits.resultPixels / max(1, frameCount),
                uncroppedSide: limits.resizing.maxSide),
            drawing: .init(side: limits.decoding.maxSide, area: limits.sourcePixels))
        try check(plan, frameCount: frameCount)
        if let fast = alternative, plan.output.area * frameCount > limits.comparedPixels {
            output = fast
            alternative = nil
        }
        var job = RenderingJob(
            plan: plan, options: options, output: output, quality: quality(of: output, options), limits: limits,
            watch: Stopwatch(clock))
        job.alternative = alternative.map { ($0, quality(of: $0, options)) }
        if let watermark { job.watermark = try processor(of: watermark, plan, options.watermark, isCancelled) }
        let frames = try frames(of: source, trimmed, header, count: frameCount, &job, isCancelled)
        var data = try job.encode(frames, loopCount: header.loopCount)
        let metadata = EmbeddedMetadata(of: source)
        data = try adding(metadata, to: data, job)
        let contents = ConversionLoss.possible(in: source, header: header, metadata: metadata)
        if trimmed == nil {
            let keepsPrimaries = contents.contains(.gamut) == (frames[0].bitmap.colorSpace == .displayP3)
            data = try withGainMap(of: source, header, data, job, keepsPrimaries: keepsPrimaries)
        }
        return RenderedImage(
            data: data, format: job.output.format, size: plan.output,
            leftOutFrames: output.isAnimated ? header.frameCount - frameCount : 0,
            thumbHash: frames.first.map { ThumbHash(bitmap: $0.bitmap).base64 }, sourceSize: header.size,
            losses: losses(of: contents, in: data, frames, job), times: job.times)
    }

    /// The workers that decode; nil if this process does.
    private var workers: IsolatedDecoders? { decoder as? IsolatedDecoders }

    /// Returns a renderer whose workers have seen no image of another origin.
    func scoped(to origin: String) -> ImageRenderer {
        var renderer = self
        if let workers { renderer.decoder = workers.scoped(to: origin) }
        return renderer
    }

    /// Returns a renderer with the limits of a URL.
    private func limited(by limits: ProcessingOptions.Limits) -> ImageRenderer {
        var renderer = self
        let limits = self.limits.replaced(by: limits)
        renderer.limits = limits
        renderer.decoder =
            workers?.limited(to: limits.worker, memoryByteLimit: limits.workerBytes)
            ?? limits.makeDecoder(refusing: refusedSources)
        return renderer
    }

    /// Whether a source is delivered as it is. One whose format no result has is so unless the URL has a format.
    private func isUnprocessed(_ format: ImageFormat, _ output: OutputFormat, _ options: ProcessingOptions) -> Bool {
        guard options.unprocessedFormats.contains(format) else { return false }
        return format == output.format || (options.format == nil && OutputFormats.output(for: format) == nil)
    }

    /// Returns a result with those of a source's metadata that the options keep, unless it becomes too large with it.
    private func adding(
        _ metadata: EmbeddedMetadata, to result: Data, _ job: RenderingJob
    ) throws(RenderingFailure) -> Data {
        let options = job.options
        if options.stripsMetadata, !options.keepsCopyright { return result }
        let kept = options.stripsMetadata ? metadata.rights : metadata.forUprightImage
        guard !kept.blocks.isEmpty else { return result }
        do throws(ImageDecodingError) {
            let data = try kept.embedded(in: result)
            return data.count <= job.byteLimit ? data : result
        } catch .unsupported {
            // An animated AVIF can't hold it.
            return result
        } catch {
            throw .processing("the metadata can't be written: \(error)")
        }
    }

    /// Returns a source as it is. It may be no image.
    private func raw(_ source: Data) -> RenderedImage {
        let header = try? decoder.header(of: source)
        return RenderedImage(
            data: source, format: header?.format ?? .unknown, size: header?.size ?? PixelSize(width: 0, height: 0))
    }

    /// Returns the header of a source.
    func header(of source: Data) throws(RenderingFailure) -> ImageHeader {
        try decoding { () throws(ImageDecodingError) in try decoder.header(of: source) }
    }

    /// Returns a small image of a source, for its placeholder.
    func preview(
        of source: Data, fitting size: PixelSize, isCancelled: @Sendable () -> Bool = { false }
    ) throws(RenderingFailure) -> Bitmap {
        try decoding { () throws(ImageDecodingError) in
            try decoder.decode(source, request: DecodingRequest(target: ImageTarget(size)), isCancelled: isCancelled)
                .bitmap
        }
    }

    /// Returns the format of a result, and another one for an animation of which the smaller file is sent.
    private func outputs(
        for header: ImageHeader, _ options: ProcessingOptions, _ accepted: AcceptedFormats
    ) -> (OutputFormat, alternative: OutputFormat?) {
        let hasAlpha = options.background == nil && (header.hasAlpha || options.addsSpace)
        let formats = accepted.choices(
            wanted: options.format, for: header, isAnimated: header.frameCount > 1 && limits.frames > 1,
            hasAlpha: hasAlpha)
        return (output(formats[0], options), formats.dropFirst().first.map { output($0, options) })
    }

    private func output(_ format: ImageFormat, _ options: ProcessingOptions) -> OutputFormat {
        var output = encoders.configured(OutputFormats.output(for: format) ?? OutputFormats.standard)
        if options.isProgressive, OutputFormats.progressive.contains(format) { output.isProgressive = true }
        if let workers, let name = encoders.workerName(of: format) {
            output.encoder = workers.encoder(like: output.encoder, named: name)
        }
        return output
    }

    private func quality(of output: OutputFormat, _ options: ProcessingOptions) -> Int {
        if options.quality > 0 { return options.quality }
        let standard = standardQuality[output.format] ?? 80
        return options.formatQuality[output.format] ?? (options.savesData ? min(standard, saveDataQuality) : standard)
    }

    private func check(_ plan: RenderingPlan, frameCount: Int) throws(RenderingFailure) {
        let sides = [plan.output, plan.scaled]
        let (area, overflows) = plan.largestArea.multipliedReportingOverflow(by: frameCount)
        guard !overflows, area <= limits.resultPixels,
            plan.output.width <= limits.resultSide, plan.output.height <= limits.resultSide,
            max(plan.scaled.width, plan.scaled.height) <= limits.resizing.maxSide
        else { throw .resultTooLarge(sides.max { $0.area < $1.area } ?? plan.output) }
    }

    /// Returns a source without the border that the options cut off; nil if there is nothing to cut off.
    private func trimmed(
        _ source: Data, _ options: ProcessingOptions, _ isCancelled: @Sendable () -> Bool
    ) throws(RenderingFailure) -> Bitmap? {
        guard let trim = options.trim else { return nil }
        let request = DecodingRequest(color: options.stripsColorProfile ? .sRGB : .automatic)
        let bitmap = try decoding { () throws(ImageDecodingError) in
            try decoder.decode(source, request: request, isCancelled: isCancelled).bitmap
        }
        var edges: TrimProcessor.Edges = []
        if trim.equalsHorizontally { edges.insert(.horizontal) }
        if trim.equalsVertically { edges.insert(.vertical) }
        let processor = TrimProcessor(color: trim.color, threshold: trim.threshold, equalEdges: edges)
        let result = try processed(bitmap, processor)
        return result.size == bitmap.size ? nil : result
    }

    /// Returns the frame of an image that is already decoded in its own size.
    private func frame(_ bitmap: Bitmap, _ job: inout RenderingJob) throws(RenderingFailure) -> AnimationFrame {
        job.lap(.decode)
        defer { job.lap(.process) }
        guard let size = job.plan.target?.size else {
            return AnimationFrame(bitmap: try job.process(bitmap), delay: .zero)
        }
        let resized = try processed(
            bitmap,
            ResizeProcessor(
                stretchingTo: size, usesLinearLight: job.options.usesLinearLight, limits: limits.resizing))
        return AnimationFrame(bitmap: try job.process(resized), delay: .zero)
    }

    private func processed(_ bitmap: Bitmap, _ processor: any ImageProcessor) throws(RenderingFailure) -> Bitmap {
        do {
            return try processor.process(bitmap)
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .processing("\(error)")
        }
    }

    private func frames(
        of source: Data, _ trimmed: Bitmap?, _ header: ImageHeader, count: Int, _ job: inout RenderingJob,
        _ isCancelled: @Sendable () -> Bool
    ) throws(RenderingFailure) -> [AnimationFrame] {
        if let trimmed {
            job.isTransparent = !trimmed.isOpaque
            return [try frame(trimmed, &job)]
        }
        var target = job.plan.target
        if job.output.isLossy, job.quality <= Self.maxQualityForSpeed { target?.preference = .speed }
        target?.usesLinearLight = job.options.usesLinearLight
        let request = DecodingRequest(target: target, color: job.options.stripsColorProfile ? .sRGB : .automatic)
        let reader = try decoding { () throws(ImageDecodingError) in
            try decoder.makeFrameReader(of: source, request: request)
        }
        var frames: [AnimationFrame] = []
        for index in 0..<count {
            let decoded = try decoding { () throws(ImageDecodingError) in
                try reader.frame(at: index, isCancelled: isCancelled)
            }
            job.lap(.decode)
            job.isTransparent = job.isTransparent || !decoded.isOpaque
            let delay = header.frameDelays.indices.contains(index) ? header.frameDelays[index] : .milliseconds(100)
            frames.append(AnimationFrame(bitmap: try job.process(decoded), delay: delay))
            job.lap(.process)
        }
        return frames
    }

    /// Decodes a watermark to the size in which it is drawn; nil if it can't be seen.
    private func processor(
        of watermark: Watermark, _ plan: RenderingPlan, _ options: ProcessingOptions.Watermark,
        _ isCancelled: @Sendable () -> Bool
    ) throws(RenderingFailure) -> WatermarkProcessor? {
        if options.opacity == 0 { return nil }
        let decoder = scoped(to: watermark.origin).decoder
        do {
            let header = try decoder.header(of: watermark.file)
            let size = options.size(of: header.size, on: plan.output)
            let target = ImageTarget(size, upscales: header.format == .svg)
            let request = DecodingRequest(target: target, color: .sRGB)
            let bitmap = try decoder.decode(watermark.file, request: request, isCancelled: isCancelled).bitmap
            let stamp = try ResizeProcessor(stretchingTo: size, limits: limits.resizing).process(bitmap)
            return WatermarkProcessor(
                stamp, identifier: watermark.identity,
                placement: options.placement(of: size, on: plan.output, scale: plan.distanceScale),
                opacity: watermark.opacity * options.opacity)
        } catch let error as ImageDecodingError where error != .cancelled {
            throw .watermark(error)
        } catch {
            // What remains is a cancellation.
            throw .cancelled
        }
    }

    func decoding<Value>(
        _ body: () throws(ImageDecodingError) -> Value
    ) throws(RenderingFailure) -> Value {
        do throws(ImageDecodingError) {
            return try body()
        } catch {
            throw error == .cancelled ? .cancelled : .decoding(error)
        }
    }
}

extension ImageHeader {
    /// Returns a header with another upright size.
    fileprivate func with(_ size: PixelSize?) -> ImageHeader {
        guard let size else { return self }
        var header = self
        header.storedSize = orientation.swapsAxes ? size.transposed : size
        return header
    }
}

extension ImageFormat {
    /// The format of what is no image, or none that this server knows.
    static let unknown = ImageFormat(rawValue: "unknown")
}
