import Foundation
import ImageCodecBMP
import ImageCodecPNG
import ImageCore
import ImageTesting
import Testing

@Suite("BMP and ICO: headers, masks and palettes")
struct DIBHeaderTests {
    private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// Returns a header of a length, with bytes from its offset 40 on, and what follows it.
    private static func dib(
        length: Int = 40, width: Int = 1, height: Int = 1, bits: Int = 24, compression: Int = 0, colors: Int = 0,
        extra: [UInt8] = [], _ rest: [UInt8] = []
    ) -> Data {
        let sides = [length, width, height].flatMap { bytes($0, 4) } + bytes(1, 2) + bytes(bits, 2)
        let header = sides + [compression, 0, 0, 0, colors, 0].flatMap { bytes($0, 4) } + extra
        return Data((header + [UInt8](repeating: 0, count: 124)).prefix(length) + rest)
    }

    private static func bmp(_ dib: Data, pixels: Int = 0) -> Data {
        Data(Array("BM".utf8) + bytes(0, 8) + bytes(pixels, 4)) + dib
    }

    private static func masks(_ masks: Int...) -> [UInt8] { masks.flatMap { bytes($0, 4) } }

    private static let channels = masks(0xFF, 0xFF00, 0xFF_0000)

    private func pixels(_ file: Data, _ decoder: any ImageDecoder = BMPDecoder()) throws -> [UInt8] {
        let image = try decoder.open(file, limits: .default)
        let sink = CollectingRowSink()
        try image.decode(frame: 0, size: image.header.storedSize, layout: .rgba8, into: sink)
        return sink.pixels
    }

    /// A file of the first version, whose palette has no fourth bytes.
    private static let core = bmp(
        Data(bytes(12, 4) + [1, 1, 1, 8].flatMap { bytes($0, 2) } + [0, 0, 0, 3, 2, 1])
            + Data(count: 254 * 3) + [1, 0, 0, 0])

    private static let variants: [(Data, [UInt8])] = [
        (bmp(dib(length: 16, [3, 2, 1, 0])), [1, 2, 3, 255]),
        (bmp(dib([9, 9, 9, 9, 3, 2, 1, 0]), pixels: 58), [1, 2, 3, 255]),
        (bmp(dib(colors: 1, [9, 9, 9, 9, 3, 2, 1, 0])), [1, 2, 3, 255]),
        (bmp(dib(bits: 16, [0, 0x7C, 0, 0])), [255, 0, 0, 255]),
        // 3 of 31 is 24.7.
        (bmp(dib(bits: 16, [3, 0, 0, 0])), [0, 0, 25, 255]),
        (bmp(dib(bits: 32, compression: 3, channels + [1, 2, 3, 4])), [1, 2, 3, 255]),
        (bmp(dib(bits: 32, compression: 6, channels + masks(0xFF00_0000) + [1, 2, 3, 4])), [1, 2, 3, 4]),
        // The second version has no mask of alpha, the third one has.
        (bmp(dib(length: 52, bits: 32, compression: 3, extra: channels, [1, 2, 3, 4])), [1, 2, 3, 255]),
        (
            bmp(dib(length: 56, bits: 32, compression: 3, extra: channels + masks(0xFF00_0000), [1, 2, 3, 4])),
            [1, 2, 3, 4]
        ),
        (bmp(dib(length: 108, bits: 32, compression: 3, extra: channels, [1, 2, 3, 4])), [1, 2, 3, 255]),
        (bmp(dib(bits: 8, [UInt8](repeating: 0, count: 1_020) + [3, 2, 1, 0, 255, 0, 0, 0])), [1, 2, 3, 255]),
        (bmp(dib(bits: 8, colors: 256, [0, 0, 0, 0, 3, 2, 1, 0, 1, 0, 0, 0]), pixels: 62), [1, 2, 3, 255]),
        // An odd number of indices is padded.
        (
            bmp(
                dib(
                    height: 2, bits: 8, compression: 1, colors: 2,
                    [0, 0, 0, 0, 3, 2, 1, 0, 0, 3, 1, 0, 0, 7, 0, 0, 1, 1])), [1, 2, 3, 255, 1, 2, 3, 255]
        ),
        (core, [1, 2, 3, 255]),
        (bmp(dib(bits: 2, [0, 0, 0, 0, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0])), [1, 2, 3, 255]),
        // The end of run lengths, after which pixels are left out.
        (bmp(dib(bits: 8, compression: 1, colors: 1, [3, 2, 1, 0, 0, 1])), [1, 2, 3, 255]),
    ]

