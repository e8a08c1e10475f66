import ImageCore

/// The radii of the corners in pixels. 0 is a square corner. Negative radii and NaN count as 0.
///
/// If the radii of two adjacent corners exceed a side, all radii are scaled by the same factor, as in CSS
/// (CSS Backgrounds and Borders 3, 5.5). A very large radius results in semicircles at the ends.
public struct CornerRadii: Hashable, Sendable {
    let topLeft: Double
    let topRight: Double
    let bottomLeft: Double
    let bottomRight: Double

    /// Creates radii, which are 0 by default.
    public init(topLeft: Double = 0, topRight: Double = 0, bottomLeft: Double = 0, bottomRight: Double = 0) {
        self.topLeft = Self.valid(topLeft)
        self.topRight = Self.valid(topRight)
        self.bottomLeft = Self.valid(bottomLeft)
        self.bottomRight = Self.valid(bottomRight)
    }

    /// Creates radii with the same value for all corners.
    public init(_ radius: Double) {
        self.init(topLeft: radius, topRight: radius, bottomLeft: radius, bottomRight: radius)
    }

    /// Clamps a radius to a finite range that is larger than any image.
    private static func valid(_ radius: Double) -> Double { radius > 0 ? min(radius, 1e9) : 0 }
}

extension CornerRadii {
    /// The radii in full precision, as part of an identifier.
    var text: String {
        Set([topLeft, topRight, bottomLeft, bottomRight]).count == 1
            ? "\(topLeft)" : "\(topLeft) \(topRight) \(bottomRight) \(bottomLeft)"
    }

    /// Returns radii that are scaled down to fit an image of this size.
    func fitting(_ size: PixelSize) -> CornerRadii {
        let (width, height) = (Double(size.width), Double(size.height))
        let factor = [
            width / (topLeft + topRight), width / (bottomLeft + bottomRight), height / (topLeft + bottomLeft),
            height / (topRight + bottomRight), 1,
        ].reduce(1) { min($0, $1) }
        return map { $0 * factor }
    }

    /// Returns the radii of a shape whose edges are `distance` further inside.
    func inset(by distance: Double) -> CornerRadii { map { $0 - distance } }

    private func map(_ change: (Double) -> Double) -> CornerRadii {
        CornerRadii(
            topLeft: change(topLeft), topRight: change(topRight), bottomLeft: change(bottomLeft),
            bottomRight: change(bottomRight))
    }
}

/// The color and width of a border, which a processor draws inside the edges of an image.
///
/// Pass it to `RoundedCornersProcessor` or `CircleProcessor`. The border follows the corners and covers the outermost
/// pixels. It doesn't change the size of the image.
///
/// The width is in pixels of the image. For a width in points, multiply it by the scale of the display, and decode the
/// image to the size of its view in pixels. If the view scales the image, it also scales the border.
///
/// ```swift
/// let border = ImageBorder(color: .white, width: 2 * displayScale)  // 2 points
/// let request = ImageRequest(url: url, target: .fill(pixelSize), processors: [.circle(border: border)])
/// ```
public struct ImageBorder: Hashable, Sendable {
    let color: PixelColor
    let width: Double

    /// Creates a border.
    ///
    /// - Parameters:
    ///   - color: The color. The image shows through a translucent color.
    ///   - width: The width in pixels of the image, which can be a fraction. Negative widths and NaN count as 0. A
    ///     width of half the shorter side or more covers the whole image.
    public init(color: PixelColor, width: Double) {
        self.color = color
        self.width = width > 0 ? min(width, 1e9) : 0
    }

    /// The color and the width in full precision, as part of an identifier.
    var text: String { "\(color.text) \(width)" }
}
