import ImageCore

/// How round each corner is, in pixels; 0 is square. Negative radii count as 0, and so does what is no number.
///
/// Where the radii of two corners don't fit beside each other, all are made smaller by the same factor, as CSS does it
/// (CSS Backgrounds and Borders 3, 5.5): a radius far too large gives half circles at the ends.
public struct CornerRadii: Hashable, Sendable {
    public let topLeft: Double
    public let topRight: Double
    public let bottomLeft: Double
    public let bottomRight: Double

    public init(topLeft: Double = 0, topRight: Double = 0, bottomLeft: Double = 0, bottomRight: Double = 0) {
        self.topLeft = Self.valid(topLeft)
        self.topRight = Self.valid(topRight)
        self.bottomLeft = Self.valid(bottomLeft)
        self.bottomRight = Self.valid(bottomRight)
    }

    /// The same for all.
    public init(_ radius: Double) {
        self.init(topLeft: radius, topRight: radius, bottomLeft: radius, bottomRight: radius)
    }

    /// As long as the longest side that there is; so that sums are finite.
    private static func valid(_ radius: Double) -> Double { radius > 0 ? min(radius, 1e9) : 0 }
}

extension CornerRadii: CustomStringConvertible {
    /// Exact, so that it can be part of a name.
    public var description: String {
        Set([topLeft, topRight, bottomLeft, bottomRight]).count == 1
            ? "\(topLeft)" : "\(topLeft) \(topRight) \(bottomRight) \(bottomLeft)"
    }
}

extension CornerRadii {
    /// Made smaller until they fit into an image of this size.
    func fitting(_ size: PixelSize) -> CornerRadii {
        let (width, height) = (Double(size.width), Double(size.height))
        let factor = [
            width / (topLeft + topRight), width / (bottomLeft + bottomRight), height / (topLeft + bottomLeft),
            height / (topRight + bottomRight), 1,
        ].reduce(1) { min($0, $1) }
        return map { $0 * factor }
    }

    /// Of a shape whose edges lie `distance` further in.
    func inset(by distance: Double) -> CornerRadii { map { $0 - distance } }

    private func map(_ change: (Double) -> Double) -> CornerRadii {
        CornerRadii(
            topLeft: change(topLeft), topRight: change(topRight), bottomLeft: change(bottomLeft),
            bottomRight: change(bottomRight))
    }
}

/// A line along the inner side of an image's edge.
public struct ImageBorder: Hashable, Sendable {
    public let color: PixelColor
    /// In pixels, fractions too. Negative counts as 0, and so does what is no number.
    public let width: Double

    public init(color: PixelColor, width: Double) {
        self.color = color
        self.width = width > 0 ? min(width, 1e9) : 0
    }
}

extension ImageBorder: CustomStringConvertible {
    public var description: String { "\(color) \(width)" }
}
