public import ImageCore

/// Cuts off the border of one color around an image.
public struct TrimProcessor: ImageProcessor {
    /// Edges of which as much is cut off at one as at the other.
    public struct Edges: OptionSet, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The left and the right edge.
        public static let horizontal = Edges(rawValue: 1)
        /// The top and the bottom edge.
        public static let vertical = Edges(rawValue: 2)
    }

    private let color: PixelColor?
    private let threshold: Int
    private let equalEdges: Edges

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - color: The color of the border. Nil for that of the pixel at the top left.
    ///   - threshold: The most by which a channel of the border differs from the color, from 0 to 255.
    ///   - equalEdges: Edges of which as much is cut off at one as at the other, so that the image stays centered.
    public init(color: PixelColor? = nil, threshold: Int = 10, equalEdges: Edges = []) {
        self.color = color
        self.threshold = threshold
        self.equalEdges = equalEdges
    }

    public var identifier: String { "trim(\(color?.text ?? ""),\(threshold),\(equalEdges.rawValue))" }

    /// Returns the part of the image inside of the border: all of it if it is nothing but border.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        guard bitmap.size.area > 0 else { return bitmap }
        let search = BorderSearch(bitmap, color, threshold: threshold)
        guard let inside = search.inside else { return bitmap }
        var (left, right) = (inside.columns.lowerBound, bitmap.size.width - inside.columns.upperBound)
        var (top, bottom) = (inside.rows.lowerBound, bitmap.size.height - inside.rows.upperBound)
        if equalEdges.contains(.horizontal) { (left, right) = (min(left, right), min(left, right)) }
        if equalEdges.contains(.vertical) { (top, bottom) = (min(top, bottom), min(top, bottom)) }
        let size = PixelSize(
            width: bitmap.size.width - left - right, height: bitmap.size.height - top - bottom)
        return size == bitmap.size
            ? bitmap : try CropProcessor(PixelArea(left: left, top: top, size: size)).process(bitmap)
    }
}

/// Looks for the pixels that differ from a border.
private struct BorderSearch {
    private let size: PixelSize
    private let pixels: [UInt8]
    private let border: SIMD4<Int>
    private let threshold: Int

    init(_ bitmap: Bitmap, _ color: PixelColor?, threshold: Int) {
        size = bitmap.size
        pixels = bitmap.withoutHiddenAlpha.pixels
        self.threshold = threshold
        if let color = color?.values(in: bitmap.colorSpace) {
            border = SIMD4(Int(color.red), Int(color.green), Int(color.blue), 255)
        } else {
            border = Self.color(pixels, 0)
        }
    }

    /// The columns and rows inside of the border; nil if all is border.
    var inside: (columns: Range<Int>, rows: Range<Int>)? {
        let rows = 0..<size.height
        guard let top = rows.first(where: { isInside(row: $0) }), let bottom = rows.last(where: { isInside(row: $0) })
        else { return nil }
        var (left, right) = (size.width, -1)
        for y in top...bottom {
            left = (0..<left).first { isInside($0, y) } ?? left
            right = (right + 1..<size.width).last { isInside($0, y) } ?? right
        }
        return (left..<right + 1, top..<bottom + 1)
    }

    private func isInside(row y: Int) -> Bool { (0..<size.width).contains { isInside($0, y) } }

    private func isInside(_ x: Int, _ y: Int) -> Bool {
        let difference = Self.color(pixels, (y * size.width + x) * 4) &- border
        return max(abs(difference.x), abs(difference.y), abs(difference.z)) > threshold
    }

    /// Returns the pixel over magenta, a color that images rarely have, so that transparent pixels can be a border.
    private static func color(_ pixels: [UInt8], _ index: Int) -> SIMD4<Int> {
        let color = SIMD4(Int(pixels[index]), Int(pixels[index + 1]), Int(pixels[index + 2]), 255)
        let alpha = Int(pixels[index + 3])
        if alpha == 255 { return color }
        return (color &* alpha &+ SIMD4(255, 0, 255, 255) &* (255 - alpha) &+ 127) / 255
    }
}
