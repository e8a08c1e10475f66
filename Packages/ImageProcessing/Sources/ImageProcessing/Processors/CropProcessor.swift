public import ImageCore

/// Cuts a rectangle out of an image, as far as it lies within it.
public struct CropProcessor: ImageProcessor {
    /// Why a rectangle could not be cut out.
    public enum Failure: Error, Hashable, Sendable {
        /// No pixel of the rectangle lies within the image of this size.
        case outside(PixelSize)
    }

    private let origin: (x: Int, y: Int)
    private let size: PixelSize

    /// - Parameters:
    ///   - x: first column, from 0 at the left.
    ///   - y: first row, from 0 at the top.
    public init(x: Int, y: Int, size: PixelSize) {
        origin = (x, y)
        self.size = size
    }

    public var identifier: String { "crop(\(origin.x),\(origin.y),\(size))" }

    /// Throws `Failure.outside`.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        let columns = Self.part(from: origin.x, count: size.width, of: bitmap.size.width)
        let lines = Self.part(from: origin.y, count: size.height, of: bitmap.size.height)
        guard !columns.isEmpty, !lines.isEmpty else { throw Failure.outside(bitmap.size) }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(columns.count * lines.count * 4)
        let source = bitmap.pixels
        for y in lines {
            let row = y * bitmap.bytesPerRow
            pixels += source[row + columns.lowerBound * 4..<row + columns.upperBound * 4]
        }
        let size = PixelSize(width: columns.count, height: lines.count)
        return bitmap.isOpaque
            ? Bitmap(size: size, pixels: pixels, isOpaque: true) : Bitmap(size: size, pixels: pixels)
    }

    private static func part(from start: Int, count: Int, of side: Int) -> Range<Int> {
        let (end, overflow) = start.addingReportingOverflow(max(0, count))
        let upper = min(side, overflow ? .max : end)
        return min(max(0, start), max(0, upper))..<max(0, upper)
    }
}
