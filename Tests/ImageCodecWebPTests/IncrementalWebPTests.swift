import Foundation
import ImageCodecWebP
import ImageCore
import ImageTesting
import Testing

@Suite("Incremental WebP decoding")
struct IncrementalWebPTests {
    private static let size = PixelSize(width: 64, height: 128)

    @Test("an image gains rows as they arrive, and rows do not change", arguments: [false, true])
    func rows(_ isLossless: Bool) throws {
        let data = try Self.encoded(isLossless: isLossless)
        let whole = try Self.whole(data)
        var seen: Set<Int> = []
        try Self.feed(data, in: 100) { image in
            let rows = CollectingRowSink()
            try image.decodePreview(into: rows)
            #expect(rows.rows == Array(whole.prefix(image.extent.rows)))
            seen.insert(image.extent.rows)
            #expect(image.extent.passes == (image.extent.rows == 128 ? 1 : 0))
        }
        #expect(seen.count > 3)
        #expect(seen.contains(128))
    }

    @Test("the header has the profile before the pixels")
    func profile() throws {
        let profile = Data((0..<200).map { UInt8($0) })
        let still = try Self.encoded(isLossless: false)
        let data = Self.riff([
            ("VP8X", Data([0x20, 0, 0, 0, 63, 0, 0, 127, 0, 0])), ("ICCP", profile),
            ("VP8 ", Data(still.dropFirst(20))),
        ])
        let image = WebPDecoder().makeIncrementalImage(limits: .default)
        try image.append(data.prefix(300))
        #expect(image.header?.colorProfile == profile)
        #expect(image.header?.storedSize == Self.size)
    }

    @Test("an animation has a header but no previews")
    func animation() throws {
        let bitmap = Self.bitmap
        let data = try WebPEncoder().encode(
            [
                AnimationFrame(bitmap: bitmap, delay: .milliseconds(50)),
                .init(bitmap: bitmap, delay: .milliseconds(50)),
            ],
            loopCount: 0, options: EncodingOptions())
        let image = try #require(try Self.feed(data, in: 64) { #expect($0.extent == .nothing) })
        #expect(image.header?.storedSize == Self.size)
        #expect(image.decodableSize(covering: PixelSize(width: 1, height: 1)) == Self.size)
    }

