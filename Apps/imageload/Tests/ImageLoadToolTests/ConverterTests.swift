import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageMetadata
import Testing

@testable import ImageLoadTool

/// Converts images in memory.
@Suite("Conversion of images")
struct ConverterTests {
    private func encoded(_ frames: Bitmap..., to format: ImageFormat = .png) throws -> Data {
        let encoder = try #require([any ImageEncoder].standard.encoder(for: format))
        let animation = frames.map { AnimationFrame(bitmap: $0, delay: .milliseconds(100)) }
        return try encoder.encode(animation, loopCount: 0, options: EncodingOptions(isLossless: true))
    }

    private func bitmap(_ width: Int, _ height: Int, _ color: (_ x: Int, _ y: Int) -> [UInt8]) -> Bitmap {
        let pixels = (0..<height).flatMap { y in (0..<width).flatMap { x in color(x, y) } }
        return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: true)
    }

    private var noise: Bitmap {
        bitmap(64, 64) { x, y in
            let index = 64 * y + x
            let value = UInt8(truncatingIfNeeded: (index &* index &* 2_654_435_761) >> 13)
            return [value, value / 2, 255 - value, 255]
        }
    }

    private func decoded(_ file: Data, frame: Int = 0) throws -> Bitmap {
        try DownsamplingDecoder(decoders: .standard).makeFrameReader(of: file).frame(at: frame)
    }

    @Test("every setting that changes a file is in the text by which an older result is known")
    func text() {
        let changes: [(inout ConversionSettings) -> Void] = [
            { $0.format = .gif }, { $0.size = .scale(2) }, { $0.mode = .fill }, { $0.upscales = true },
            { $0.usesLinearLight = true }, { $0.crop = .attention }, { $0.gravity = .north },
            { $0.background = .black }, { $0.quality = .fixed(3) }, { $0.bounds.minQuality = 2 },
            { $0.bounds.maxQuality = 2 }, { $0.bounds.maxBytes = 2 }, { $0.bounds.effort = 2 },
            { $0.isLossless = true }, { $0.isProgressive = true }, { $0.kept = [.exif] },
            { $0.color = .displayP3 },
        ]
        let texts = changes.map { change in
            var settings = ConversionSettings()
            change(&settings)
            return settings.text
        }
        #expect(Set(texts + [ConversionSettings().text]).count == changes.count + 1)
    }

    @Test(
        "the size of a result is known before it is made",
        arguments: [
            ("10x8+35+5", nil, "5x8"), ("20x20", nil, "20x20"), ("20x20", "10", "10x10"),
            ("attention", "20x10", "20x10"),
        ])
    func outputSize(crop: String, size: String?, expected: String) {
        var settings = ConversionSettings()
        settings.crop = CropArea(argument: crop)
        settings.size = size.flatMap(OutputSize.init)
        #expect("\(ImageConverter(settings).outputSize(for: PixelSize(width: 40, height: 30)))" == expected)
    }

    @Test("losses that no option asks for are noted")
    func notes() {
        let notes = ImageConverter.notes(on: ConversionLoss.allCases)
        #expect(
            notes == [
                "the gain map for HDR displays is left out", "the depth map is left out",
                "colors outside of sRGB are left out: --color auto keeps them",
                "HDR is converted to the brightness of ordinary displays",
                "samples of more than 8 bits are rounded to 8",
                "content credentials are left out, because they are for other bytes",
            ])
    }

    @Test("an image with alpha that is opaque everywhere loses nothing in JPEG")
    func opaqueAlpha() throws {
        var source = TestImage.gradient.bitmap()
        source = Bitmap(size: source.size, pixels: source.pixels, isOpaque: false)
        let converter = ImageConverter(ConversionSettings(format: .jpeg))
        let file = try encoded(source)
        #expect(try converter.header(of: file).hasAlpha)
        #expect(try converter.convert(file).losses.isEmpty)
    }

    @Test("all frames of an animation are cut where the first one attracts attention")
    func attentionOfFrames() throws {
        func frame(_ columns: Range<Int>) -> Bitmap {
            bitmap(120, 40) { x, _ in columns.contains(x) ? [220, 30, 40, 255] : [128, 128, 128, 255] }
        }
        let source = try encoded(frame(100..<120), frame(0..<20))
        let settings = ConversionSettings(
            format: .png, size: .pixels(PixelSize(width: 20, height: 20)), crop: .attention)
        let result = try ImageConverter(settings).convert(source).data
        #expect(try decoded(result).pixels[19 * 4] > 200)
        #expect(try !decoded(result, frame: 1).pixels.contains(220))
    }

    @Test("the frames of a result are within the memory limit together")
    func frameMemory() throws {
        func frame(_ level: UInt8) -> Bitmap { bitmap(64, 64) { _, _ in [level, level, level, 255] } }
        let source = try encoded(frame(1), frame(2), frame(3), frame(4))
        var settings = ConversionSettings(format: .gif)
        settings.limits.decodedByteLimit = 4 * 64 * 64 * 4
        #expect(try ImageConverter(settings).convert(source).frames == 4)
        settings.limits.decodedByteLimit -= 1
        #expect(throws: TooLargeAtThisSize.self) { try ImageConverter(settings).convert(source) }
    }

    @Test("a profile for gray is not kept, which is noted")
    func grayProfile() throws {
        let profile = Data(count: 16) + Data("GRAY".utf8) + Data(count: 180)
        let source = try EmbeddedMetadata(icc: profile).embedded(
            in: encoded(TestImage.gradient.bitmap(), to: .jpeg))
        let result = try ImageConverter(ConversionSettings(format: .jpeg, kept: [.icc])).convert(source)
        #expect(result.notes == ["a profile that isn't for RGB can't be kept: converted to sRGB"])
        #expect(EmbeddedMetadata(of: result.data).icc == nil)
    }

    @Test("--linear averages light, also before a part is cut out", arguments: [Gravity.center, .north])
    func linear(gravity: Gravity) throws {
        let source = try encoded(
            bitmap(64, 64) { x, y in (x + y) % 2 == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255] })
        for (isLinear, expected) in [(true, 188), (false, 128)] {
            let settings = ConversionSettings(
                format: .png, size: .pixels(PixelSize(width: 8, height: 4)), mode: .fill,
                usesLinearLight: isLinear, gravity: gravity)
            let mean = try decoded(ImageConverter(settings).convert(source).data).pixels[0]
            #expect(abs(Int(mean) - expected) < 6)
        }
    }

    @Test("--max-bytes accepts a file of this length, tries the lowest quality, and tells the smallest file")
    func maxBytes() throws {
        let source = try encoded(noise)
        func converted(_ quality: QualitySetting, maxBytes: Int? = nil) throws -> ConvertedImage {
            var settings = ConversionSettings(format: .jpeg, quality: quality)
            settings.bounds.maxBytes = maxBytes
            return try ImageConverter(settings).convert(source)
        }
        let limit = try converted(.fixed(60)).data.count
        let same = try converted(.fixed(60), maxBytes: limit)
        #expect(same.quality == 60)
        #expect(same.encodes == nil)
        #expect(try converted(.fixed(90), maxBytes: limit).data.count == limit)
        let smallest = try converted(.fixed(1)).data.count
        let lowest = try converted(.fixed(90), maxBytes: smallest)
        #expect(lowest.data.count == smallest)
        #expect(lowest.encodes == 7)
        let failure = #expect(throws: TooManyBytes.self) { try converted(.fixed(90), maxBytes: smallest - 1) }
        #expect(failure?.bytes == smallest)
        let automatic = try converted(.automatic(0.97), maxBytes: smallest)
        #expect(automatic.notes == ["--max-bytes needs a lower quality than --quality auto"])
        #expect(automatic.ssim == nil)
    }

    @Test("a similarity that no quality reaches is noted")
    func unreached() throws {
        let settings = ConversionSettings(format: .jpeg, quality: .automatic(0.999_999_9))
        let result = try ImageConverter(settings).convert(encoded(noise))
        #expect(result.notes == ["the similarity to reach is above that of quality 100"])
    }
}
