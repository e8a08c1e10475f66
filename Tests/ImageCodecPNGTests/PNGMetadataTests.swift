import Foundation
import ImageCodecPNG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("PNG metadata")
struct PNGMetadataTests {
    private static let image = RawPNG(scanlines: [[0, 1, 2, 3]])

    private func exif(_ orientation: UInt8) -> RawPNG.Chunk {
        .init("eXIf", [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0])
    }

    @Test("the orientation is found before and after the pixels", arguments: ImageOrientation.allCases)
    func orientation(_ orientation: ImageOrientation) throws {
        var (early, late) = (Self.image, Self.image)
        early.before = [exif(UInt8(orientation.rawValue))]
        late.after = [exif(UInt8(orientation.rawValue))]
        late.hasEnd = false
        for file in [early.data, late.data] {
            #expect(
                try png.header(of: file)
                    == ImageHeader(
                        format: .png, storedSize: PixelSize(width: 1, height: 1), orientation: orientation))
        }
    }

    @Test("an eXIf chunk without an orientation does not hide the next one")
    func exifAfterEmptyOne() throws {
        let real = exif(6)
        let damaged = RawPNG.Chunk("eXIf", exif(3).bytes, hasWrongChecksum: true)
        for first in [.init("eXIf", []), .init("eXIf", [1, 2, 3]), exif(9), damaged] as [RawPNG.Chunk] {
            for (before, after) in [([first, real], []), ([first], [real]), ([], [first, real])] {
                var file = Self.image
                (file.before, file.after) = (before, after)
                #expect(try png.header(of: file.data).orientation == .right, "\(first)")
            }
            var file = Self.image
            file.before = [first, real, exif(3)]
            let image = PNGDecoder().makeIncrementalImage(limits: .default)
            try image.append(file.data)
            #expect(image.header?.orientation == .right, "\(first)")
        }
    }

    @Test("a chunk that is longer than the file ends the search for an orientation")
    func wildLength() throws {
        for excess in [1, 4, 0x7FFF_0000] {
            var chunk = exif(6).file
            chunk.replaceSubrange(0..<4, with: RawPNG.uint32(22 + excess))
            #expect(try png.header(of: Self.image.data + Data(chunk)).orientation == .up)
            let text = RawPNG.uint32(34 + excess) + Array("tEXt".utf8)
            #expect(try png.header(of: Self.image.data + Data(text + exif(6).file)).orientation == .up)
        }
    }

    @Test("the header has the stored profile")
    func profile() throws {
        var file = Self.image
        file.before = [RawPNG.profileChunk(RawPNG.profile(space: "RGB "))]
        let found = try png.header(of: file.data)
        #expect(found.colorProfile == Data(RawPNG.profile(space: "RGB ")))
        #expect(found.nativeLayout == .rgba8)
    }

    @Test("a damaged profile, one with a wrong checksum, and one for another color model are ignored")
    func brokenProfile() throws {
        let rgb = RawPNG.profile(space: "RGB ")
        let chunks = [
            RawPNG.profileChunk([1, 2, 3]), RawPNG.profileChunk(rgb, hasWrongChecksum: true),
            RawPNG.profileChunk(Array(rgb.dropLast(8))), RawPNG.profileChunk(RawPNG.profile(space: "GRAY")),
            RawPNG.profileChunk(rgb[..<36] + [0] + rgb[37...]), RawPNG.profileChunk(RawPNG.uint32(131) + rgb[4..<131]),
            RawPNG.Chunk("iCCP", Array("name".utf8) + [0, 0, 0x78, 0x02] + RawPNG.deflated(rgb).dropFirst(2)),
            RawPNG.Chunk("iCCP", []), RawPNG.Chunk("iCCP", Array("name".utf8) + [0, 0, 1, 2, 3]),
            RawPNG.Chunk("iCCP", Array("name".utf8) + [0]), RawPNG.Chunk("iCCP", Array("name".utf8) + [0, 0]),
        ]
        for chunk in chunks {
            var file = Self.image
            file.before = [chunk]
            #expect(try png.header(of: file.data).colorProfile == nil)
            #expect(try png.pixels(file.data) == [1, 2, 3, 255])
        }
    }

    @Test("the name of a profile has 1 to 79 characters, and the method is 0")
    func profileName() throws {
        let stream = RawPNG.deflated(RawPNG.profile(space: "RGB "))
        for (count, method) in [(0, 0), (1, 0), (79, 0), (79, 1), (80, 0)] as [(Int, UInt8)] {
            var file = Self.image
            file.before = [.init("iCCP", [UInt8](repeating: 65, count: count) + [0, method] + stream)]
            let isValid = (1...79).contains(count) && method == 0
            #expect(try (png.header(of: file.data).colorProfile != nil) == isValid)
        }
    }

    @Test("of repeated chunks, the first counts")
    func repeated() throws {
        let first = RawPNG.profile(space: "RGB ")
        var file = Self.image
        file.before = [RawPNG.profileChunk(first), RawPNG.profileChunk(first.dropLast() + [77])]
        #expect(try png.header(of: file.data).colorProfile == Data(first))
        file.before = [.init("tRNS", [0, 1, 0, 2, 0, 3]), .init("tRNS", [0, 9, 0, 9, 0, 9])]
        #expect(try png.pixels(file.data) == [1, 2, 3, 0])
        for type in ["IHDR", "PLTE"] {
            file = RawPNG(colorType: 3, scanlines: [[0, 0]])
            let header = Array(file.data[16..<29])
            file.before = [.init("PLTE", [1, 2, 3]), .init(type, type == "IHDR" ? header : [4, 5, 6])]
            #expect(isMalformed(file.data))
        }
    }

    @Test("an image with a palette has at most 8 bits")
    func deepPalette() {
        let file = RawPNG(depth: 16, colorType: 3, scanlines: [[0, 0, 0]])
        #expect(png.failure(file.data) == .malformed(.png, "color type 3 with 16 bits"))
    }

    @Test("transparency that does not fit the color type is ignored")
    func transparency() throws {
        for (colorType, count) in [(0, 1), (0, 3), (2, 5), (2, 7), (3, 3), (3, 0), (4, 1), (4, 2), (6, 1), (6, 6)]
            as [(UInt8, Int)]
        {
            var file = RawPNG(
                colorType: colorType, scanlines: [[0, 0, 0, 0, 0].dropLast([2: 1, 4: 2, 6: 0][colorType] ?? 3)])
            let palette = RawPNG.Chunk("PLTE", [1, 2, 3, 4, 5, 6])
            file.before = (colorType == 3 ? [palette] : []) + [.init("tRNS", [UInt8](repeating: 0, count: count))]
            #expect(try png.header(of: file.data).hasAlpha == (colorType >= 4))
            #expect(try colorType >= 4 || png.pixels(file.data)[3] == 255)
        }
    }

    @Test("transparency of colors that the palette can't have is ignored, and before it, too")
    func longPalette() throws {
        let palette = RawPNG.Chunk("PLTE", [UInt8](repeating: 5, count: 12))
        let (short, long) = (RawPNG.Chunk("tRNS", [0, 0]), RawPNG.Chunk("tRNS", [0, 0, 0]))
        for (chunks, hasAlpha) in [([palette, short], true), ([palette, long], false), ([short, palette], false)] {
            let file = RawPNG(depth: 1, colorType: 3, scanlines: [[0, 0]], before: chunks)
            #expect(try png.header(of: file.data).hasAlpha == hasAlpha)
        }
    }

    @Test(
        "only metadata above the limit is ignored, and the image is decoded", arguments: [0, 1, 21, 22, 131, 132, .max])
    func metadataLimit(bytes: Int) throws {
        var file = RawPNG(colorType: 3, scanlines: [[0, 1]])
        file.before = [
            RawPNG.profileChunk(RawPNG.profile(space: "RGB ")), .init("PLTE", [9, 9, 9, 40, 50, 60]),
            .init("tRNS", [0, 77]), exif(6), .init("tEXt", [UInt8](repeating: 65, count: 5000)),
        ]
        let limits = DecodingLimits(metadataByteLimit: bytes)
        let found = try png.header(of: file.data, limits: limits)
        #expect((found.colorProfile == nil) == (bytes < 132))
        #expect(found.orientation == (bytes < 22 ? .up : .right))
        #expect(try png.pixels(file.data, limits: limits) == [40, 50, 60, 77])
        let image = PNGDecoder().makeIncrementalImage(limits: limits)
        try image.append(file.data)
        #expect(image.header == found)
    }

    @Test("many text chunks are accepted")
    func manyTexts() throws {
        var file = Self.image
        file.before = (0..<3000).map { _ in .init("tEXt", Array("a".utf8) + [0, 65]) }
        #expect(try png.pixels(file.data) == [1, 2, 3, 255])
    }
}

