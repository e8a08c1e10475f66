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

/// A rectangle with rounded corners. Computes which fraction of each pixel it covers.
struct RoundedRectangle {
    private let left: Double
    private let right: Double
    private let top: Double
    private let bottom: Double
    private let radii: CornerRadii

    /// The number of scan lines in each row of pixels. The shape is exact along each of them.
    private static let linesPerRow = 16

    /// Creates a rectangle at a distance of `inset` from the edges of an image, which reduces `radii`. It is empty if the
    /// distance is too large.
    init(width: Int, height: Int, inset: Double = 0, radii: CornerRadii) {
        left = inset
        top = inset
        right = Double(width) - inset
        bottom = Double(height) - inset
        self.radii = inset == 0 ? radii : radii.inset(by: inset)
    }

    /// Adds the covered fraction of each pixel in row `y`, from 0 to 1, to `coverage`.
    func cover(row y: Int, into coverage: inout [Float]) {
        let (from, to) = (max(top, Double(y)), min(bottom, Double(y + 1)))
        guard from < to, left < right else { return }
        let lineCount = isStraight(from: from, to: to) ? 1 : Self.linesPerRow
        let share = (to - from) / Double(lineCount)
        for line in 0..<lineCount {
            let (start, end) = extent(at: from + (Double(line) + 0.5) * share)
            if start < end { Self.add(Float(share), from: start, to: end, into: &coverage) }
        }
    }

    /// Returns whether there is no arc of a corner between two heights.
    private func isStraight(from: Double, to: Double) -> Bool {
        from >= top + max(radii.topLeft, radii.topRight) && to <= bottom - max(radii.bottomLeft, radii.bottomRight)
    }

    /// Returns the horizontal extent of the shape at a height.
    private func extent(at y: Double) -> (start: Double, end: Double) {
        (
            left + inset(at: y, upper: radii.topLeft, lower: radii.bottomLeft),
            right - inset(at: y, upper: radii.topRight, lower: radii.bottomRight)
        )
    }

    /// Returns the distance between the side and the arcs of an upper and a lower corner at a height.
    private func inset(at y: Double, upper: Double, lower: Double) -> Double {
        let (fromTop, fromBottom) = (top + upper - y, y - (bottom - lower))
        return max(Self.arcInset(radius: upper, height: fromTop), Self.arcInset(radius: lower, height: fromBottom))
    }

    /// Returns the distance between the side and an arc, or 0 below the center of the arc.
    ///
    /// - Parameter height: The height above the center of the arc.
    private static func arcInset(radius: Double, height: Double) -> Double {
        guard height > 0 else { return 0 }
        return radius - max(0, radius * radius - height * height).squareRoot()
    }

    /// Adds a line segment from `start` to `end` with this weight to the pixels that it crosses.
    private static func add(_ weight: Float, from start: Double, to end: Double, into coverage: inout [Float]) {
        let first = Int(start)
        let last = min(coverage.count - 1, Int(end))
        if first == last {
            coverage[first] += weight * Float(end - start)
            return
        }
        coverage[first] += weight * Float(Double(first + 1) - start)
        for x in first + 1..<last { coverage[x] += weight }
        coverage[last] += weight * Float(end - Double(last))
    }
}

/// An image clipped to a rounded rectangle, with a border along its inner side.
///
/// Each pixel is a sum of image, border and nothing. Pixels completely inside the border keep their exact bytes.
struct ShapedImage {
    private let image: Bitmap
    private let outer: RoundedRectangle
    private let inner: RoundedRectangle
    private let borderColor: SIMD4<Float>

    /// - Parameter radii: The radii, which fit the image.
    init(_ image: Bitmap, radii: CornerRadii, border: ImageBorder?) {
        let (width, height) = (image.size.width, image.size.height)
        self.image = image.withoutHiddenAlpha
        outer = RoundedRectangle(width: width, height: height, radii: radii)
        inner = RoundedRectangle(width: width, height: height, inset: border?.width ?? 0, radii: radii)
        borderColor = border?.color.values(in: image.colorSpace).premultiplied ?? SIMD4()
    }

    var bitmap: Bitmap {
        let input = image.pixels
        var pixels = input
        let none = [Float](repeating: 0, count: image.size.width)
        for y in 0..<image.size.height {
            var (outside, inside) = (none, none)
            outer.cover(row: y, into: &outside)
            inner.cover(row: y, into: &inside)
            for x in 0..<image.size.width where inside[x] < 1 {
                let index = y * image.bytesPerRow + x * 4
                let pixel = SIMD4(premultiplying: input.span, at: index)
                let bordered = borderColor + pixel * (1 - borderColor.w)
                let sum = pixel * inside[x] + bordered * max(0, outside[x] - inside[x])
                sum.storeStraight(in: &pixels, at: index)
            }
        }
        return Bitmap(size: image.size, pixels: pixels, colorSpace: image.colorSpace)
    }
}
