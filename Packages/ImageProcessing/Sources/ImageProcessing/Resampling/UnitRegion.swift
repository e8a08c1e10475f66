package import ImageCore

/// A rectangle of an image of any size, as fractions of its sides.
public struct UnitRegion: Hashable, Sendable {
    /// The left edge, from 0 to 1.
    public var x: Double
    /// The top edge, from 0 to 1.
    public var y: Double
    /// The width, up to 1.
    public var width: Double
    /// The height, up to 1.
    public var height: Double

    /// Creates a rectangle, which isn't checked.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Creates the fractions of a part in pixels.
    package init(_ part: PixelRegion, of image: PixelSize) {
        let (width, height) = (Double(image.width), Double(image.height))
        self.init(
            x: part.x / width, y: part.y / height, width: part.width / width, height: part.height / height)
    }

    /// The whole image.
    public static let whole = UnitRegion(x: 0, y: 0, width: 1, height: 1)

    /// Returns the part of an image that is inside of it, and at least a pixel. Numbers that are none count as 0.
    func pixels(of image: PixelSize) -> PixelRegion {
        func side(_ start: Double, _ length: Double, _ count: Int) -> (start: Double, length: Double) {
            func inside(_ value: Double) -> Double { value > 0 ? min(value, 1) * Double(count) : 0 }
            let first = min(inside(start), Double(count - 1))
            return (first, max(1, inside(start + length) - first))
        }
        let (column, row) = (side(x, width, image.width), side(y, height, image.height))
        return PixelRegion(x: column.start, y: row.start, width: column.length, height: row.length)
    }
}
