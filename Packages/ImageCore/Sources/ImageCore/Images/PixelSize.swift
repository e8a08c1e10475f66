/// A width and a height in whole pixels.
public struct PixelSize: Hashable, Sendable, Codable {
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int

    /// Creates a size in pixels. Checks nothing: a side below 1 is refused where it is used, for example by
    /// `ImageTarget`.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Width times height, or `Int.max` if that overflows.
    public var area: Int { width.times(height) }

    /// The same size with width and height exchanged.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// Returns the size of the pixels in bytes, or `Int.max` if it overflows.
    package func byteCount(_ layout: PixelLayout) -> Int { area.times(layout.bytesPerPixel) }

    /// Returns the size with both sides divided and rounded up.
    package func divided(by divisor: Int) -> PixelSize {
        PixelSize(width: (width + divisor - 1) / divisor, height: (height + divisor - 1) / divisor)
    }
}

extension PixelSize: CustomStringConvertible {
    public var description: String { "\(width)x\(height)" }
}

extension Int {
    /// Returns the product, or `Int.max` if it overflows. Neither number is negative.
    package func times(_ other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }

    /// Returns the sum, or `Int.max` if it overflows. Neither number is negative.
    package func plus(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

/// A rectangle in fractional pixel coordinates. The origin is at the top left.
package struct PixelRegion: Hashable, Sendable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Creates the rectangle of a whole image.
    package init(_ size: PixelSize) {
        self.init(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    }
}

/// A rectangle of whole pixels.
public struct PixelArea: Hashable, Sendable, Codable {
    /// The first column, from 0 at the left.
    public var left: Int
    /// The first row, from 0 at the top.
    public var top: Int
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int

    /// Creates a rectangle, which isn't checked.
    public init(left: Int, top: Int, width: Int, height: Int) {
        self.left = left
        self.top = top
        self.width = width
        self.height = height
    }

    /// Creates a rectangle of a size, which isn't checked.
    public init(left: Int = 0, top: Int = 0, size: PixelSize) {
        self.init(left: left, top: top, width: size.width, height: size.height)
    }

    /// The size of the rectangle.
    package var size: PixelSize { PixelSize(width: width, height: height) }

    /// Returns what is inside of an image, and at least a pixel.
    package func inside(_ image: PixelSize) -> PixelArea {
        func side(_ start: Int, _ length: Int, _ count: Int) -> (start: Int, length: Int) {
            let first = min(max(0, start), count - 1)
            return (first, max(1, min(start.plus(max(0, length)), count) - first))
        }
        let (column, row) = (side(left, width, image.width), side(top, height, image.height))
        return PixelArea(left: column.start, top: row.start, width: column.length, height: row.length)
    }
}

extension Bitmap {
    /// Returns the smallest rectangle that contains all differences from another image of the same size.
    ///
    /// It is one pixel if the images are equal, and the whole image if `other` is nil. Encoders store only this part of
    /// a frame.
    package func changedArea(since other: Bitmap?) -> PixelArea {
        guard let other else { return PixelArea(size: size) }
        let (new, old) = (pixels.span, other.pixels.span)
        var (left, right, top, bottom) = (size.width, 0, size.height, 0)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let offset = (y * size.width + x) * 4
                guard (0..<4).contains(where: { new[offset + $0] != old[offset + $0] }) else { continue }
                (left, right) = (min(left, x), max(right, x + 1))
                (top, bottom) = (min(top, y), y + 1)
            }
        }
        guard left < right else { return PixelArea(left: 0, top: 0, width: 1, height: 1) }
        return PixelArea(left: left, top: top, width: right - left, height: bottom - top)
    }
}
