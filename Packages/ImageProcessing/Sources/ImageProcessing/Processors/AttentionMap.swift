import ImageCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Finds the part of an image that attracts attention: with edges, skin and saturated colors.
///
/// The image is reduced to 32 × 32 cells. The score of a cell is the contrast of its luminance with that of its
/// neighbors, its likeness to skin, and its chroma, without what all cells have on average. The scores are blurred, by
/// more for a larger crop, and the crop is centered on the cells around the highest one. This is the idea of libvips'
/// `attention`.
struct AttentionMap {
    /// The number of columns and rows.
    private static let side = 32
    private let scores: [Double]

    /// Throws the errors of the resampler.
    init(_ bitmap: Bitmap) throws {
        let small = try ResizeProcessor(stretchingTo: PixelSize(width: Self.side, height: Self.side)).process(bitmap)
        let pixels = small.withoutHiddenAlpha.pixels
        let colors = (0..<Self.side * Self.side).map { index in
            let start = index * 4
            return Color(pixels[start], pixels[start + 1], pixels[start + 2], alpha: pixels[start + 3])
        }
        let all = colors.indices.map { Self.contrast(at: $0, colors) + colors[$0].interest }
        let average = all.reduce(0, +) / Double(all.count)
        scores = all.map { max(0, $0 - average) }
    }

    /// Returns the left and the top of a crop of an image.
    func origin(of crop: PixelSize, in image: PixelSize) -> (x: Int, y: Int) {
        let columns = Double(crop.width) / Double(image.width) * Double(Self.side)
        let rows = Double(crop.height) / Double(image.height) * Double(Self.side)
        let sigma = max(1, (columns * columns + rows * rows).squareRoot() / 10)
        let blurred = Self.blurred(Self.blurred(scores, sigma), sigma)
        let center = center(around: blurred.indices.max { blurred[$0] < blurred[$1] } ?? 0)
        func start(_ cell: Double, _ side: Int, _ whole: Int) -> Int {
            let middle = (cell + 0.5) / Double(Self.side) * Double(whole)
            return min(max(0, Int((middle - Double(side) / 2).rounded())), max(0, whole - side))
        }
        return (start(center.x, crop.width, image.width), start(center.y, crop.height, image.height))
    }

    /// Returns the center of gravity of the scores around a cell.
    private func center(around cell: Int) -> (x: Double, y: Double) {
        let (column, row) = (cell % Self.side, cell / Self.side)
        var (x, y, total) = (0.0, 0.0, 0.0)
        for other in scores.indices where abs(other % Self.side - column) <= 2 && abs(other / Self.side - row) <= 2 {
            x += scores[other] * Double(other % Self.side)
            y += scores[other] * Double(other / Self.side)
            total += scores[other]
        }
        return total > 0 ? (x / total, y / total) : (Double(column), Double(row))
    }

    /// Five times the absolute Laplacian of the luminance.
    private static func contrast(at index: Int, _ colors: [Color]) -> Double {
        let (x, y) = (index % side, index / side)
        func luminance(_ x: Int, _ y: Int) -> Double {
            colors[min(max(0, y), side - 1) * side + min(max(0, x), side - 1)].y
        }
        let neighbors = luminance(x - 1, y) + luminance(x + 1, y) + luminance(x, y - 1) + luminance(x, y + 1)
        return abs(4 * luminance(x, y) - neighbors) * 5
    }

    /// Returns the cells blurred along their rows, with rows and columns swapped.
    private static func blurred(_ cells: [Double], _ sigma: Double) -> [Double] {
        let weights = (-side...side).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        var result = cells
        for y in 0..<side {
            for x in 0..<side {
                let sum = (-side...side).reduce(0.0) { sum, distance in
                    sum + weights[distance + side] * cells[y * side + min(max(0, x + distance), side - 1)]
                }
                result[x * side + y] = sum
            }
        }
        return result
    }

    /// A color in CIE XYZ, from 0 to 100. Transparent pixels are black.
    private struct Color {
        let x, y, z: Double

        init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, alpha: UInt8) {
            let opacity = Double(alpha) / 255 * 100
            let (red, green, blue) = (Self.linear(red), Self.linear(green), Self.linear(blue))
            x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) * opacity
            y = (0.2126 * red + 0.7152 * green + 0.0722 * blue) * opacity
            z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) * opacity
        }

        private static func linear(_ level: UInt8) -> Double { TransferFunction.sRGB.light(of: Double(level) / 255) }

        /// The likeness to skin plus the chroma. Nearly black cells have none.
        var interest: Double { y > 5 ? skin + chroma : 0 }

        /// 100 for the hue of skin, less for others.
        private var skin: Double {
            let length = max((x * x + y * y + z * z).squareRoot(), 1e-9)
            let (dx, dy, dz) = (x / length - 0.78, y / length - 0.57, z / length - 0.44)
            return 100 - 100 * (dx * dx + dy * dy + dz * dz).squareRoot()
        }

        /// The chroma in CIELAB.
        private var chroma: Double {
            func f(_ t: Double) -> Double { t > 0.008856 ? cbrt(t) : 7.787 * t + 16 / 116 }
            let (fx, fy, fz) = (f(x / 95.047), f(y / 100), f(z / 108.883))
            let (a, b) = (500 * (fx - fy), 200 * (fy - fz))
            return (a * a + b * b).squareRoot()
        }
    }
}