@Suite("PNG colors without a profile")
struct PNGColorChunkTests {
    private static func gamma(_ value: Int) -> RawPNG.Chunk { .init("gAMA", RawPNG.uint32(value)) }

    /// Returns a chunk with x and y of white, red, green and blue, in hundred-thousandths.
    private static func chromaticities(_ values: [Int]) -> RawPNG.Chunk { .init("cHRM", values.flatMap(RawPNG.uint32)) }

    private static let srgb = chromaticities([31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000])
    private static let p3 = chromaticities([31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000])
    private static let profile = RawPNG.profileChunk(RawPNG.profile(space: "RGB "))

    private func header(_ chunks: [RawPNG.Chunk], colorType: UInt8 = 2) throws -> ImageHeader {
        let row: [UInt8] = colorType == 2 ? [0, 1, 2, 3] : [0, 7]
        return try png.header(of: RawPNG(colorType: colorType, scanlines: [row], before: chunks).data)
    }

    private func color(_ chunks: [RawPNG.Chunk], colorType: UInt8 = 2) throws -> SourceColor {
        try header(chunks, colorType: colorType).color
    }

    @Test("a gamma other than sRGB's is reported as the exponent to linear light")
    func gamma() throws {
        #expect(try color([]) == .sRGB)
        #expect(try color([Self.gamma(100_000)]) == SourceColor(transfer: .gamma(1)))
        #expect(try color([Self.gamma(50_000), Self.srgb]) == SourceColor(transfer: .gamma(2)))
        #expect(try color([Self.gamma(50_000), Self.gamma(100_000)]) == SourceColor(transfer: .gamma(2)))
    }

