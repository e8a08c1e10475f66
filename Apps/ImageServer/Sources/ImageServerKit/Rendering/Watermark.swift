import Foundation
import ImageCore
import ImageProcessing

/// The image that `watermark` draws over results.
struct Watermark: Sendable {
    /// The file, which is decoded to the size in which it is drawn.
    let file: Data
    /// The opacity from 0 to 1, which URLs multiply.
    let opacity: Double
    /// The origin of the image; empty for the settings.
    let origin: String
    /// Tells the image and the opacity apart from others in cache keys.
    let identity: String

    /// - Parameters:
    ///   - file: An image in any format of sources.
    ///   - opacity: The opacity from 0 to 1.
    ///   - origin: The origin of the image; empty for the settings.
    init(file: Data, opacity: Double, origin: String = "") {
        self.file = file
        self.opacity = opacity
        self.origin = origin
        identity = "\(Digest.text(of: file)):\(opacity)"
    }
}

extension ProcessingOptions.Watermark {
    /// Returns the size as large as it fits a part of the result, or its own.
    func size(of own: PixelSize, on result: PixelSize) -> PixelSize {
        guard scale > 0 else { return own }
        let factor = min(
            Double(result.width) * scale / Double(own.width), Double(result.height) * scale / Double(own.height))
        func side(_ length: Int) -> Int { min(max(1, Int((Double(length) * factor).rounded())), 65_535) }
        return PixelSize(width: side(own.width), height: side(own.height))
    }

    /// Returns where a watermark of a size is drawn on a result.
    ///
    /// - Parameter scale: Multiplies offsets in pixels.
    func placement(of mark: PixelSize, on result: PixelSize, scale: Double) -> WatermarkProcessor.Placement {
        guard let gravity else {
            func spacing(_ space: Double, _ side: Int) -> Int {
                let pixels = abs(space) >= 1 ? space * scale : space * Double(side)
                return Int(min(max(pixels, 0), 1e6).rounded())
            }
            return .tiles(horizontalSpacing: spacing(x, result.width), verticalSpacing: spacing(y, result.height))
        }
        let origin = gravity.origin(
            of: (mark.width, mark.height), in: (result.width, result.height), scale: scale, overflows: true)
        return .at(x: origin.x, y: origin.y)
    }
}