    @Test("each version of the header, its masks and its palette are read", arguments: variants)
    func versions(file: Data, expected: [UInt8]) throws {
        #expect(try pixels(file) == expected)
        let hasAlpha = try BMPDecoder().open(file, limits: .default).header.hasAlpha
        #expect(hasAlpha == (expected[3] < 255))
    }

    private static let mask = "the masks of the channels are"
    private static let damaged: [(Data, ImageDecodingError)] = [
        (bmp(dib(height: 0)), .malformed(.bmp, "the size is 1x0")),
        (bmp(dib(length: 13)), .malformed(.bmp, "the header has 13 bytes")),
        (bmp(dib(bits: 8, compression: 1, [0, 0, 0, 0])), .truncated(.bmp)),
        (bmp(dib(length: 64, bits: 16, compression: 3)), .unsupported(.bmp, "the compression 3")),
        (
            bmp(dib(bits: 8, compression: 2)),
            .malformed(.bmp, "8 bits per pixel with the compression 2")
        ),
        (
            bmp(dib(bits: 32, compression: 3, masks(0xF0F, 0xF000, 0xF_0000))),
            .malformed(.bmp, "\(mask) [3855, 61440, 983040]")
        ),
        (
            bmp(dib(bits: 16, compression: 3, masks(0x1_0000, 0xF0, 0xF))), .malformed(.bmp, "\(mask) [65536, 240, 15]")
        ),
    ]

    @Test("a damaged header is refused", arguments: damaged)
    func refused(file: Data, error: ImageDecodingError) {
        #expect(throws: error) { try BMPDecoder().open(file, limits: .default) }
    }

    @Test("run lengths of 4 bits have two pixels per byte, also an odd number of them, and skip pixels")
    func nibbles() throws {
        let palette = (0..<4).flatMap { index -> [UInt8] in [UInt8(index), 0, 0, 0] }
        let runs: [UInt8] = [0, 5, 0x12, 0x31, 0x20, 0, 2, 0x31, 0, 0, 0, 2, 5, 0, 2, 0x31, 0, 1]
        let file = Self.bmp(Self.dib(width: 7, height: 2, bits: 4, compression: 2, colors: 4, palette + runs))
        let blue = try pixels(file).enumerated().filter { $0.offset % 4 == 2 }.map(\.element)
        #expect(blue == [0, 0, 0, 0, 0, 3, 1] + [1, 2, 3, 1, 2, 3, 1])
    }

    @Test("run lengths that end early are truncated")
    func truncatedRuns() {
        let file = Self.bmp(Self.dib(height: 2, bits: 8, compression: 1, colors: 1, [0, 0, 0, 0, 1, 0]))
        #expect(throws: ImageDecodingError.truncated(.bmp)) { try pixels(file) }
    }

