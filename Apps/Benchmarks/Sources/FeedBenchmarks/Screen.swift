internal import Foundation
internal import ImageCodecPNG
internal import ImageCore
internal import ImageProcessing
internal import Synchronization

/// The cells of a screen: what each shows, an image, its placeholder or nothing.
final class Screen: Sendable {
    private static let (side, gap, columns) = (300, 12, 4)
    private let cells: Mutex<[Bitmap?]>

    init(placeholders: [Bitmap?]) { cells = Mutex(placeholders) }

    func show(_ image: Bitmap, in cell: Int) { cells.withLock { $0[cell] = image } }

    /// Returns a PNG of the screen. Empty cells are gray.
    func picture() throws -> Data {
        let cells = cells.withLock { $0 }
        let step = Self.side + Self.gap
        let rows = (cells.count + Self.columns - 1) / Self.columns
        var picture = Self.filled(
            PixelSize(width: Self.columns * step + Self.gap, height: rows * step + Self.gap), level: 255)
        for (index, image) in cells.enumerated() {
            let (row, column) = index.quotientAndRemainder(dividingBy: Self.columns)
            let cell =
                try image.map(Self.cut) ?? Self.filled(PixelSize(width: Self.side, height: Self.side), level: 215)
            let placement = WatermarkProcessor.Placement.at(x: Self.gap + column * step, y: Self.gap + row * step)
            picture = try WatermarkProcessor(cell, identifier: "cell", placement: placement).process(picture)
        }
        return try PNGEncoder().encode(picture, options: EncodingOptions())
    }

    private static func filled(_ size: PixelSize, level: UInt8) -> Bitmap {
        Bitmap(size: size, pixels: (0..<size.area).flatMap { _ in [level, level, level, 255] }, isOpaque: true)
    }

    /// Returns the center of an image in the size of a cell.
    private static func cut(_ image: Bitmap) throws -> Bitmap {
        let target = ImageTarget(PixelSize(width: side, height: side), mode: .fill, upscales: true)
        let resized = try ResizeProcessor(target).process(image)
        let corner = (x: (side - resized.size.width) / 2, y: (side - resized.size.height) / 2)
        return try CanvasProcessor(x: corner.x, y: corner.y, size: PixelSize(width: side, height: side)).process(
            resized)
    }
}
