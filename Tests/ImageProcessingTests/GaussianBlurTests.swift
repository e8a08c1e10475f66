import Foundation
import ImageCore
import ImageProcessing
import ImageTesting
import Testing

@Suite("GaussianBlurProcessor")
struct GaussianBlurTests {
    static let sigmas = [0.3, 0.75, 1.5, 1.99, 2, 3.3, 12, 60, 200]

    @Test("each value is within one level of the exact Gaussian", arguments: sigmas, [true, false])
    func reference(_ sigma: Double, _ isOpaque: Bool) throws {
        for size in [
            PixelSize(width: 37, height: 29), PixelSize(width: 3, height: 120), PixelSize(width: 64, height: 1),
        ] {
            let image = TestImage.noise(size, isOpaque: isOpaque)
            let result = try GaussianBlurProcessor(sigma: sigma).process(image)
            #expect(TestImage.largestError(result.pixels, Self.blurred(image, sigma)) <= 1, "\(size)")
            #expect(result.size == size && result.isOpaque == isOpaque)
        }
    }

    @Test("blurs a hard edge to the integral of the Gaussian", arguments: [0.8, 2, 5, 40, 200])
    func edge(_ sigma: Double) throws {
        let width = 600
        let image = TestImage.opaque(PixelSize(width: width, height: 1)) { x, _ in x < width / 2 ? 0 : 255 }
        let result = try GaussianBlurProcessor(sigma: sigma).process(image)
        #expect(TestImage.largestError(result.pixels, Self.blurred(image, sigma)) <= 1)
    }

    @Test(
        "an invalid or zero sigma and an image of one pixel change nothing",
        arguments: [0, -1, Double.nan, -Double.infinity])
    func nothing(_ sigma: Double) throws {
        let image = TestImage.noise(PixelSize(width: 5, height: 4), isOpaque: false)
        #expect(try GaussianBlurProcessor(sigma: sigma).process(image) == image)
        let pixel = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [9, 8, 7, 200], isOpaque: false)
        #expect(try GaussianBlurProcessor(sigma: 7).process(pixel) == pixel)
    }

    @Test(
        "clamps sigma to 1,000, which blurs a small image to a single color", arguments: [1_000, 1e9, Double.infinity])
    func widest(_ sigma: Double) throws {
        #expect(GaussianBlurProcessor(sigma: sigma).identifier == "gaussianBlur(1000.0)")
        let image = TestImage.opaque(PixelSize(width: 40, height: 40)) { x, y in (x + y) % 2 == 0 ? 0 : 255 }
        let result = try GaussianBlurProcessor(sigma: sigma).process(image)
        #expect(result.pixels.enumerated().allSatisfy { $0.offset % 4 == 3 || (126...129).contains($0.element) })
    }

    @Test("the identifier contains sigma in full precision")
    func identifier() {
        #expect(GaussianBlurProcessor(sigma: 8).identifier == "gaussianBlur(8.0)")
        #expect(GaussianBlurProcessor(sigma: 0.1 + 0.2).identifier != GaussianBlurProcessor(sigma: 0.3).identifier)
    }

    /// Returns the exact result: sums over eight standard deviations in double precision, with repeated edges.
    static func blurred(_ image: Bitmap, _ sigma: Double) -> [UInt8] {
        let (width, height) = (image.size.width, image.size.height)
        let premultiplied = (0..<width * height).map { index -> SIMD4<Double> in
            let pixel = image.pixels[index * 4..<index * 4 + 4].map(Double.init)
            return SIMD4(pixel[0], pixel[1], pixel[2], 255) * pixel[3]
        }
        let rows = (0..<height).flatMap { y in
            filtered((0..<width).map { premultiplied[y * width + $0] }, sigma)
        }
        let columns = (0..<width).map { x in filtered((0..<height).map { rows[$0 * width + x] }, sigma) }
        return (0..<height).flatMap { y in (0..<width).flatMap { x in straight(columns[x][y]) } }
    }

    private static func filtered(_ line: [SIMD4<Double>], _ sigma: Double) -> [SIMD4<Double>] {
        let radius = Int(8 * sigma) + 1
        let weights = (0...radius).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        // tails[n] is the total weight of all samples at least n away, on one side.
        let tails = weights.reversed().reduce(into: [0.0]) { $0.append($0[$0.count - 1] + $1) }.reversed() as [Double]
        let total = 2 * tails[0] - weights[0]
        return line.indices.map { index in
            let last = line.count - 1
            var sum =
                line[0] * tails[min(radius + 1, index + 1)] + line[last] * tails[min(radius + 1, last - index + 1)]
            for other in line.indices where abs(other - index) <= radius {
                sum += line[other] * weights[abs(other - index)]
            }
            return sum / total
        }
    }

    private static func straight(_ pixel: SIMD4<Double>) -> [UInt8] {
        let alpha = pixel.w / 255
        if alpha < 0.5 { return [0, 0, 0, 0] }
        return [pixel.x / alpha, pixel.y / alpha, pixel.z / alpha, alpha].map { UInt8(min(255, $0.rounded())) }
    }
}

/// Creates and compares images.
enum TestImage {
    static func noise(_ size: PixelSize, isOpaque: Bool) -> Bitmap {
        var random = SeededRandom(seed: 7)
        let pixels = (0..<size.area * 4).map { index in
            isOpaque && index % 4 == 3 ? 255 : UInt8.random(in: 0...255, using: &random)
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: isOpaque)
    }

    /// Returns a gray image. `level` returns the brightness at a column and row.
    static func opaque(_ size: PixelSize, level: (Int, Int) -> UInt8) -> Bitmap {
        let pixels = (0..<size.area).flatMap { index -> [UInt8] in
            let value = level(index % size.width, index / size.width)
            return [value, value, value, 255]
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: true)
    }

    /// Returns an image of a single color.
    static func plain(_ size: PixelSize, _ pixel: [UInt8]) -> Bitmap {
        Bitmap(
            size: size, pixels: Array(repeatElement(pixel, count: size.area).joined()), isOpaque: pixel[3] == 255)
    }

    static func largestError(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard left.count == right.count else { return .max }
        return zip(left, right).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }
}
