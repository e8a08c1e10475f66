public import Foundation
import ImageCore
import ImageProcessing

/// The image that `watermark` draws over results.
public struct Watermark: Sendable {
    /// The file, which is decoded to the size in which it is drawn.
    let file: Data
    /// The opacity from 0 to 1, which URLs multiply.
    let opacity: Double
    /// Tells the image and the opacity apart from others in cache keys.
    let identity: String

    /// - Parameters:
    ///   - file: An image in any format of sources.
    ///   - opacity: The opacity from 0 to 1.
    public init(file: Data, opacity: Double) {
        self.file = file
        self.opacity = opacity
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
}

/// Draws a watermark over an image, once or as tiles.
struct WatermarkProcessor: ImageProcessor {
    let watermark: Watermark
    /// The watermark in sRGB, in the size in which it is drawn.
    let stamp: Bitmap
    let options: ProcessingOptions.Watermark
    /// Multiplies offsets in pixels.
    let scale: Double

    var identifier: String { "watermark(\(watermark.identity),\(options),\(scale))" }

    /// Throws `CancellationError`.
    func process(_ bitmap: Bitmap) throws -> Bitmap {
        let opacity = Int((watermark.opacity * options.opacity * 255).rounded())
        var result = Overlay(pixels: bitmap.pixels, size: bitmap.size)
        let layout = layout(of: stamp.size, in: bitmap.size)
        for y in layout.rows {
            for x in layout.columns {
                try Task.checkCancellation()
                result.draw(stamp.pixels, stamp.size, x: x, y: y, opacity: opacity, space: bitmap.colorSpace)
            }
        }
        return Bitmap(
            size: bitmap.size, pixels: result.pixels, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace)
    }

    /// Returns the left and top positions at which the watermark is drawn.
    private func layout(of stamp: PixelSize, in size: PixelSize) -> (columns: [Int], rows: [Int]) {
        guard let gravity = options.gravity else {
            return (
                tiles(stamp.width, size.width, spacing: options.x), tiles(stamp.height, size.height, spacing: options.y)
            )
        }
        let origin = gravity.origin(
            of: (stamp.width, stamp.height), in: (size.width, size.height), scale: scale, overflows: true)
        return ([origin.x], [origin.y])
    }

    /// Returns the positions of tiles that cover a side, so that their middle is in its middle.
    private func tiles(_ tile: Int, _ side: Int, spacing: Double) -> [Int] {
        let space = abs(spacing) >= 1 ? spacing * scale : spacing * Double(side)
        let step = max(1, tile + Int(min(max(space, 0), 1e6).rounded()))
        let count = (side + step - 1) / step
        let start = (side - count * step) / 2 + (step - tile) / 2
        return (0..<count).map { start + $0 * step }
    }
}

/// Pixels over which others are drawn.
private struct Overlay {
    var pixels: [UInt8]
    let size: PixelSize

    /// Draws the part of a stamp that is inside.
    mutating func draw(
        _ stamp: [UInt8], _ stampSize: PixelSize, x: Int, y: Int, opacity: Int, space: ColorSpace
    ) {
        let columns = max(0, -x)..<max(max(0, -x), min(stampSize.width, size.width - x))
        for row in max(0, -y)..<max(max(0, -y), min(stampSize.height, size.height - y)) {
            for column in columns {
                let from = (row * stampSize.width + column) * 4
                let alpha = Int(stamp[from + 3]) * opacity
                if alpha == 0 { continue }
                let color = PixelColor(red: stamp[from], green: stamp[from + 1], blue: stamp[from + 2])
                blend(
                    space == .sRGB ? color : color.values(in: space), alpha: alpha,
                    at: ((y + row) * size.width + x + column) * 4)
            }
        }
    }

    /// Puts a color over a pixel.
    /// - Parameter alpha: The opacity, from 0 to 255².
    private mutating func blend(_ color: PixelColor, alpha: Int, at index: Int) {
        let behind = Int(pixels[index + 3]) * (65_025 - alpha) / 255
        let total = alpha + behind
        func mixed(_ front: UInt8, _ back: UInt8) -> UInt8 {
            UInt8((Int(front) * alpha + Int(back) * behind + total / 2) / total)
        }
        pixels[index] = mixed(color.red, pixels[index])
        pixels[index + 1] = mixed(color.green, pixels[index + 1])
        pixels[index + 2] = mixed(color.blue, pixels[index + 2])
        pixels[index + 3] = UInt8((total + 127) / 255)
    }
}
