import Foundation
import ImageTesting
import Testing

@testable import ImageCore

@Suite("Colors of files and bitmaps")
struct ColorTests {
    private static let codes = [1, 4, 5, 7, 8, 13, 16, 17]

    @Test("values are the inverse of light", arguments: codes)
    func inverse(code: Int) throws {
        let transfer = try #require(TransferFunction(codePoint: code, video: .gamma(2.4)))
        for value in [0.02, 0.3, 0.9] { #expect(abs(transfer.value(of: transfer.light(of: value)) - value) < 1e-6) }
    }

    @Test("code points have the light of their standards at half of the range")
    func light() {
        let light = Self.codes.map { TransferFunction(codePoint: $0, video: .gamma(2.4))?.light(of: 0.5) ?? -1 }
        let expected = [0.1895, 0.2176, 0.1436, 0.2650, 0.5, 0.2140, 0.00922, 0.1800]
        for (value, expected) in zip(light, expected) { #expect(abs(value - expected) < 1e-3) }
        #expect(abs(TransferFunction.hlg.light(of: 0.5) - 1 / 12) < 1e-6)
        #expect(abs(TransferFunction.sRGB.light(of: 0.03) - 0.03 / 12.92) < 1e-6)
        #expect(!TransferFunction.gamma(0).isValid && TransferFunction.pq.isValid)
    }

    @Test("white stays white in all primaries", arguments: [1, 4, 5, 6, 8, 9, 11, 12, 22])
    func white(code: Int) throws {
        let white = try #require(RGBPrimaries(codePoint: code)).matrix(to: .sRGB) * SIMD3(1, 1, 1)
        for channel in 0..<3 { #expect(abs(white[channel] - 1) < 1e-3) }
    }

    @Test("a bitmap is converted between color spaces with its alpha")
    func converted() {
        let red = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [255, 0, 0, 7])
        let converted = red.converted(to: .displayP3)
        #expect(converted.pixels == [234, 51, 35, 7] && !converted.isOpaque && converted.colorSpace == .displayP3)
    }

    private func convert(
        _ pixels: [UInt16], from color: SourceColor, layout: PixelLayout = .rgba16
    ) throws -> [UInt8]? {
        let (sink, width) = (CollectingRowSink(), pixels.count / 4)
        guard
            let stage = RGBColorConverter().makeStage(
                from: color, layout: layout, to: .sRGB, width: width, next: sink)
        else { return nil }
        let bytes = layout == .rgba8 ? pixels.map { UInt8($0) } : unsafe pixels.withUnsafeBytes { unsafe [UInt8]($0) }
        try stage.receive(bytes.span)
        return sink.pixels
    }

    @Test("rows are converted by primaries and curve, but not by a profile or for no difference")
    func rows() throws {
        let linear = SourceColor(transfer: .gamma(1))
        #expect(try convert([128, 0, 255, 7], from: linear, layout: .rgba8) == [188, 0, 255, 7])
        #expect(try convert([128, 0, 255, 7], from: .sRGB, layout: .rgba8) == nil)
        var profiled = SourceColor(profile: Data([1]))
        profiled.transfer = .gamma(1)
        #expect(try convert([128, 0, 255, 7], from: profiled, layout: .rgba8) == nil)
        let converter = RGBColorConverter()
        #expect(converter.gamut(of: SourceColor(primaries: .displayP3), layout: .rgba8) == .displayP3)
        #expect(converter.gamut(of: .sRGB, layout: .rgba8) == .sRGB)
        // 1.1 % and 4.4 % outside of sRGB.
        for (green, space) in [((0.298, 0.602), ColorSpace.sRGB), ((0.29, 0.6), .displayP3)] {
            var primaries = RGBPrimaries.sRGB
            primaries.green = RGBPrimaries.Chromaticity(x: green.0, y: green.1)
            #expect(converter.gamut(of: SourceColor(primaries: primaries), layout: .rgba8) == space)
        }
        #expect(converter.gamut(of: SourceColor(profile: Data([1])), layout: .rgba8) == nil)
        #expect(converter.gamut(of: .sRGB, layout: .gray8) == nil)
    }

    @Test("HDR is mapped to white at its peak, and the peak is the first that is known")
    func toneMapping() throws {
        var color = SourceColor(transfer: .pq)
        color.setPeak(nil, 0, 203)
        #expect(color.peakLuminance == 203)
        // 38,011 is 202 cd/m² in PQ, and 49,151 is 203 cd/m² in HLG.
        let pixels: [UInt16] = [38_011, 38_011, 38_011, 32_768]
        let atPeak = try convert(pixels, from: color)
        // Pure PQ has 10,000 cd/m², and 49,271 has a tenth of it: a tenth of white stays.
        let brighter = try convert([65_535, 49_271, 49_271, 65_535], from: color)
        #expect(brighter == [255, 89, 89, 255])
        color.peakLuminance = nil
        let belowPeak = try convert(pixels, from: color)
        let hlg = try convert([49_151, 49_151, 49_151, 65_535], from: SourceColor(transfer: .hlg))
        #expect(atPeak == [254, 254, 254, 128] && belowPeak == [229, 229, 229, 128] && hlg == [229, 229, 229, 255])
        var plain = SourceColor.sRGB
        plain.setPeak(400)
        #expect(plain.peakLuminance == nil)
    }

    @Test("the profile of Display P3 has its primaries, and each tag at a multiple of four bytes")
    func profile() throws {
        let profile = try #require(ColorSpace.displayP3.profile)
        #expect(profile.count % 4 == 0 && profile.bigEndian(at: 0, 4) == profile.count)
        let primaries = try #require(ICCProfile.primaries(of: profile))
        let light = primaries.matrix(to: .displayP3) * SIMD3(1, 0, 0)
        for (found, expected) in zip([light.x, light.y, light.z], [1.0, 0, 0]) { #expect(abs(found - expected) < 1e-3) }
        #expect(ICCProfile.tag("para", of: profile) == nil && ICCProfile.primaries(of: Data(count: 200)) == nil)
        #expect(ICCProfile.tag("rTRC", of: profile)?.starts(with: "para".utf8) == true)
        #expect(ColorSpace.displayP3.codePoints == (12, 13) && ColorSpace.sRGB.codePoints == (1, 13))
        #expect(OutputColor.allCases.map(\.description) == ["srgb", "p3", "auto"])
    }

    /// Returns a profile with tags of these names and contents.
    private func profile(_ tags: [(name: String, content: Data)]) -> Data {
        var (entries, contents) = (Data(), Data())
        for (name, content) in tags {
            entries += Data(name.utf8)
            for number in [132 + 12 * tags.count + contents.count, content.count] {
                entries.append(bigEndian: UInt32(number))
            }
            contents += content
        }
        return Data(count: 131) + [UInt8(tags.count)] + entries + contents
    }

    @Test("a profile has the code points of its tag `cicp`, and primaries if it has three colorants")
    func profileTags() throws {
        let points = Data(count: 4) + [9, 16, 0, 1]
        let color = SourceColor(profile: profile([("rXYZ", Data()), ("cicp", Data("cicp".utf8) + points)]))
        #expect(color.primaries == RGBPrimaries(codePoint: 9) && color.transfer == .pq)
        #expect(SourceColor(profile: profile([("cicp", Data("text".utf8) + points)])).primaries == .sRGB)
        let bt2020 = try #require(RGBPrimaries(codePoint: 9))
        let chromaticities = [bt2020.red, bt2020.green, bt2020.blue].flatMap { [$0.x, $0.y] }
        #expect(chromaticities == [0.708, 0.292, 0.170, 0.797, 0.131, 0.046], "ITU-R BT.2020, table 3")
        let whole = try #require(ColorSpace.displayP3.profile)
        let colorants: [(name: String, content: Data)] = try ["rXYZ", "gXYZ", "bXYZ"].map { name in
            (name, try #require(ICCProfile.tag(name, of: whole)))
        }
        #expect(ICCProfile.primaries(of: profile(colorants)) == ICCProfile.primaries(of: whole))
        for index in 0..<3 {
            var rest = colorants
            rest.remove(at: index)
            #expect(ICCProfile.primaries(of: profile(rest)) == nil)
            rest = colorants
            rest[index].content = Data(count: 20)
            #expect(ICCProfile.primaries(of: profile(rest)) == nil, "a color without light")
        }
    }
}