    @Test("rows of half the sides are those of the whole image, and need the memory of the planes")
    func halfSides() throws {
        let data = try Self.encoded(isLossless: false)
        let half = PixelSize(width: 32, height: 64), bytes = Self.size.area * 3 / 2
        let whole = CollectingRowSink()
        try WebPDecoder().open(data, limits: .default).decode(frame: 0, size: half, layout: .rgba8, into: whole)
        let image = WebPDecoder().makeIncrementalImage(limits: DecodingLimits(decodedByteLimit: bytes))
        var (seen, isStarted) = (Set<Int>(), false)
        for byte in data {
            try image.append(Data([byte]))
            if image.header == nil { continue }
            if !isStarted { try image.start(size: half, layout: .rgba8) }
            isStarted = true
            guard seen.insert(image.extent.rows).inserted else { continue }
            let rows = CollectingRowSink()
            try image.decodePreview(into: rows)
            #expect(rows.rows == Array(whole.rows.prefix(image.extent.rows)))
        }
        #expect(seen.count > 3)
        #expect(image.extent == PreviewExtent(passes: 1, rows: 64))
        #expect(image.heldByteCount(size: half, layout: .rgba8) == bytes)
        let limited = WebPDecoder().makeIncrementalImage(limits: DecodingLimits(decodedByteLimit: bytes - 1))
        try limited.append(data)
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: bytes, allowed: bytes - 1)) {
            try limited.start(size: half, layout: .rgba8)
        }
    }

    @Test("bytes after the end of the file are ignored, whatever their number")
    func trailer() throws {
        let data = try Self.encoded(isLossless: true)
        let image = WebPDecoder().makeIncrementalImage(limits: DecodingLimits(encodedByteLimit: data.count))
        try image.append(data)
        try image.start(size: Self.size, layout: .rgba8)
        #expect(image.extent == PreviewExtent(passes: 1, rows: 128))
        try image.append(Data(count: 2 * data.count))
    }

    @Test("a file without an image has no header")
    func noImage() throws {
        let image = WebPDecoder().makeIncrementalImage(limits: .default)
        try image.append(Self.riff([("VP8X", Data([0, 0, 0, 0, 63, 0, 0, 127, 0, 0]))]))
        #expect(image.header == nil)
    }

    @Test("a lossless image is decoded only if its tables are within the limit")
    func tables() throws {
        let data = try Self.encoded(isLossless: true)
        let image = WebPDecoder().makeIncrementalImage(limits: DecodingLimits(decodedByteLimit: 8 * Self.size.area))
        #expect(throws: ImageDecodingError.self) {
            try image.append(data)
            try image.start(size: Self.size, layout: .rgba8)
        }
        #expect(image.extent == .nothing)
    }

    @Test("the bytes are limited, and the memory is that of the pixels")
    func limits() throws {
        let data = try Self.encoded(isLossless: true)
        let image = WebPDecoder().makeIncrementalImage(limits: DecodingLimits(encodedByteLimit: data.count - 1))
        try image.append(data.dropLast())
        #expect(image.heldByteCount(size: Self.size, layout: .rgba8) == 4 * Self.size.area)
        #expect(
            throws: ImageDecodingError.limitExceeded(.encodedBytes, value: data.count, allowed: data.count - 1)
        ) { try image.append(data.suffix(1)) }
    }

    @Test("an image without alpha is opaque, whatever alpha its pixels have")
    func storedAlpha() throws {
        let pixels = Self.bitmap.pixels.enumerated().map { $0.offset % 4 == 3 ? 128 : $0.element }
        let source = Bitmap(size: Self.size, pixels: pixels, isOpaque: false)
        var data = try WebPEncoder().encode(source, options: EncodingOptions(isLossless: true))
        // The bit after the two sides says whether there is alpha (RFC 9649, 3.4).
        try #require(data[12..<16].elementsEqual("VP8L".utf8))
        data[24] &= ~0x10
        let image = try #require(try Self.feed(data, in: 100) { _ in })
        let rows = CollectingRowSink()
        try image.decodePreview(into: rows)
        #expect(rows.pixels == Self.bitmap.pixels)
        #expect(try Self.whole(data).flatMap { $0 } == Self.bitmap.pixels)
    }

    @Test("malformed data throws")
    func malformed() throws {
        var data = try Self.encoded(isLossless: true)
        data.replaceSubrange(20..<21, with: [0])
        let image = WebPDecoder().makeIncrementalImage(limits: .default)
        #expect(throws: ImageDecodingError.malformed(.webP, "libwebp rejected the data")) { try image.append(data) }
    }

    @Test("damaged pixels throw")
    func damaged() throws {
        var data = try Self.encoded(isLossless: true)
        data.replaceSubrange(
            data.count / 2..<data.count - 8, with: Data(repeating: 0xFF, count: data.count - 8 - data.count / 2))
        let image = WebPDecoder().makeIncrementalImage(limits: .default)
        #expect(throws: ImageDecodingError.malformed(.webP, "libwebp rejected the data")) {
            try image.append(data)
            try image.start(size: Self.size, layout: .rgba8)
        }
    }

    @Test("start rejects sizes other than the stored one and its half, and layouts other than RGBA")
    func otherSize() throws {
        let image = WebPDecoder().makeIncrementalImage(limits: .default)
        try image.append(try Self.encoded(isLossless: false))
        for (size, layout) in [(PixelSize(width: 16, height: 32), PixelLayout.rgba8), (Self.size, .gray8)] {
            #expect(throws: ImageDecodingError.self) { try image.start(size: size, layout: layout) }
        }
    }

    private static let bitmap = Bitmap(
        size: size,
        pixels: (0..<size.area).flatMap { index -> [UInt8] in
            let (x, y) = (index % 64, index / 64)
            return [UInt8(x * 4), UInt8(y * 2), UInt8(truncatingIfNeeded: x * y * 7), 255]
        }, isOpaque: true)

    private static func encoded(isLossless: Bool) throws -> Data {
        try WebPEncoder().encode(bitmap, options: EncodingOptions(isLossless: isLossless))
    }

    private static func whole(_ data: Data) throws -> [[UInt8]] {
        let rows = CollectingRowSink()
        try WebPDecoder().open(data, limits: .default).decode(frame: 0, size: size, layout: .rgba8, into: rows)
        return rows.rows
    }

    @discardableResult
    private static func feed(
        _ data: Data, in length: Int, look: (any IncrementalImage) throws -> Void
    ) throws -> (any IncrementalImage)? {
        let image = WebPDecoder().makeIncrementalImage(limits: .default)
        var isStarted = false
        for start in stride(from: 0, to: data.count, by: length) {
            try image.append(data.dropFirst(start).prefix(length))
            if !isStarted, image.header != nil {
                try image.start(size: size, layout: .rgba8)
                isStarted = true
            }
            if isStarted { try look(image) }
        }
        return image
    }

    private static func riff(_ chunks: [(String, Data)]) -> Data {
        var body = Data("WEBP".utf8)
        for (name, payload) in chunks {
            body += Data(name.utf8) + word(payload.count) + payload + Data(count: payload.count % 2)
        }
        return Data("RIFF".utf8) + word(body.count) + body
    }

    private static func word(_ value: Int) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }
}
