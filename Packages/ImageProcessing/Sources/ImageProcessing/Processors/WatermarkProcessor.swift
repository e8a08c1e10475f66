public import ImageCore

/// Draws a small image over an image, once or as tiles.
public struct WatermarkProcessor: ImageProcessor {
    /// Where the watermark is drawn.
    @nonexhaustive
    public enum Placement: Hashable, Sendable {
        /// Once, with its left and top edge at this column and row. It can be partly outside.
        case at(x: Int, y: Int)
        /// As tiles with this many pixels between them, from 0. Their middle is in the middle of the image.
        case tiles(horizontalSpacing: Int, verticalSpacing: Int)
    }

    private let watermark: Bitmap
    private let name: String
    private let placement: Placement
    private let opacity: Double

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - watermark: The image that is drawn, in its size.
    ///   - identifier: Identifies the watermark, for example a digest of its file. It is part of the cache key.
    ///   - placement: Where it is drawn.
    ///   - opacity: Multiplies its alpha. Clamped to 0...1; NaN counts as 0.
    public init(_ watermark: Bitmap, identifier: String, placement: Placement, opacity: Double = 1) {
        self.watermark = watermark
        name = identifier
        self.placement = placement
        self.opacity = opacity > 0 ? min(opacity, 1) : 0
    }

    public var identifier: String {
        switch placement {
        case .at(let x, let y): "watermark(\(name),\(x),\(y),\(opacity))"
        case .tiles(let horizontal, let vertical): "watermark(\(name),tiles,\(horizontal),\(vertical),\(opacity))"
        }
    }

    /// Returns the image with the watermark. Throws only `CancellationError`.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        let stamp = watermark.converted(to: bitmap.colorSpace)
        let stampPixels = stamp.withoutHiddenAlpha.pixels
        var result = Overlay(pixels: bitmap.withoutHiddenAlpha.pixels, size: bitmap.size)
        let (columns, rows) = positions(in: bitmap.size)
        for y in rows {
            for x in columns {
                try Task.checkCancellation()
                result.draw(stampPixels, stamp.size, x: x, y: y, opacity: Int((opacity * 255).rounded()))
            }
        }
        return Bitmap(like: bitmap, size: bitmap.size, pixels: result.pixels)
    }

    /// Returns the left and top positions at which the watermark is drawn.
    private func positions(in size: PixelSize) -> (columns: [Int], rows: [Int]) {
        switch placement {
        case .at(let x, let y):
            // Positions beyond all edges are the same as those just outside.
            (
                [min(max(x, -watermark.size.width), size.width)],
                [min(max(y, -watermark.size.height), size.height)]
            )
        case .tiles(let horizontal, let vertical):
            (
                Self.tiles(watermark.size.width, size.width, spacing: horizontal),
                Self.tiles(watermark.size.height, size.height, spacing: vertical)
            )
        }
    }

    /// Returns the positions of tiles that cover a side, so that their middle is in its middle.
    private static func tiles(_ tile: Int, _ side: Int, spacing: Int) -> [Int] {
        let step = max(1, tile + max(0, min(spacing, 1 << 20)))
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
    mutating func draw(_ stamp: [UInt8], _ stampSize: PixelSize, x: Int, y: Int, opacity: Int) {
        let columns = max(0, -x)..<max(max(0, -x), min(stampSize.width, size.width - x))
        for row in max(0, -y)..<max(max(0, -y), min(stampSize.height, size.height - y)) {
            for column in columns {
                let from = (row * stampSize.width + column) * 4
                let alpha = Int(stamp[from + 3]) * opacity
                if alpha == 0 { continue }
                let color = PixelColor(red: stamp[from], green: stamp[from + 1], blue: stamp[from + 2])
                blend(color, alpha: alpha, at: ((y + row) * size.width + x + column) * 4)
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