    @Test("a profile is read up to its limit, and a file too")
    func limits() throws {
        let place = [UInt8](repeating: 0, count: 16) + Self.masks(0x4D42_4544) + [UInt8](repeating: 0, count: 52)
        let file = Self.bmp(
            Self.dib(length: 124, extra: place + Self.masks(124, 3), Array("abc".utf8) + [0, 3, 2, 1, 0]), pixels: 142)
        func profile(_ limit: Int) throws -> Data? {
            try BMPDecoder().open(file, limits: DecodingLimits(metadataByteLimit: limit)).header.colorProfile
        }
        #expect(try profile(3) == Data("abc".utf8) && profile(2) == nil)
        let limits = DecodingLimits(encodedByteLimit: file.count - 1)
        let error = ImageDecodingError.limitExceeded(.encodedBytes, value: file.count, allowed: file.count - 1)
        #expect(throws: error) { try BMPDecoder().open(file, limits: limits) }
        let icon = Self.icon([])
        let few = ImageDecodingError.limitExceeded(.encodedBytes, value: icon.count, allowed: icon.count - 1)
        #expect(throws: few) {
            try ICODecoder(png: nil).open(icon, limits: DecodingLimits(encodedByteLimit: icon.count - 1))
        }
        #expect(throws: ImageDecodingError.noSuchFrame(1, frameCount: 1)) {
            try BMPDecoder().open(file, limits: .default)
                .decode(frame: 1, size: PixelSize(width: 1, height: 1), layout: .rgba8, into: CollectingRowSink())
        }
        let runs = try BMPDecoder().open(try #require(Self.variants.last).0, limits: .default)
        #expect(runs.heldByteCount(frame: 0, size: PixelSize(width: 5, height: 3), layout: .rgba8) == 15)
    }

    @Test("a profile in another file is not read")
    func linkedProfile() throws {
        let place = [UInt8](repeating: 0, count: 16) + Self.masks(0x4C49_4E4B) + [UInt8](repeating: 0, count: 52)
        let file = Self.bmp(
            Self.dib(length: 124, extra: place + Self.masks(124, 3), Array("abc".utf8) + [0, 3, 2, 1, 0]), pixels: 142)
        #expect(try BMPDecoder().open(file, limits: .default).header.colorProfile == nil)
    }

    @Test("a bitmap is only decoded to RGBA")
    func layout() throws {
        let image = try BMPDecoder().open(Self.variants[0].0, limits: .default)
        let failure = ImageDecodingError.unsupported(.bmp, "it can only be decoded as RGBA in its size")
        #expect(throws: failure) {
            try image.decode(frame: 0, size: image.header.storedSize, layout: .gray8, into: CollectingRowSink())
        }
    }

    /// Returns an icon with images.
    private static func icon(_ images: [Data]) -> Data {
        var (directory, end) = ([0, 0, 1, 0] + bytes(images.count, 2), 6 + 16 * images.count)
        for image in images {
            directory += bytes(0x01_01, 8) + bytes(image.count, 4) + bytes(end, 4)
            end += image.count
        }
        return Data(directory) + Data(images.joined())
    }

    private static func image(_ level: UInt8, height: Int = 2, bits: Int = 24, _ rest: [UInt8] = [0, 0, 0, 0]) -> Data {
        dib(height: height, bits: bits, [level, level, level, 0] + rest)
    }

    private static func error(_ images: [Data]) -> ImageDecodingError? {
        #expect(throws: ImageDecodingError.self) {
            _ = try ICODecoder(png: PNGDecoder()).open(icon(images), limits: .default)
        }
    }

    @Test("the first of equal images in an icon is shown, with its mask if there is one")
    func icons() throws {
        let decoder = ICODecoder(png: PNGDecoder())
        #expect(try pixels(Self.icon([Self.image(1), Self.image(2)]), decoder) == [1, 1, 1, 255])
        #expect(try pixels(Self.icon([Self.image(1, bits: 32, [0x80, 0, 0, 0])]), decoder) == [1, 1, 1, 0])
        #expect(try pixels(Self.icon([Self.image(1, [])]), decoder) == [1, 1, 1, 255])
        #expect(try pixels(Self.icon([Self.image(1, bits: 32)]), decoder) == [1, 1, 1, 255])
        #expect(try pixels(Self.icon([Self.image(1, height: 3), Self.image(2)]), decoder) == [2, 2, 2, 255])
        // The rows of the mask are padded to four bytes.
        let rows = Self.image(1, height: 4, [2, 2, 2, 0, 0, 0, 0, 0, 0x80, 0, 0, 0])
        #expect(try pixels(Self.icon([rows]), decoder) == [2, 2, 2, 0, 1, 1, 1, 255])
        let many =
            [Data](repeating: Self.image(1), count: 64) + [
                Self.image(2, height: 4, [2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0])
            ]
        #expect(try decoder.open(Self.icon(many), limits: .default).header.storedSize.height == 1)
        let options = EncodingOptions(isProgressive: true)
        let gray = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [7, 7, 7, 255], isOpaque: true)
        let png = try PNGEncoder().encode(gray, options: options)
        let best = Self.icon([Self.image(1), png])
        #expect(try pixels(best, decoder) == [7, 7, 7, 255])
        let opened = try decoder.open(best, limits: .default)
        let held = opened.heldByteCount(frame: 0, size: opened.header.storedSize, layout: .rgba8)
        #expect(opened.header.format == .ico && held == 4)
    }

    @Test("an icon without a whole image tells what is wrong with the first")
    func damagedIcons() {
        let odd = ImageDecodingError.malformed(.ico, "an image without a mask, or with run lengths")
        #expect(Self.error([Self.image(1, height: 3)]) == odd)
        #expect(Self.error([Self.dib(height: 2, bits: 8, compression: 1, colors: 1, [0, 0, 0, 0])]) == odd)
        #expect(Self.error([Self.dib(length: 50).prefix(45), Self.image(1, height: 3)]) == .truncated(.ico))
        let apple = Data([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 4]) + Data("CgBI".utf8) + Data(count: 8)
        #expect(Self.error([apple]) == .unsupported(.ico, "Apple's variant (CgBI)"))
    }
}
