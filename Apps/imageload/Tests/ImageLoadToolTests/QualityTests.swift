import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
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

    /// A white image with stripes in a corner.
    private static func page(side: Int = 200, _ color: (Int) -> [UInt8]) -> Bitmap {
        let pixels = (0..<side * side).flatMap { index in
            index % side < 24 && index / side < 24 ? color(index) + [255] : [255, 255, 255, 255] as [UInt8]
        }
        return Bitmap(size: PixelSize(width: side, height: side), pixels: pixels, isOpaque: true)
    }

    @Test("flat parts don't hide small ones that are damaged, nor luma colors")
    func worstParts() {
        let text = Self.page { $0 % 4 < 2 ? [40, 40, 40] : [220, 220, 220] }
        let blurred = Self.page { $0 % 4 < 2 ? [90, 90, 90] : [170, 170, 170] }
        #expect(Similarity.ssim(text, blurred) > 0.99 && Similarity.ofWorstParts(text, blurred) < 0.95)
        // Both colors have the same luma.
        let colored = Self.page { $0 % 8 < 4 ? [255, 0, 0] : [0, 130, 0] }
        let gray = Self.page { _ in [76, 76, 76] }
        #expect(Similarity.ssim(colored, gray) > 0.99 && Similarity.ofWorstParts(colored, gray) < 0.95)
        #expect(Similarity.ofWorstParts(text, text) == 1)
    }

    private func converted(_ frames: [Bitmap], target: Double, to format: OutputFormat) throws -> ConvertedImage {
        let animation = frames.map { AnimationFrame(bitmap: $0, delay: .milliseconds(100)) }
        let lossless = EncodingOptions(isLossless: true)
        let source = try #require([any ImageEncoder].standard.encoder(for: .webP)).encode(
            animation, loopCount: 0, options: lossless)
        return try ImageConverter(ConversionSettings(format: format, quality: .automatic(target))).convert(source)
    }

    @Test("all frames of an animation count, whichever has most details")
    func frames() throws {
        let noise = { (seed: Int) in
            Self.page(side: 64) { index in
                let value = UInt8(truncatingIfNeeded: (index + seed) &* 2_654_435_761 >> 7)
                return [value, value / 2, 255 - value]
            }
        }
        let frames = [Self.page(side: 64) { _ in [255, 255, 255] }, noise(1), noise(77), noise(5)]
        let result = try converted(frames, target: 0.98, to: .webp)
        let reader = try DownsamplingDecoder.standard().makeFrameReader(of: result.data)
        #expect(reader.header.frameCount == 4)
        for (index, frame) in frames.enumerated() {
            #expect(Similarity.ofWorstParts(frame, try reader.frame(at: index)) >= 0.98)
        }
    }

    @Test("a search that ends at the lowest quality says so")
    func floor() throws {
        let noisy = Self.pattern(PixelSize(width: 64, height: 48), noise: 3)
        let result = try converted([noisy], target: 0.1, to: .jpeg)
        #expect(result.quality == 40 && result.notes == ["40 is the lowest quality that auto chooses"])
    }

    @Test("a drawing without many details is written without loss where that is smaller")
    func lossless() throws {
        let drawing = Self.page { $0 % 200 < 12 ? [200, 0, 0] : [0, 0, 200] }
        let result = try converted([drawing], target: 0.97, to: .webp)
        #expect(result.quality == nil && result.ssim == 1 && result.notes.isEmpty)
        let decoded = try DownsamplingDecoder.standard().decode(result.data)
        #expect(decoded.bitmap.pixels == drawing.pixels)
    }
}
