import Foundation
import ImageCodecPNG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("Limits and damaged PNG files")
struct PNGLimitTests {
    private static let source = RawPNG(
        width: 3, height: 2, scanlines: [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 9, 8, 7, 6, 5, 4, 3, 2, 1]])

    @Test("more encoded bytes than allowed are rejected")
    func encodedBytes() {
        let data = Self.source.data
        #expect(png.failure(data, limits: DecodingLimits(encodedByteLimit: data.count)) == nil)
        #expect(
            png.failure(data, limits: DecodingLimits(encodedByteLimit: data.count - 1))
                == .limitExceeded(.encodedBytes, value: data.count, allowed: data.count - 1))
    }

    @Test("a header with 50,000 by 50,000 pixels, and the largest possible one, are rejected by open")
    func hugeHeader() {
        let huge = RawPNG(width: 50_000, height: 50_000, depth: 1, colorType: 0, scanlines: [[0]])
        #expect(throws: ImageDecodingError.limitExceeded(.pixels, value: 2_500_000_000, allowed: 500_000_000)) {
            try PNGDecoder().open(huge.data, limits: .default)
        }
        let largest = RawPNG(width: 0x7FFF_FFFF, height: 0x7FFF_FFFF, depth: 16, colorType: 6, scanlines: [[0]])
        #expect(throws: ImageDecodingError.limitExceeded(.side, value: 0x7FFF_FFFF, allowed: 65_535)) {
            try PNGDecoder().open(largest.data, limits: .default)
        }
    }

    @Test(
        "two stored rows and an output row count as memory; for an interlaced image, the whole image and its output")
    func decodedBytes() throws {
        let plain = Self.source.data
        #expect(png.failure(plain, limits: DecodingLimits(decodedByteLimit: 32)) == nil)
        #expect(
            png.failure(plain, limits: DecodingLimits(decodedByteLimit: 31))
                == .limitExceeded(.decodedBytes, value: 32, allowed: 31))
        let source = noise(PixelSize(width: 10, height: 10), isOpaque: true)
        let interlaced = try PNGEncoder().encode(source, options: EncodingOptions(isProgressive: true))
        #expect(png.failure(interlaced, limits: DecodingLimits(decodedByteLimit: 800)) == nil)
        #expect(
            png.failure(interlaced, limits: DecodingLimits(decodedByteLimit: 799))
                == .limitExceeded(.decodedBytes, value: 800, allowed: 799))
    }

    @Test("stored rows count with the bits of their color type", arguments: SyntheticPNG.combinations.indices)
    func storedRows(combination: Int) {
        let (colorType, depth) = SyntheticPNG.combinations[combination]
        let image = SyntheticPNG(width: 9, height: 2, colorType: colorType, depth: depth)
        let bytes = 2 * ((9 * image.channels * depth + 7) / 8 + 1) + 36
        #expect(png.failure(image.raw.data, limits: DecodingLimits(decodedByteLimit: bytes)) == nil)
        #expect(
            png.failure(image.raw.data, limits: DecodingLimits(decodedByteLimit: bytes - 1))
                == .limitExceeded(.decodedBytes, value: bytes, allowed: bytes - 1))
    }

    @Test("an interlaced image with 16 bits per channel counts with them, its output with 8")
    func deepBytes() throws {
        var file = SyntheticPNG(width: 10, height: 10, colorType: 6, depth: 16, isInterlaced: true).raw
        file.before = [.init("cICP", [9, 16, 0, 1])]
        #expect(try png.deepPixels(png.open(file.data, limits: .init(decodedByteLimit: 1200))).count == 400)
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: 1200, allowed: 1199)) {
            try png.deepPixels(png.open(file.data, limits: .init(decodedByteLimit: 1199)))
        }
    }

    @Test("an image is decoded at its stored size only, to RGBA or its native layout")
    func sizesAndLayouts() throws {
        let image = try png.open(Self.source.data)
        let other = PixelSize(width: 1, height: 1)
        #expect(image.decodableSize(covering: other) == PixelSize(width: 3, height: 2))
        #expect(throws: ImageDecodingError.unsupported(.png, "3x2 can't be scaled to 1x1")) {
            try png.pixels(image, size: other)
        }
        #expect(throws: ImageDecodingError.unsupported(.png, "the image can't be decoded to the layout gray8")) {
            try png.pixels(image, layout: .gray8)
        }
    }

    @Test("a file of another format is malformed, also a short one", arguments: ["", "GIF89a", "\u{89}PNG"])
    func otherFormats(text: String) {
        #expect(png.failure(Data(text.utf8)) == .malformed(.png, "the PNG signature is missing"))
    }

    @Test("heldByteCount is the size of an interlaced image, and 0 otherwise")
    func heldByteCount() throws {
        for isProgressive in [false, true] {
            let source = noise(PixelSize(width: 10, height: 10), isOpaque: true)
            let data = try PNGEncoder().encode(source, options: EncodingOptions(isProgressive: isProgressive))
            let image = try PNGDecoder().open(data, limits: .default)
            #expect(image.heldByteCount(frame: 0, size: source.size, layout: .rgba8) == (isProgressive ? 400 : 0))
        }
    }

    @Test("the largest possible header is an error without limits on sides and pixels", arguments: [0, 1])
    func largestWithoutLimits(interlace: UInt8) {
        let largest = RawPNG(
            width: 0x7FFF_FFFF, height: 0x7FFF_FFFF, depth: 8, colorType: 6, interlace: interlace, scanlines: [[0]])
        let failure = png.failure(largest.data, limits: DecodingLimits(maxPixels: .max, maxSide: .max))
        guard case .limitExceeded(.decodedBytes, _, allowed: 400 << 20) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test("a wrong checksum is malformed in critical chunks, and ignored in others")
    func checksums() throws {
        var file = Self.source
        file.before = [.init("tEXt", [65, 0, 65], hasWrongChecksum: true), .init("eXIf", [], hasWrongChecksum: true)]
        #expect(png.failure(file.data) == nil)
        file.pixelsHaveWrongChecksum = true
        #expect(isMalformed(file.data))
        var header = Self.source.data
        header[29] ^= 1
        #expect(isMalformed(header))
    }

    @Test("invalid headers are malformed")
    func headers() {
        var files = [Self.source, Self.source, Self.source, Self.source, Self.source]
        files[0].width = 0
        files[1].height = 0
        files[2].depth = 3
        files[3].colorType = 5
        files[4].interlace = 7
        for file in files { #expect(isMalformed(file.data)) }
        for (width, height) in [(1 << 31, 1), (1, 1 << 31)] {
            #expect(isMalformed(RawPNG(width: width, height: height, scanlines: [[0]]).data))
        }
        let short = Self.source.data.prefix(8) + Data(RawPNG.Chunk("IHDR", Array(Self.source.data[16..<28])).file)
        #expect(png.failure(short) == .malformed(.png, "the header has 12 bytes"))
        // The depth, the methods of compression, filters and interlacing.
        for (offset, value) in [(8, 1), (8, 4), (10, 1), (11, 1), (12, 2)] as [(Int, UInt8)] {
            var fields = Array(Self.source.data[16..<29])
            fields[offset] = value
            let header = Data(RawPNG.Chunk("IHDR", fields).file)
            #expect(isMalformed(Self.source.data.prefix(8) + header + Self.source.data.dropFirst(33)))
        }
    }

    @Test("an indexed image without palette and an unknown critical chunk are malformed")
    func chunks() {
        #expect(isMalformed(RawPNG(colorType: 3, scanlines: [[0, 1]]).data))
        let palette = [RawPNG.Chunk("PLTE", [1, 2, 3, 4])]
        #expect(isMalformed(RawPNG(colorType: 3, scanlines: [[0, 0]], before: palette).data))
        #expect(png.failure(RawPNG(scanlines: [[0, 1, 2, 3]], before: palette).data) == nil)
        var file = Self.source
        file.before = [.init("ABCD", [1])]
        #expect(isMalformed(file.data))
    }

    @Test("chunks have less than 2^31 bytes, palettes at most 256 colors, and pixels precede the end")
    func chunkLengths() {
        let header = Self.source.data.prefix(33), text = Data("tEXt".utf8)
        #expect(
            png.failure(header + Data(RawPNG.uint32(1 << 31)) + text)
                == .malformed(.png, "a chunk of 2147483648 bytes"))
        #expect(png.failure(header + Data(RawPNG.uint32(1 << 31 - 1)) + text) == .truncated(.png))
        var file = RawPNG(
            colorType: 3, scanlines: [[0, 0]], before: [.init("PLTE", [UInt8](repeating: 7, count: 768))])
        #expect(png.failure(file.data) == nil)
        file.before = [.init("PLTE", [UInt8](repeating: 7, count: 771))]
        #expect(png.failure(file.data) == .malformed(.png, "PLTE is unknown or too long"))
        #expect(
            png.failure(header + Data(RawPNG.Chunk("IEND", []).file)) == .malformed(.png, "the file has no pixels"))
    }

    @Test("an unknown filter is malformed")
    func filter() {
        #expect(isMalformed(RawPNG(scanlines: [[9, 1, 2, 3]]).data))
    }

    @Test("a file with too few pixels is truncated")
    func tooFew() {
        var short = Self.source
        short.scanlines.removeLast()
        #expect(png.failure(short.data) == .truncated(.png))
    }

    @Test("Apple's variant is unsupported")
    func applesVariant() {
        let plain = Self.source.data
        let file = plain.prefix(8) + Data(RawPNG.Chunk("CgBI", [0x50, 0, 0x20, 2]).file) + plain.dropFirst(8)
        #expect(png.failure(file) == .unsupported(.png, "Apple's variant (CgBI)"))
    }

    @Test("a file cut before the last row throws truncated", arguments: [false, true])
    func truncation(interlaced: Bool) throws {
        let source = noise(PixelSize(width: 7, height: 5), isOpaque: false)
        let data = try PNGEncoder().encode(source, options: EncodingOptions(isProgressive: interlaced))
        // After the deflated rows, there are the checksums of the stream and of the chunk, and IEND.
        for count in 8..<data.count - 21 {
            #expect(png.failure(data.prefix(count)) == .truncated(.png), "\(count) of \(data.count) bytes")
        }
        for count in data.count - 20..<data.count { #expect(try png.pixels(data.prefix(count)) == source.pixels) }
    }
}
