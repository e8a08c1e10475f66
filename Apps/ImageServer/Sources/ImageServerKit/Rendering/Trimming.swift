import ImageCore
import ImageProcessing

/// Finds the area of an image without the border of one color around it.
struct Trimming {
    private let options: ProcessingOptions.Trim
    private let size: PixelSize
    private let pixels: [UInt8]
    private let border: SIMD4<Int>

    init(_ options: ProcessingOptions.Trim, _ bitmap: Bitmap) {
        self.options = options
        size = bitmap.size
        pixels = bitmap.pixels
        if let color = options.color?.values(in: bitmap.colorSpace) {
            border = SIMD4(Int(color.red), Int(color.green), Int(color.blue), 255)
        } else {
            border = Self.color(pixels, 0)
        }
    }

    /// The area in which pixels differ from the border; nil if there is none.
    ///
    /// The border has the color of the options, or that of the pixel at the top left.
    var area: RenderingPlan.Area? {
        let rows = (0..<size.height)
        guard let top = rows.first(where: { isInside(row: $0) }), let bottom = rows.last(where: { isInside(row: $0) })
        else { return nil }
        var (left, right) = (size.width, -1)
        for y in top...bottom {
            left = (0..<left).first { isInside($0, y) } ?? left
            right = (right + 1..<size.width).last { isInside($0, y) } ?? right
        }
        return equalized(left: left, top: top, right: size.width - 1 - right, bottom: size.height - 1 - bottom)
    }

    private func equalized(left: Int, top: Int, right: Int, bottom: Int) -> RenderingPlan.Area {
        let (left, right) = options.equalsHorizontally ? (min(left, right), min(left, right)) : (left, right)
        let (top, bottom) = options.equalsVertically ? (min(top, bottom), min(top, bottom)) : (top, bottom)
        return RenderingPlan.Area(
            x: left, y: top, size: PixelSize(width: size.width - left - right, height: size.height - top - bottom))
    }

    private func isInside(row y: Int) -> Bool { (0..<size.width).contains { isInside($0, y) } }

    private func isInside(_ x: Int, _ y: Int) -> Bool {
        let difference = Self.color(pixels, (y * size.width + x) * 4) &- border
        return max(abs(difference.x), abs(difference.y), abs(difference.z)) > options.threshold
    }

    /// Returns the pixel over magenta, a color that images rarely have, so that transparent pixels can be a border.
    private static func color(_ pixels: [UInt8], _ index: Int) -> SIMD4<Int> {
        let color = SIMD4(Int(pixels[index]), Int(pixels[index + 1]), Int(pixels[index + 2]), 255)
        let alpha = Int(pixels[index + 3])
        if alpha == 255 { return color }
        return (color &* alpha &+ SIMD4(255, 0, 255, 255) &* (255 - alpha) &+ 127) / 255
    }
}
