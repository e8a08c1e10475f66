import Foundation
import ImageCore
import ImageTesting
import LeakChecking
import TestProfiles
import Testing

@testable import ImageColorManagement

@Suite("LittleCMSColorConverter")
struct LittleCMSColorConverterTests {
    static let levels: [UInt8] = [0, 1, 17, 64, 100, 128, 190, 254, 255]

    static let colors: [[UInt8]] = {
        var colors: [[UInt8]] = []
        for red in levels {
            for green in levels {
                for blue in levels { colors.append([red, green, blue]) }
            }
        }
        return colors
    }()

    /// The colors as a row of opaque pixels.
    static var colorRow: [UInt8] { colors.reduce(into: []) { $0 += $1 + [255] } }

    /// Returns the converted row, or nil if the profile is ignored.
    static func convert(_ row: [UInt8], layout: PixelLayout, profile: Data) throws -> [UInt8]? {
        let sink = CollectingRowSink()
        let width = row.count / layout.bytesPerPixel
        let stage = LittleCMSColorConverter().makeStage(
            from: SourceColor(profile: profile), layout: layout, to: .sRGB, width: width, next: sink)
        guard let stage else { return nil }
        try stage.receive(row.span)
        return sink.pixels
    }

    @Test(
        "converts colors by the primaries and gamma of a matrix profile",
        arguments: [
            (TestProfile.p3Primaries, 2.2), (TestProfile.p3Primaries, 1.8), (TestProfile.srgbPrimaries, 1.0),
            // Red and green are swapped.
            ([0.30, 0.60, 0.64, 0.33, 0.15, 0.06], 2.2),
        ])
    func matrixProfile(primaries: [Double], gamma: Double) throws {
        let profile = TestProfile.rgb(white: TestProfile.d65, primaries: primaries, gamma: gamma)
        let reference = ReferenceColors(primaries: primaries, gamma: gamma)
        let row = Self.colorRow
        let converted = try #require(try Self.convert(row, layout: .rgba8, profile: profile))
        for (index, color) in Self.colors.enumerated() {
            let expected = reference.srgb(color) + [255]
            for channel in 0..<4 {
                let difference = abs(Int(converted[4 * index + channel]) - Int(expected[channel]))
                // Near black, a power curve is so steep that rounding to 8 bits changes sRGB by some levels.
                let allowed = (color.filter { $0 > 0 }.min() ?? 255) < 32 ? 5 : 2
                #expect(difference <= allowed, "\(color): channel \(channel) is off by \(difference)")
            }
        }
    }

    @Test("an HDR profile is mapped to white by its curve, as if there were no profile")
    func toneMapping() throws {
        var color = SourceColor(profile: TestProfile.gray(gamma: 2.2))
        color.transfer = .pq
        let pixels = [UInt8](repeating: 148, count: 3) + [255]
        func convert(_ converter: any ColorConverter, _ color: SourceColor) throws -> [UInt8] {
            let sink = CollectingRowSink()
            let stage = converter.makeStage(from: color, layout: .rgba8, to: .sRGB, width: 1, next: sink)
            try #require(stage).receive(pixels.span)
            return sink.pixels
        }
        let mapped = try convert(LittleCMSColorConverter(), color)
        #expect(mapped == (try convert(RGBColorConverter(), SourceColor(transfer: .pq))))
        #expect(LittleCMSColorConverter().gamut(of: color, layout: .rgba8) == .sRGB)
    }

    @Test("preserves white and black with a different white point")
    func whitePoint() throws {
        let primaries = [0.7347, 0.2653, 0.1596, 0.8404, 0.0366, 0.0001]
        let profile = TestProfile.rgb(white: TestProfile.d50, primaries: primaries, gamma: 1.8)
        let converted = try Self.convert([255, 255, 255, 255, 0, 0, 0, 255], layout: .rgba8, profile: profile)
        #expect(converted == [255, 255, 255, 255, 0, 0, 0, 255])
    }