    @Test(
        "a gamma within 5% of sRGB's is ignored",
        arguments: [45_455, 45_000, 46_000, 43_500])
    func usualGamma(value: Int) throws {
        #expect(try color([Self.gamma(value)]) == .sRGB)
        #expect(try color([Self.gamma(value), Self.srgb]) == .sRGB)
    }

    @Test("chromaticities need a gamma, and are ignored for gray")
    func chromaticities() throws {
        #expect(try self.color([Self.p3]) == .sRGB)
        let color = try self.color([Self.p3, Self.gamma(45_455)])
        let found = color.primaries
        #expect(found.red == .init(x: 0.68, y: 0.32))
        #expect(found.green == .init(x: 0.265, y: 0.69))
        #expect(found.blue == .init(x: 0.15, y: 0.06))
        #expect(found.white == .init(x: 0.3127, y: 0.329))
        #expect(color.transfer == .gamma(100_000.0 / 45_455))
        #expect(try self.color([Self.p3, Self.gamma(45_455)], colorType: 0) == .sRGB)
        #expect(
            try self.color([Self.p3, Self.gamma(100_000)], colorType: 0) == SourceColor(transfer: .gamma(1)))
    }

    @Test("sRGB overrides gamma, and a profile overrides sRGB")
    func precedence() throws {
        let srgb = RawPNG.Chunk("sRGB", [0])
        #expect(try color([Self.gamma(100_000), Self.p3, srgb]) == .sRGB)
        let header = try header([srgb, Self.gamma(100_000), Self.profile])
        #expect(header.colorProfile != nil)
    }

    @Test("supported code points override everything, and others are ignored")
    func codePoints() throws {
        let srgb = try header([.init("cICP", [1, 13, 0, 1]), Self.profile, Self.gamma(100_000)])
        #expect(srgb.color == .sRGB)
        let p3 = try header([.init("cICP", [12, 13, 0, 1]), .init("cICP", [1, 13, 0, 1]), Self.profile])
        #expect(p3.colorProfile == nil)
        #expect(p3.color == SourceColor(primaries: .displayP3))
        #expect(try color([.init("cICP", [1, 8, 0, 1])]) == SourceColor(transfer: .gamma(1)))
        #expect(try color([.init("cICP", [9, 4, 0, 1])]).primaries.red == .init(x: 0.708, y: 0.292))
        for video in [1, 6, 11, 14, 15] as [UInt8] {
            let found = try header([.init("cICP", [1, video, 0, 1]), Self.profile, Self.gamma(100_000)])
            #expect(found.color == SourceColor(transfer: .gamma(2.4)))
        }
        for unknown in [[9, 2, 0, 1], [12, 13, 1, 1], [12, 13, 0, 0], [3, 13, 0, 1]] as [[UInt8]] {
            let header = try header([.init("cICP", unknown), Self.profile])
            #expect(header.colorProfile != nil, "\(unknown)")
        }
    }

    @Test("HDR has 16 bits and the peak of cLLI, or else of mDCV", arguments: [16: TransferFunction.pq, 18: .hlg])
    func hdr(transfer: (key: UInt8, value: TransferFunction)) throws {
        let points = RawPNG.Chunk("cICP", [9, transfer.key, 0, 1])
        let level = RawPNG.Chunk("cLLI", RawPNG.uint32(12_000_000) + RawPNG.uint32(1))
        let unknown = RawPNG.Chunk("cLLI", RawPNG.uint32(0) + RawPNG.uint32(0))
        let mastering = RawPNG.Chunk(
            "mDCV", [UInt8](repeating: 9, count: 16) + RawPNG.uint32(40_000_000) + RawPNG.uint32(1))
        for (chunks, peak) in [
            ([points], nil), ([points, mastering, level], 1200), ([mastering, unknown, points], 4000),
            ([points, level, unknown], 1200),
        ] as [([RawPNG.Chunk], Double?)] {
            let found = try header([Self.profile] + chunks)
            #expect(found.nativeLayout == .rgba16 && found.color.peakLuminance == peak)
            #expect(found.color.transfer == transfer.value && found.color.profile == nil)
            #expect(found.color.primaries.red == .init(x: 0.708, y: 0.292))
        }
        #expect(try header([level]).color == .sRGB)
    }

    @Test("chunks of another length are ignored, and of repeated ones the first counts")
    func lengths() throws {
        let gamma = Self.gamma(50_000), plain = SourceColor(transfer: .gamma(2))
        for length in [0, 2] {
            #expect(try color([gamma, .init("sRGB", [UInt8](repeating: 0, count: length))]) == plain)
        }
        #expect(try color([gamma, .init("cHRM", Self.p3.bytes.dropLast(4))]) == plain)
        #expect(try color([gamma, Self.srgb, Self.p3]) == plain)
        #expect(try color([.init("cICP", [12, 13, 0, 1, 0])]) == .sRGB)
        func screen(_ level: Int) -> [UInt8] {
            [UInt8](repeating: 0, count: 16) + RawPNG.uint32(level) + RawPNG.uint32(1)
        }
        for (chunks, peak) in [
            ([.init("cLLI", RawPNG.uint32(12_000_000))], nil), ([.init("mDCV", screen(40_000_000).dropLast(4))], nil),
            ([.init("mDCV", screen(40_000_000)), .init("mDCV", screen(10_000_000))], 4000),
        ] as [([RawPNG.Chunk], Double?)] {
            #expect(try color([.init("cICP", [9, 16, 0, 1])] + chunks).peakLuminance == peak)
        }
    }

    @Test("a gamma is from 0.05 to 20, and more than 5% from sRGB's")
    func gammaRange() throws {
        for value in [47_900, 43_200, 5_000, 2_000_000] {
            #expect(try color([Self.gamma(value)]) == SourceColor(transfer: .gamma(100_000 / Double(value))))
        }
        for value in [4_999, 2_000_100] { #expect(try color([Self.gamma(value)]) == .sRGB) }
    }

    @Test("chromaticities within 0.01 of sRGB's are sRGB's, and primaries can be in any order")
    func nearbyPrimaries() throws {
        func color(red: (Int, Int), green: (Int, Int) = (30_000, 60_000), blue: Int = 6_000) throws -> SourceColor {
            let values = [31_270, 32_900, red.0, red.1, green.0, green.1, 15_000, blue]
            return try self.color([Self.chromaticities(values), Self.gamma(50_000)])
        }
        #expect(try color(red: (64_900, 33_000)) == SourceColor(transfer: .gamma(2)))
        #expect(try color(red: (65_100, 33_000)).primaries.red == .init(x: 0.651, y: 0.33))
        let swapped = try color(red: (30_000, 60_000), green: (64_000, 33_000))
        #expect(swapped.primaries.red == .init(x: 0.3, y: 0.6))
        #expect(try color(red: (64_000, 33_000), blue: 0) == .sRGB)
    }

    @Test("invalid values are ignored")
    func nonsense() throws {
        for value in [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF] { #expect(try color([Self.gamma(value)]) == .sRGB) }
        for length in [0, 3, 5, 40] {
            #expect(try color([.init("gAMA", [UInt8](repeating: 1, count: length))]) == .sRGB)
        }
        let points = [
            [31_270, 32_900, 64_000, 33_000, 64_000, 33_000, 15_000, 6_000], [0, 0, 0, 0, 0, 0, 0, 0],
            [31_270, 32_900, 80_000, 33_000, 30_000, 60_000, 15_000, 6_000],
            [90_000, 5_000, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000],
            [31_270, 32_900, 0xFFFF_FFFF, 33_000, 30_000, 60_000, 15_000, 6_000],
        ]
        for values in points {
            #expect(try color([Self.chromaticities(values), Self.gamma(100_000)]) == .sRGB, "\(values)")
        }
        let damaged = RawPNG.Chunk("gAMA", RawPNG.uint32(100_000), hasWrongChecksum: true)
        #expect(try color([damaged]) == .sRGB)
    }

    @Test("pixels are not converted")
    func pixels() throws {
        let file = RawPNG(scanlines: [[0, 100, 150, 200]], before: [Self.gamma(100_000)])
        #expect(try png.pixels(file.data) == [100, 150, 200, 255])
    }
}
