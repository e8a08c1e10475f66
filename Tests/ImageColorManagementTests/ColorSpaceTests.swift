import Foundation
import ImageColorManagement
import ImageCore
import ImageProcessing
import ImageTesting
import TestProfiles
import Testing

@Suite("Color spaces of bitmaps")
struct ColorSpaceTests {
    private static var colors: Bitmap {
        let pixels = LittleCMSColorConverterTests.colors.flatMap { $0 + [$0[0]] }
        return Bitmap(size: PixelSize(width: pixels.count / 4, height: 1), pixels: pixels, isOpaque: false)
    }

    @Test("a bitmap is converted exactly, rounded to the nearest level, with its alpha")
    func conversion() {
        let found = Self.colors.converted(to: .displayP3)
        #expect(found.colorSpace == .displayP3 && found.size == Self.colors.size)
        let reference = ReferenceColors(primaries: TestProfile.srgbPrimaries, target: TestProfile.p3Primaries)
        func light(_ level: UInt8) -> Double {
            let value = Double(level) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        var differences = 0
        for (index, color) in LittleCMSColorConverterTests.colors.enumerated() {
            let expected = reference.encoded(color.map(light)) + [color[0]]
            let pixel = Array(found.pixels[4 * index..<4 * index + 4])
            #expect(zip(pixel, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(color) became \(pixel)")
            differences += pixel == expected ? 0 : 1
        }
        // A level may be rounded differently where it is close to a half.
        #expect(differences < LittleCMSColorConverterTests.colors.count / 20)
    }

    @Test("a bitmap that is in the color space is not changed, and bitmaps of other spaces are not equal")
    func same() {
        let bitmap = Self.colors
        #expect(bitmap.converted(to: .sRGB).sharesPixels(with: bitmap))
        let other = Bitmap(size: bitmap.size, pixels: bitmap.pixels, isOpaque: false, colorSpace: .displayP3)
        #expect(other != bitmap && other.packed().colorSpace == .displayP3)
        let opaque = Bitmap(
            size: PixelSize(width: 1, height: 1), pixels: [1, 2, 3, 255], isOpaque: true, colorSpace: .displayP3)
        #expect(opaque.packed().colorSpace == .displayP3)
    }

    @Test("only Display P3 has a profile, which Little CMS reads as the same color space")
    func profile() throws {
        #expect(ColorSpace.sRGB.profile == nil)
        let profile = try #require(ColorSpace.displayP3.profile)
        #expect(profile.count <= 520)
        let (converter, color) = (LittleCMSColorConverter(), SourceColor(profile: profile))
        let sink = CollectingRowSink()
        #expect(converter.makeStage(from: color, layout: .rgba8, to: .displayP3, width: 1, next: sink) == nil)
        #expect(converter.gamut(of: color, layout: .rgba8) == .displayP3)
        let row = LittleCMSColorConverterTests.colorRow
        let stage = converter.makeStage(from: color, layout: .rgba8, to: .sRGB, width: row.count / 4, next: sink)
        try stage?.receive(row.span)
        let expected = Bitmap(
            size: PixelSize(width: row.count / 4, height: 1), pixels: row, isOpaque: true, colorSpace: .displayP3
        ).converted(to: .sRGB)
        #expect(zip(sink.pixels, expected.pixels).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
    }

    @Test("the gamut is Display P3 for colors outside of sRGB, by a profile or by primaries")
    func gamut() {
        let converter = LittleCMSColorConverter()
        func gamut(_ primaries: [Double], _ gamma: Double = 2.2) -> ColorSpace? {
            let profile = TestProfile.rgb(white: TestProfile.d65, primaries: primaries, gamma: gamma)
            return converter.gamut(of: SourceColor(profile: profile), layout: .rgba8)
        }
        #expect(gamut(TestProfile.srgbPrimaries) == .sRGB && gamut(TestProfile.srgbPrimaries, 1) == .sRGB)
        #expect(gamut(TestProfile.p3Primaries) == .displayP3)
        #expect(gamut([0.64, 0.33, 0.21, 0.71, 0.15, 0.06]) == .displayP3)
        #expect(gamut([0.60, 0.34, 0.30, 0.58, 0.16, 0.08]) == .sRGB)
        #expect(converter.gamut(of: SourceColor(profile: TestProfile.srgb), layout: .rgba8) == .sRGB)
        #expect(converter.gamut(of: SourceColor(profile: TestProfile.cmyk), layout: .cmyk8) == .sRGB)
        #expect(converter.gamut(of: SourceColor(profile: TestProfile.gray(gamma: 1)), layout: .gray8) == .sRGB)
        #expect(converter.gamut(of: .sRGB, layout: .rgba8) == .sRGB)
        #expect(converter.gamut(of: SourceColor(primaries: .displayP3), layout: .rgba8) == .displayP3)
        #expect(converter.gamut(of: SourceColor(primaries: .displayP3, transfer: .pq), layout: .rgba16) == .displayP3)
        #expect(converter.gamut(of: .sRGB, layout: .gray8) == nil)
        #expect(converter.gamut(of: SourceColor(profile: Data("not a profile".utf8)), layout: .rgba8) == nil)
    }

    @Test(
        "a profile with a cicp tag is HDR if the tag says so",
        arguments: [16: TransferFunction.pq, 18: .hlg, 13: .sRGB])
    func codePoints(transfer: (key: UInt8, value: TransferFunction)) throws {
        let profile = try #require(ColorSpace.displayP3.profile)
        // Puts the tag in the place of the copyright, which is the second one.
        var changed = [UInt8](profile)
        changed.replaceSubrange(144..<148, with: "cicp".utf8)
        let offset = changed[148..<152].reduce(0) { $0 << 8 | Int($1) }
        changed.replaceSubrange(offset..<offset + 12, with: Array("cicp".utf8) + [0, 0, 0, 0, 9, transfer.key, 0, 1])
        let color = SourceColor(profile: Data(changed))
        #expect(color.transfer == transfer.value && color.primaries.red.x == 0.708)
        #expect(color.isHDR == (transfer.key != 13) && color.profile == Data(changed))
        for count in 0..<changed.count { _ = SourceColor(profile: Data(changed.prefix(count))) }
        #expect(!SourceColor(profile: profile).isHDR)
    }

    @Test("colors of processors are in sRGB, whatever the color space of the bitmap")
    func processorColors() throws {
        let red = PixelColor(red: 255, green: 0, blue: 0)
        let bitmap = Bitmap(
            size: PixelSize(width: 8, height: 8), pixels: [UInt8](repeating: 255, count: 256), isOpaque: true,
            colorSpace: .displayP3)
        let border = ImageBorder(color: red, width: 2)
        for processor in [TintProcessor(red), RoundedCornersProcessor(radius: 0, border: border)]
            as [any ImageProcessor]
        {
            #expect(Array(try processor.process(bitmap).pixels.prefix(4)) == [234, 51, 35, 255])
        }
    }
}
