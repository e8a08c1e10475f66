import Foundation
import ImageCodecJPEG
import ImageCore
import ImageMetadata
import ImageProcessing

extension ImageRenderer {
    /// Returns what a result no longer has of its source, in the order of `ConversionLoss`.
    ///
    /// - Parameter contents: What the source has that a result can lose.
    func losses(
        of contents: Set<ConversionLoss>, in result: Data, _ frames: [AnimationFrame], _ job: RenderingJob
    ) -> [ConversionLoss] {
        if contents.isEmpty { return [] }
        let hasGainMap = contents.contains(.gainMap) && EmbeddedGainMap(of: result) != nil
        let header = ImageHeader(
            format: job.output.format, storedSize: job.plan.output, frameCount: frames.count,
            hasAlpha: !frames.allSatisfy(\.bitmap.isOpaque), hasGainMap: hasGainMap)
        var lost = contents.subtracting(
            ConversionLoss.possible(in: result, header: header, gamut: frames[0].bitmap.colorSpace))
        // Many files without transparent pixels say that there may be some.
        if !job.isTransparent { lost.remove(.alpha) }
        return ConversionLoss.allCases.filter(lost.contains)
    }

    /// Returns the gain map of a JPEG file for a result. Nil if none is wanted, or if it can't be kept right.
    ///
    /// - Parameter keepsColors: Whether the result has the color space of the source. Only a gain that is the same for all
    ///   channels fits another one.
    func gainMap(
        of source: Data, _ header: ImageHeader, _ job: RenderingJob, keepsColors: Bool
    ) throws(RenderingFailure) -> EmbeddedGainMap? {
        guard job.options.preservesHDR, header.hasGainMap, job.output.format == .jpeg, job.keepsPlaces,
            let map = EmbeddedGainMap(of: source), map.isGray || keepsColors
        else { return nil }
        do {
            // Values of a map with a profile would be converted like colors.
            guard try decoder.header(of: map.file).colorProfile == nil else { return nil }
            let upright = OrientationProcessor(header.orientation)
            var bitmap = try upright.process(decoder.decode(map.file, request: DecodingRequest()).bitmap)
            for step in job.placing(mapOf: bitmap.size, header.size) { bitmap = try step.process(bitmap) }
            // What is lost in a map is multiplied in the image.
            let file = try JPEGEncoder(isGray: map.isGray).encode(bitmap, options: EncodingOptions(quality: 0.95))
            return try map.replacingPixels(with: file)
        } catch is CancellationError {
            throw .cancelled
        } catch {
            // A damaged map is left out, and the losses of the result have it.
            return nil
        }
    }

    /// Returns a result with a gain map, or without it if it can't be described there or would be too large.
    func withGainMap(
        _ map: EmbeddedGainMap, _ result: Data, _ job: RenderingJob
    ) throws(RenderingFailure) -> Data {
        do throws(ImageDecodingError) {
            let data = try map.embedded(in: result)
            return data.count <= job.byteLimit ? data : result
        } catch .unsupported {
            return result
        } catch {
            throw .processing("the gain map can't be written: \(error)")
        }
    }
}

extension RenderingJob {
    /// Whether the result shows an area of the source that is known before decoding, and nothing else.
    var keepsPlaces: Bool {
        plan.canvas == nil && !plan.cropsToAttention.first && !plan.cropsToAttention.result && watermark == nil
            && options.blur == 0 && options.sharpening == 0 && options.pixelate <= 1
    }

    /// Returns the steps that place the upright gain map of an image like the image, at the ratio of their sizes.
    func placing(mapOf mapSize: PixelSize, _ imageSize: PixelSize) -> [any ImageProcessor] {
        let swaps = plan.orientations.filter(\.swapsAxes).count % 2 == 1
        func turned(_ size: PixelSize) -> PixelSize { swaps ? size.transposed : size }
        let (map, image) = (turned(mapSize), turned(imageSize))
        func size(_ part: PixelSize) -> PixelSize {
            func side(_ length: Int, _ mapLength: Int, _ imageLength: Int) -> Int {
                max(1, Int((Double(length) * Double(mapLength) / Double(imageLength)).rounded()))
            }
            return PixelSize(
                width: side(part.width, map.width, image.width), height: side(part.height, map.height, image.height))
        }
        func cut(_ area: RenderingPlan.Area?, of whole: PixelSize, to part: PixelSize) -> ResizeProcessor {
            ResizeProcessor(area?.fraction(of: whole) ?? .whole, stretchedTo: size(part), limits: limits.resizing)
        }
        let decoded = plan.target.map { turned($0.size) } ?? image
        var steps: [any ImageProcessor] = plan.orientations.map(OrientationProcessor.init)
        steps.append(cut(plan.crop, of: decoded, to: plan.scaled))
        if let orientation = options.flip.orientation { steps.append(OrientationProcessor(orientation)) }
        if let crop = plan.resultCrop { steps.append(cut(crop, of: plan.scaled, to: crop.size)) }
        return steps
    }
}

extension RenderingPlan.Area {
    fileprivate func fraction(of whole: PixelSize) -> UnitRegion {
        let (width, height) = (Double(whole.width), Double(whole.height))
        return UnitRegion(
            x: Double(x) / width, y: Double(y) / height, width: Double(size.width) / width,
            height: Double(size.height) / height)
    }
}
