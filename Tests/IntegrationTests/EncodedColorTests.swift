import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import Testing

extension [any ImageEncoder] {
    fileprivate static var describingColor: [any ImageEncoder] { all.filter { $0.format != .gif } }
}

private let decoder = DownsamplingDecoder.standard(.all)

/// Gradients between saturated colors.
private func gradients(in space: ColorSpace, shift: Int = 0, isOpaque: Bool = true) -> Bitmap {
    let size = PixelSize(width: 48, height: 40)
    let pixels = (0..<size.area).flatMap { index -> [UInt8] in
        let (x, y) = (index % size.width, index / size.width)
        return [
            UInt8(255 - y * 6), UInt8((x + shift) * 5), UInt8(y * 3), isOpaque || x > 20 ? 255 : UInt8(x * 12),
        ]
    }
    return Bitmap(size: size, pixels: pixels, isOpaque: isOpaque, colorSpace: space)
}

private func decode(_ file: Data, to color: OutputColor) throws -> Bitmap {
    try decoder.decode(file, request: DecodingRequest(color: color)).bitmap
}

/// The mean difference of visible pixels, in levels.
private func difference(_ bitmap: Bitmap, _ other: Bitmap) -> Double {
    let (pixels, others) = (bitmap.pixels, other.pixels)
    guard bitmap.size == other.size else { return 255 }
    let visible = pixels.indices.filter { pixels[$0 | 3] == 255 }
    return Double(visible.reduce(0) { $0 + abs(Int(pixels[$1]) - Int(others[$1])) }) / Double(visible.count)
}

@Suite("Color space of encoded images")
struct EncodedColorTests {
    @Test(
        "an image in Display P3 opens in Display P3, and in sRGB with converted colors",
        arguments: [any ImageEncoder].describingColor.map(\.format), [false, true])
    func still(_ format: ImageFormat, isLossless: Bool) throws {
        let encoder = try #require([any ImageEncoder].all.encoder(for: format))
        for isOpaque in [true, false] where isOpaque || encoder.keepsAlpha {
            let source = gradients(in: .displayP3, isOpaque: isOpaque)
            let file = try encoder.encode(source, options: EncodingOptions(quality: 0.95, isLossless: isLossless))
            let opened = try decode(file, to: .automatic)
            #expect(opened.colorSpace == .displayP3)
            #expect(difference(source, opened) < 2)
            let converted = try decode(file, to: .sRGB)
            #expect(converted.colorSpace == .sRGB)
            #expect(difference(source.converted(to: .sRGB), converted) < 2)
        }
    }

    @Test("an image in sRGB gets no profile", arguments: [any ImageEncoder].all.map(\.format))
    func sRGB(_ format: ImageFormat) throws {
        let encoder = try #require([any ImageEncoder].all.encoder(for: format))
        let file = try encoder.encode(gradients(in: .sRGB), options: EncodingOptions(isLossless: true))
        #expect(try decoder.header(of: file).color == .sRGB)
        #expect(try decode(file, to: .automatic).colorSpace == .sRGB)
    }

    @Test("an animation in Display P3 opens in Display P3", arguments: [any ImageEncoder].describingColor.map(\.format))
    func animated(_ format: ImageFormat) throws {
        let encoder = try #require([any ImageEncoder].all.encoder(for: format))
        let bitmaps = [gradients(in: .displayP3), gradients(in: .displayP3, shift: 3), gradients(in: .sRGB)]
        let frames = bitmaps.map { AnimationFrame(bitmap: $0, delay: .milliseconds(50)) }
        let file: Data
        do throws(ImageEncodingError) {
            file = try encoder.encode(frames, loopCount: 0, options: EncodingOptions(quality: 0.95, isLossless: true))
        } catch {
            #expect(error == .animationUnsupported(format))
            return
        }
        let reader = try decoder.makeFrameReader(of: file, request: DecodingRequest(color: .automatic))
        for (index, bitmap) in bitmaps.enumerated() {
            let frame = try reader.frame(at: index)
            #expect(frame.colorSpace == .displayP3)
            #expect(difference(bitmap.converted(to: .displayP3), frame) < 2)
        }
    }

    @Test("GIF is in sRGB: an image in Display P3 is converted")
    func gif() throws {
        let source = gradients(in: .displayP3)
        let encoder = try #require([any ImageEncoder].standard.encoder(for: .gif))
        let file = try encoder.encode(source, options: EncodingOptions())
        #expect(try difference(source.converted(to: .sRGB), decode(file, to: .automatic)) < 6)
    }

    @Test(
        "an image in Display P3 that the disk cache stores in another format opens in Display P3",
        arguments: [any ImageEncoder].describingColor.map(\.format).filter { $0 != .png })
    func reencoded(_ format: ImageFormat) throws {
        let png = try #require([any ImageEncoder].standard.encoder(for: .png))
        let source = gradients(in: .displayP3)
        let encoder = try #require([any ImageEncoder].all.encoder(for: format))
        let entry = DataCacheEntry(
            data: try png.encode(source, options: EncodingOptions()) + Data(count: 100_000),
            creationDate: Date(timeIntervalSinceReferenceDate: 0))
        let stored = try ReencodingTransform(decoder: decoder) { _ in encoder }
            .stored(entry, for: DataCacheKey(identifier: "https://images.test/1"))
        #expect(try decoder.header(of: stored.data).format == format)
        let opened = try decode(stored.data, to: .automatic)
        #expect(opened.colorSpace == .displayP3)
        #expect(difference(source, opened) < 6)
    }

    @Test("the profile of Display P3 is compact")
    func profile() throws {
        #expect(try #require(ColorSpace.displayP3.profile).count < 500)
        #expect(ColorSpace.sRGB.profile == nil)
    }
}
