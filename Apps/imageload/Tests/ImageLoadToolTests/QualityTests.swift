import Foundation
import ImageCore
import Testing

@testable import ImageLoadTool

@Suite("Quality by similarity")
struct QualityTests {
    /// A codec whose similarity grows with the quality.
    private func search(target: Double, _ ssim: @escaping (Int) -> Double) -> (quality: Int, encodes: Int) {
        let found = QualitySearch(target: target, tolerance: -1).run { quality in
            QualitySearch.Trial(quality: quality, file: (), ssim: ssim(quality))
        }
        return (found.best.quality, found.encodes)
    }

    @Test("finds the lowest quality that reaches the target with at most 8 encodes", arguments: 1...100)
    func everyQuality(lowest: Int) {
        let curves: [(Int) -> Double] = [
            { Double($0) / 200 }, { 1 - 0.5 / Double($0) }, { $0 >= lowest ? 0.99 : 0.1 },
            { 1 - exp(-Double($0) / 20) },
        ]
        for curve in curves {
            let found = search(target: curve(lowest), curve)
            #expect(found.quality == lowest && found.encodes <= 8)
        }
    }

    @Test("takes the highest quality if none reaches the target")
    func unreachable() {
        #expect(search(target: 0.999) { Double($0) / 200 }.quality == 100)
    }

    @Test("a result just above the target ends the search")
    func tolerance() {
        let found = QualitySearch(target: 0.9, tolerance: 0.05).run { quality in
            QualitySearch.Trial(quality: quality, file: (), ssim: 0.16 + Double(quality) / 100)
        }
        #expect(found.encodes == 1 && found.best.quality == 75)
    }

    /// The expected values are those of scikit-image 0.26: `structural_similarity(a, b, data_range=255,
    /// gaussian_weights=True, sigma=1.5, use_sample_covariance=False)` on the luma of these images.
    @Test(
        "the structural similarity equals that of scikit-image",
        arguments: [
            (PixelSize(width: 64, height: 48), 2, 0.97073463), (PixelSize(width: 64, height: 48), 8, 0.69301766),
            (PixelSize(width: 33, height: 57), 5, 0.85686113), (PixelSize(width: 11, height: 11), 8, 0.62317727),
            (PixelSize(width: 200, height: 20), 3, 0.93832912),
        ])
    func similarity(size: PixelSize, noise: Int, expected: Double) {
        let first = Self.pattern(size, noise: 0)
        let second = Self.pattern(size, noise: noise)
        #expect(abs(Similarity.ssim(first, second) - expected) < 0.00001)
        #expect(Similarity.ssim(first, first) == 1)
    }

    /// Gray stripes and a gradient, with a repeated disturbance.
    private static func pattern(_ size: PixelSize, noise: Int) -> Bitmap {
        var pixels: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let value = (x * 5 + y * 3) % 200 + 20 + noise * ((x * 7 + y * 13) % 5 - 2)
                pixels += [UInt8(value), UInt8(value), UInt8(value), 255]
            }
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: true)
    }

    @Test("differences under alpha count, over white and over black")
    func alpha() {
        let size = PixelSize(width: 16, height: 16)
        func image(_ alpha: (Int) -> UInt8) -> Bitmap {
            Bitmap(
                size: size, pixels: (0..<256).flatMap { [255, 255, 255, alpha($0)] as [UInt8] }, isOpaque: false)
        }
        #expect(Similarity.ssim(image { _ in 128 }, image { $0 % 2 == 0 ? 0 : 255 }) < 0.5)
    }
}
