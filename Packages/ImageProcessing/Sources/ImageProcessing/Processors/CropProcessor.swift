public import ImageCore

/// Crops an image to the part of a rectangle that is inside the image.
public struct CropProcessor: ImageProcessor {
    /// The error of a crop.
    public enum Failure: Error, Hashable, Sendable {
        /// The rectangle is empty or completely outside the image, which has this size.
        case outside(PixelSize)
    }

    private let origin: (x: Int, y: Int)
    private let size: PixelSize

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - x: The first column, from 0 at the left.
    ///   - y: The first row, from 0 at the top.
    ///   - size: The size of the rectangle in pixels.
    public init(x: Int, y: Int, size: PixelSize) {
        origin = (x, y)
        self.size = size
    }

    public var identifier: String { "crop(\(origin.x),\(origin.y),\(size))" }

    /// Returns the cropped image. Throws `Failure.outside` if no pixel is left.
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