    @Test("copies alpha")
    func alpha() throws {
        let profile = TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.p3Primaries, gamma: 2.2)
        let row: [UInt8] = (0...255).reduce(into: []) { $0 += [200, 30, 90, UInt8($1)] }
        let converted = try #require(try Self.convert(row, layout: .rgba8, profile: profile))
        #expect((0...255).allSatisfy { converted[4 * $0 + 3] == UInt8($0) })
        let color = Array(converted[..<3])
        #expect((0...255).allSatisfy { Array(converted[4 * $0..<4 * $0 + 3]) == color })
    }

    @Test("converts gray to neutral opaque colors by the profile's curve")
    func gray() throws {
        let converted = try Self.convert(Self.levels, layout: .gray8, profile: TestProfile.gray(gamma: 1))
        let pixels = try #require(converted)
        for (index, level) in Self.levels.enumerated() {
            let expected = Int(ReferenceColors.encoded(Double(level) / 255))
            for channel in 0..<3 { #expect(abs(Int(pixels[4 * index + channel]) - expected) <= 2, "level \(level)") }
            #expect(pixels[4 * index + 3] == 255)
        }
    }

    @Test("copies the alpha of gray pixels")
    func grayAlpha() throws {
        let row: [UInt8] = [0, 7, 128, 0, 255, 200]
        let plain = try #require(
            try Self.convert([0, 128, 255], layout: .gray8, profile: TestProfile.gray(gamma: 1.5)))
        let converted = try #require(
            try Self.convert(row, layout: .grayAlpha8, profile: TestProfile.gray(gamma: 1.5)))
        for pixel in 0..<3 {
            #expect(Array(converted[4 * pixel..<4 * pixel + 3]) == Array(plain[4 * pixel..<4 * pixel + 3]))
            #expect(converted[4 * pixel + 3] == row[2 * pixel + 1])
        }
    }

    @Test("no ink is white, black ink is black, and other inks darken")
    func inks() throws {
        let row: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 255, 0, 0, 0]
        let pixels = try #require(try Self.convert(row, layout: .cmyk8, profile: TestProfile.cmyk))
        #expect(Array(pixels[..<4]) == [255, 255, 255, 255])
        #expect(Array(pixels[4..<8]) == [0, 0, 0, 255])
        #expect(Array(pixels[8..<12]) == [0, 0, 0, 255])
        // L* 66.7 is 36.2 % of the light, which is 163 in sRGB.
        #expect(pixels[12..<15].allSatisfy { abs(Int($0) - 163) <= 2 })
    }

    @Test("ignores an sRGB profile")
    func srgb() throws {
        #expect(try Self.convert([1, 2, 3, 4], layout: .rgba8, profile: TestProfile.srgb) == nil)
    }

    @Test("ignores a profile that links two devices")
    func link() throws {
        var profile = TestProfile.cmyk
        #expect(try Self.convert([0, 0, 0, 255], layout: .cmyk8, profile: profile) != nil)
        // The class of a profile (ICC.1:2022, 7.2.5).
        profile.replaceSubrange(12..<16, with: Data("link".utf8))
        #expect(try Self.convert([0, 0, 0, 255], layout: .cmyk8, profile: profile) == nil)
    }

    @Test("applies a profile close to sRGB, but not equal to it")
    func nearSRGB() throws {
        let profile = TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.srgbPrimaries, gamma: 2.2)
        #expect(try Self.convert([1, 2, 3, 4], layout: .rgba8, profile: profile) != nil)
    }

    @Test("ignores or applies a profile with any single byte changed")
    func flipped() throws {
        for profile in [
            TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.p3Primaries, gamma: 2.2),
            TestProfile.cmyk.prefix(600) + TestProfile.cmyk.dropFirst(600),
        ] {
            let layout = profile == TestProfile.cmyk ? PixelLayout.cmyk8 : .rgba8
            for index in 0..<min(profile.count, 700) {
                var changed = Data(profile)
                changed[index] ^= 0xFF
                if let pixels = try Self.convert([1, 2, 3, 4], layout: layout, profile: changed) {
                    #expect(pixels.count == 4)
                }
            }
        }
    }

    @Test("reads a profile from a slice")
    func slice() throws {
        let profile = TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.p3Primaries, gamma: 2.2)
        let slice = (Data([9, 9, 9]) + profile).dropFirst(3)
        let row: [UInt8] = [200, 30, 90, 255]
        let whole = try Self.convert(row, layout: .rgba8, profile: profile)
        #expect(try Self.convert(row, layout: .rgba8, profile: slice) == whole)
    }

    @Test("concurrent stages return the same colors")
    func threads() async throws {
        let profile = TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.p3Primaries, gamma: 2.2)
        let row = Self.colorRow
        let expected = try Self.convert(row, layout: .rgba8, profile: profile)
        try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            for _ in 0..<16 { group.addTask { try Self.convert(row, layout: .rgba8, profile: profile) } }
            for try await pixels in group { #expect(pixels == expected) }
        }
    }
}

@Suite("ColorTransformCache")
struct ColorTransformCacheTests {
    private static func profile(_ gamma: Double) -> Data {
        TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.p3Primaries, gamma: gamma)
    }

    private func isKept(_ profile: Data, _ space: ColorSpace = .sRGB, in cache: ColorTransformCache) -> Bool {
        cache.transform(from: profile, .rgba8, to: space) === cache.transform(from: profile, .rgba8, to: space)
    }

    @Test("creates a transform once for each profile, layout and color space")
    func once() throws {
        let cache = ColorTransformCache()
        #expect(isKept(Self.profile(1), in: cache) && isKept(Self.profile(2), in: cache))
        #expect(isKept(Self.profile(1), .displayP3, in: cache))
        let found = try #require(cache.transform(from: Self.profile(1), .rgba8, to: .sRGB))
        #expect(found !== cache.transform(from: Self.profile(2), .rgba8, to: .sRGB))
        #expect(found !== cache.transform(from: Self.profile(1), .rgba8, to: .displayP3))
        #expect(cache.transform(from: Self.profile(1), .gray8, to: .sRGB) == nil)
        #expect(cache.transform(from: Data([1]), .rgba8, to: .sRGB) == nil)
    }

    @Test("keeps up to eight transforms")
    func bounded() {
        let cache = ColorTransformCache()
        let first = (1...8).map { cache.transform(from: Self.profile(Double($0)), .rgba8, to: .sRGB) }
        #expect(first[0] === cache.transform(from: Self.profile(1), .rgba8, to: .sRGB))
        _ = cache.transform(from: Self.profile(9), .rgba8, to: .sRGB)
        #expect(first[0] !== cache.transform(from: Self.profile(1), .rgba8, to: .sRGB))
    }

    #if canImport(Glibc)
        @Test("the memory of transforms, and of profiles that have none, is freed with the cache")
        func leaks() async {
            await #expect(processExitsWith: .success) {
                checkForLeaks {
                    let cache = ColorTransformCache()
                    for number in 1...50 {
                        let profile = Self.profile(Double(number) / 10)
                        for data in [profile, profile.dropLast(100)] {
                            for layout in [PixelLayout.rgba8, .gray8] {
                                _ = cache.transform(from: data, layout, to: .sRGB)
                            }
                        }
                    }
                }
            }
        }
    #endif

    @Test("does not cache large profiles")
    func large() {
        let profile = Self.profile(2)
        let padded = profile + Data(count: 1 << 20 - profile.count)
        #expect(isKept(padded, in: ColorTransformCache()))
        #expect(!isKept(padded + [0], in: ColorTransformCache()))
    }
}
