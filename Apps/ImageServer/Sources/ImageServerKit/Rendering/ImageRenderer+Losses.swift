import Foundation
import ImageCore
import ImageLoaderKit
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
        return lost.inOrder
    }

    /// Returns a result with the gain map of its source. Without it if none is wanted, if it can't be kept right or
    /// described there, or if the result would be too large.
    ///
    /// - Parameter keepsPrimaries: Whether the result has the color space of the source.
    func withGainMap(
        of source: Data, _ header: ImageHeader, _ result: Data, _ job: RenderingJob, keepsPrimaries: Bool
    ) throws(RenderingFailure) -> Data {
        guard job.options.preservesHDR, header.hasGainMap, job.output.format == .jpeg, job.keepsPlaces,
            let map = EmbeddedGainMap(of: source)
        else { return result }
        do {
            let changed = try map.applying(
                job.changes(of: header.size), of: header, keepsPrimaries: keepsPrimaries, decoder: decoder,
                limits: limits.resizing)
            guard let data = try changed?.embeddedIfPossible(in: result), data.count <= job.byteLimit else {
                return result
            }
            return data
        } catch let error where error is CancellationError || error as? ImageDecodingError == .cancelled {
            throw .cancelled
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

    /// Returns what is done with an upright source of a size, for its gain map.
    func changes(of size: PixelSize) -> [EmbeddedGainMap.Change] {
        let swaps = plan.orientations.filter(\.swapsAxes).count % 2 == 1
        let decoded = plan.target?.size ?? size
        func cut(_ area: RenderingPlan.Area?, of whole: PixelSize, to part: PixelSize) -> EmbeddedGainMap.Change {
            .resized(area?.fraction(of: whole) ?? .whole, to: part)
        }
        var changes = plan.orientations.map(EmbeddedGainMap.Change.turned)
        changes.append(cut(plan.crop, of: swaps ? decoded.transposed : decoded, to: plan.scaled))
        if let orientation = options.flip.orientation { changes.append(.turned(orientation)) }
        if let crop = plan.resultCrop { changes.append(cut(crop, of: plan.scaled, to: crop.size)) }
        return changes
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
