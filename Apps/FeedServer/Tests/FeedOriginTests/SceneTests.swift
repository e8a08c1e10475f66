import ImageCore
import Testing

@testable import FeedOrigin

@Suite("Scenes")
struct SceneTests {
    private let small = PixelSize(width: 48, height: 32)

    private func draw(_ id: Int, _ size: PixelSize, alpha: Bool = false, phase: Float? = nil) -> Bitmap {
        SceneRenderer(id: id, hasAlpha: alpha).bitmap(size: size, phase: phase)
    }

    /// Returns the mean absolute difference of the bytes of two images.
    private func difference(_ first: [UInt8], _ second: [UInt8]) -> Double {
        Double(zip(first, second).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(first.count)
    }

    @Test("the same id and size always have the same pixels", arguments: 0..<10)
    func deterministic(id: Int) {
        #expect(draw(id, small) == draw(id, small))
    }

    @Test("consecutive photos differ visibly and have different motifs")
    func different() {
        let images = (1...21).map { draw($0, small).pixels }
        for (first, second) in zip(images, images.dropFirst()) { #expect(difference(first, second) > 8) }
        let motifs = (1...200).map { Composition(id: $0).motif }
        #expect(zip(motifs, motifs.dropFirst()).allSatisfy { $0 != $1 })
        #expect(Set(motifs).count == Composition.Motif.allCases.count)
    }

    @Test("two sizes show the same scene", arguments: 0..<10)
    func resolutionIndependent(id: Int) {
        let large = draw(id, PixelSize(width: 144, height: 96))
        #expect(difference(reduced(large, by: 3), draw(id, small).pixels) < 14)
    }

    @Test("images are neither flat nor noise: adjacent pixels are similar, and distant ones are not", arguments: 0..<10)
    func photographic(id: Int) {
        let pixels = draw(id, PixelSize(width: 96, height: 64)).pixels
        let next = difference(Array(pixels.dropLast(4)), Array(pixels.dropFirst(4)))
        let half = pixels.count / 2
        #expect(next > 0.5 && next < 25)
        #expect(difference(Array(pixels[..<half]), Array(pixels[half...])) > next)
    }

    @Test("an image with alpha has transparent corners, an opaque center and a soft edge", arguments: 0..<8)
    func alpha(id: Int) {
        let image = draw(id, small, alpha: true)
        let alphas = stride(from: 3, to: image.pixels.count, by: 4).map { image.pixels[$0] }
        #expect(!image.isOpaque)
        #expect(alphas[0] < 40)
        #expect(alphas[16 * 48 + 24] == 255)
        #expect(alphas.contains { $0 > 60 && $0 < 200 })
    }

    @Test("an image without alpha is opaque") func opaque() {
        let image = draw(3, small)
        #expect(image.isOpaque)
        #expect(stride(from: 3, to: image.pixels.count, by: 4).allSatisfy { image.pixels[$0] == 255 })
    }

    @Test("animations move, and their end matches their start", arguments: 0..<10)
    func animation(id: Int) {
        let start = draw(id, small, phase: 0).pixels
        let quarter = draw(id, small, phase: 0.25).pixels
        #expect(difference(start, quarter) > 2)
        #expect(difference(draw(id, small, phase: 0.999).pixels, start) < difference(start, quarter))
    }

    @Test(
        "any size and id can be drawn",
        arguments: [
            (0, 1, 1), (7, 1, 300), (3, 300, 1), (11, 17, 5), (Int.max, 8, 8), (-5, 8, 8), (8, 2, 64), (4, 64, 2),
        ])
    func extremes(id: Int, width: Int, height: Int) {
        let size = PixelSize(width: width, height: height)
        #expect(draw(id, size, alpha: true, phase: 0.3).size == size)
    }

    /// Returns the bytes of a smaller image, whose pixels are the means of squares of pixels.
    private func reduced(_ bitmap: Bitmap, by factor: Int) -> [UInt8] {
        let (width, height) = (bitmap.size.width / factor, bitmap.size.height / factor)
        return (0..<width * height * 4).map { index in
            let corner = index / 4 / width * factor * bitmap.size.width + index / 4 % width * factor
            let sum = (0..<factor * factor).reduce(0) { sum, offset in
                let pixel = corner + offset / factor * bitmap.size.width + offset % factor
                return sum + Int(bitmap.pixels[pixel * 4 + index % 4])
            }
            return UInt8(sum / (factor * factor))
        }
    }
}
