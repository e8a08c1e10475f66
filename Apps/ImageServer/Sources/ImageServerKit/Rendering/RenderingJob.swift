import Foundation
import ImageCore
import ImageProcessing
import Synchronization

/// Returns a function that returns the time since this call.
func elapsedTime(of clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
}

/// Measures consecutive stages.
struct Stopwatch: Sendable {
    private let elapsed: @Sendable () -> Duration
    private var last = Duration.zero

    init(_ clock: any Clock<Duration>) { elapsed = elapsedTime(of: clock) }

    /// Returns the time since the last call, or since the creation.
    mutating func lap() -> Duration {
        let now = elapsed()
        defer { last = now }
        return now - last
    }
}

/// The processing and encoding of one result.
struct RenderingJob {
    let plan: RenderingPlan
    let options: ProcessingOptions
    /// The format of the result. `encode` may replace it by the alternative.
    private(set) var output: OutputFormat
    /// From 1 to 100.
    private(set) var quality: Int
    /// Another format of which the smaller file is the result, and its quality.
    var alternative: (output: OutputFormat, quality: Int)?
    let limits: RenderingLimits
    /// Draws the watermark; nil if there is none.
    var watermark: WatermarkProcessor?
    /// Whether the source has pixels that aren't opaque.
    var isTransparent = false
    var watch: Stopwatch
    private(set) var times: StageTimes = [:]
    private let crops = (first: SharedAttentionCrop.Found(), result: SharedAttentionCrop.Found())

    /// The most bytes of a result with everything that can be left out.
    var byteLimit: Int { options.maxBytes > 0 ? min(options.maxBytes, limits.resultBytes) : limits.resultBytes }

    mutating func lap(_ stage: RenderingStage) { times[stage, default: .zero] += watch.lap() }

    /// Applies the steps of imgproxy's pipeline after decoding, in its order.
    func process(_ bitmap: consuming Bitmap) throws(RenderingFailure) -> Bitmap {
        var image = bitmap
        do {
            for processor in processors {
                try Task.checkCancellation()
                image = try processor.process(image)
            }
            return image
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .processing("\(error)")
        }
    }

    private var processors: [any ImageProcessor] {
        var steps: [any ImageProcessor] = plan.orientations.map(OrientationProcessor.init)
        if let crop = plan.crop { steps.append(self.crop(to: crop, plan.cropsToAttention.first, crops.first)) }
        steps.append(
            ResizeProcessor(
                stretchingTo: plan.scaled, usesLinearLight: options.usesLinearLight, limits: limits.resizing))
        if let orientation = options.flip.orientation { steps.append(OrientationProcessor(orientation)) }
        if let crop = plan.resultCrop {
            steps.append(self.crop(to: crop, plan.cropsToAttention.result, crops.result))
        }
        if options.blur > 0 { steps.append(GaussianBlurProcessor(sigma: options.blur)) }
        if options.sharpening > 0 { steps.append(SharpenProcessor(sigma: options.sharpening)) }
        if options.pixelate > 1 { steps.append(PixelateProcessor(side: options.pixelate)) }
        if let canvas = plan.canvas {
            steps.append(CanvasProcessor(x: canvas.x, y: canvas.y, size: canvas.size, limits: limits.resizing))
        }
        if let background = options.background ?? (output.hasAlpha ? nil : .white) {
            steps.append(BackgroundProcessor(background))
        }
        if let watermark { steps.append(watermark) }
        return steps
    }

    private func crop(
        to area: RenderingPlan.Area, _ seeksAttention: Bool, _ found: SharedAttentionCrop.Found
    ) -> any ImageProcessor {
        seeksAttention
            ? SharedAttentionCrop(size: area.size, found: found)
            : CropProcessor(PixelArea(left: area.x, top: area.y, size: area.size))
    }

    /// Encodes the frames, and in the alternative format if there is one. Returns the smaller file.
    mutating func encode(_ frames: [AnimationFrame], loopCount: Int) throws(RenderingFailure) -> Data {
        defer { lap(.encode) }
        var data = try fitting(frames, loopCount)
        if let alternative {
            let first = (output, quality)
            (output, quality) = alternative
            let other = try fitting(frames, loopCount)
            if other.count < data.count { data = other } else { (output, quality) = first }
        }
        guard data.count <= limits.resultBytes else {
            throw .tooManyBytes(data.count, allowed: limits.resultBytes)
        }
        return data
    }

    /// Encodes the frames, and again at lower qualities while the file is larger than `max_bytes`. Returns the file of the
    /// lowest quality if all are larger, as imgproxy does.
    private func fitting(_ frames: [AnimationFrame], _ loopCount: Int) throws(RenderingFailure) -> Data {
        var data = try encoded(frames, loopCount, quality: quality)
        if options.maxBytes > 0, output.isLossy {
            var search = QualitySearch(limit: options.maxBytes)
            search.add(data.count, quality: quality)
            while let next = search.next {
                let other = try encoded(frames, loopCount, quality: next)
                if search.add(other.count, quality: next) { data = other }
            }
        }
        return data
    }

    private func encoded(
        _ frames: [AnimationFrame], _ loopCount: Int, quality: Int
    ) throws(RenderingFailure) -> Data {
        let encoding = EncodingOptions(quality: Double(quality) / 100, isProgressive: output.isProgressive)
        do throws(ImageEncodingError) {
            if frames.count == 1 { return try output.encoder.encode(frames[0].bitmap, options: encoding) }
            return try output.encoder.encode(frames, loopCount: loopCount, options: encoding)
        } catch {
            throw error == .cancelled ? .cancelled : .encoding(error)
        }
    }
}

/// Cuts out the part that attracts attention. All frames of an animation are cut like the first one.
struct SharedAttentionCrop: ImageProcessor {
    /// The part of the first frame.
    final class Found: Sendable {
        fileprivate let crop = Mutex<CropProcessor?>(nil)
    }

    let size: PixelSize
    let found: Found

    var identifier: String { "attention(\(size))" }

    func process(_ bitmap: Bitmap) throws -> Bitmap {
        let known = found.crop.withLock { $0 }
        let crop = try known ?? AttentionCropProcessor(size: size).crop(for: bitmap)
        found.crop.withLock { $0 = crop }
        return try crop.process(bitmap)
    }
}

extension ProcessingOptions.Flip {
    /// The orientation that mirrors in this way; nil if nothing is mirrored.
    var orientation: ImageOrientation? {
        switch (isHorizontal, isVertical) {
        case (false, false): nil
        case (true, false): .upMirrored
        case (false, true): .downMirrored
        case (true, true): .down
        }
    }
}
