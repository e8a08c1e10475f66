import Foundation
import ImageCodecWebP
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

let webp = FileReading(WebPDecoder())

@Suite("Decoding WebP")
struct WebPDecoderTests {
    static let lossless = EncodingOptions(isLossless: true)

    @Test("a lossless image is stored exactly, including the color of transparent pixels", arguments: [false, true])
    func lossless(hasAlpha: Bool) throws {
        let bitmap = Bitmap.gradient(33, 21, hasAlpha: hasAlpha)
        let image = try webp.open(try WebPEncoder().encode(bitmap, options: Self.lossless))
        #expect(image.header == ImageHeader(format: .webP, storedSize: bitmap.size, hasAlpha: hasAlpha))
        #expect(try webp.pixels(image) == bitmap.pixels)
    }

    @Test("an image is only decoded to RGBA")
    func layout() throws {
        let image = try webp.open(try WebPEncoder().encode(.gradient(33, 21), options: Self.lossless))
        let reason = "the image can't be decoded at 33x21 in this layout"
        #expect(throws: ImageDecodingError.unsupported(.webP, reason)) {
            try image.decode(
                frame: 0, size: image.header.storedSize, layout: .gray8, preference: .quality,
                into: CollectingRowSink())
        }
    }

    @Test("each row of a truncated image that is decoded in several parts is delivered once")
    func tallTruncated() throws {
        var random = SeededRandom(seed: 3)
        let size = PixelSize(width: 8, height: 1_024)
        let pixels = (0..<size.area).flatMap { _ in [UInt8.random(in: 0...255, using: &random), 0, 0, 255] }
        let bitmap = Bitmap(size: size, pixels: pixels, isOpaque: true)
        let file = try WebPEncoder().encode(bitmap, options: Self.lossless)
        let sink = CollectingRowSink()
        #expect(throws: ImageDecodingError.truncated(.webP)) {
            try webp.open(file.dropLast(100)).decode(
                frame: 0, size: size, layout: .rgba8, preference: .quality, into: sink)
        }
        #expect(sink.rows.count > 512)
        #expect(sink.pixels.elementsEqual(pixels.prefix(sink.pixels.count)))
    }

    @Test("a lossy image decodes to similar pixels with exact alpha", arguments: [false, true])
    func lossy(hasAlpha: Bool) throws {
        let bitmap = Bitmap.gradient(64, 48, hasAlpha: hasAlpha)
        let image = try webp.open(try WebPEncoder().encode(bitmap, options: EncodingOptions(quality: 0.9)))
        #expect(image.header.hasAlpha == hasAlpha)
        let pixels = try webp.pixels(image)
        for start in stride(from: 0, to: pixels.count, by: 4) {
            #expect(pixels[start + 3] == bitmap.pixels[start + 3])
            guard pixels[start + 3] == 255 else { continue }
            for channel in 0..<3 {
                #expect(abs(Int(pixels[start + channel]) - Int(bitmap.pixels[start + channel])) < 24)
            }
        }
    }

    @Test("sides have up to 16,383 pixels, and encoding stops when its task is cancelled", arguments: [nil, 2])
    func refused(frames: Int?) async {
        #expect(await WebPEncoder(effort: 0).hasLongestSide(16_383))
        #expect(await WebPEncoder().failure(64, 64, frames: frames, isCancelled: true) == .cancelled)
        let tooLong = ImageEncodingError.unsupportedSize(.webP, PixelSize(width: 16_384, height: 1))
        #expect(await WebPEncoder().failure(16_384, 1, frames: 2) == tooLong)
        #expect(WebPEncoder().keepsAlpha)
    }

    @Test("a file has the profile of Display P3, and quality and effort change its size")
    func encoding() throws {
        func size(_ encoder: WebPEncoder, quality: Double) throws -> Int {
            try encoder.encode(.gradient(64, 48), options: EncodingOptions(quality: quality)).count
        }
        let frames = [Bitmap.displayP3, .flat(8, 8, [1, 2, 3, 255])].map { AnimationFrame(bitmap: $0, delay: .zero) }
        for file in [
            try WebPEncoder().encode(.displayP3, options: EncodingOptions()),
            try WebPEncoder().encode(frames, loopCount: 0, options: EncodingOptions()),
        ] { #expect(try webp.open(file).header.colorProfile == ColorSpace.displayP3.profile) }
        #expect(try size(WebPEncoder(), quality: 0.2) < size(WebPEncoder(), quality: 0.95))
        #expect(try size(WebPEncoder(effort: 0), quality: 0.9) != size(WebPEncoder(effort: 6), quality: 0.9))
        #expect(try size(WebPEncoder(effort: -1), quality: 0.9) == size(WebPEncoder(effort: 0), quality: 0.9))
        #expect(try size(WebPEncoder(effort: 7), quality: 0.9) == size(WebPEncoder(effort: 6), quality: 0.9))
    }

    @Test("an image has alpha if the file or its pixels say so", arguments: [false, true], [false, true])
    func hasAlpha(isDeclared: Bool, isTranslucent: Bool) throws {
        var builder = WebPBuilder(6, 4)
        if isDeclared { builder.flag(.alpha) }
        builder.image(
            of: try WebPEncoder().encode(.flat(6, 4, [1, 2, 3, isTranslucent ? 9 : 255]), options: Self.lossless))
        #expect(try webp.open(builder.finished).header.hasAlpha == (isDeclared || isTranslucent))
    }

    /// Returns big-endian Exif data with the orientation only.
    static func exif(_ orientation: Int) -> Data { Data(Scene.exif(orientation: UInt8(orientation))) }

    static func extended(_ build: (inout WebPBuilder) -> Void, after: (inout WebPBuilder) -> Void = { _ in }) throws
        -> Data
    {
        var builder = WebPBuilder(6, 4)
        build(&builder)
        builder.image(of: try WebPEncoder().encode(.flat(6, 4, [10, 20, 30, 255]), options: lossless))
        after(&builder)
        return builder.finished
    }

    @Test("the orientation is read from Exif, and the pixels are not rotated", arguments: ImageOrientation.allCases)
    func orientation(orientation: ImageOrientation) throws {
        let data = try Self.extended({ _ in }, after: { $0.exif(Self.exif(orientation.rawValue)) })
        let image = try webp.open(data)
        #expect(image.header.orientation == orientation)
        #expect(image.header.storedSize == PixelSize(width: 6, height: 4))
        #expect(try webp.pixels(image).count == 96)
    }

    @Test("an EXIF chunk without an orientation does not hide the next one")
    func exifAfterEmptyOne() throws {
        for first in [Data(), Data([1, 2, 3]), Self.exif(9), Self.exif(3).prefix(12)] {
            let data = try Self.extended(
                { _ in },
                after: {
                    $0.exif(first)
                    $0.exif(Self.exif(6))
                    $0.exif(Self.exif(3))
                })
            #expect(try webp.open(data).header.orientation == .right, "\(Array(first))")
        }
    }

    @Test("the header has the stored profile, unless it is above the limit, empty or not declared")
    func profile() throws {
        let profile = Data((0..<101).map { UInt8($0) })
        let data = try Self.extended { $0.profile(profile) }
        #expect(try webp.open(data).header.colorProfile == profile)
        #expect(try webp.open(data, limits: .init(metadataByteLimit: 101)).header.colorProfile == profile)
        #expect(try webp.open(data, limits: .init(metadataByteLimit: 100)).header.colorProfile == nil)
        #expect(try webp.open(try Self.extended { $0.profile(Data()) }).header.colorProfile == nil)
        #expect(try webp.open(try Self.extended { $0.chunk("ICCP", profile) }).header.colorProfile == nil)
    }

    @Test("an exceeded limit is reported by name")
    func limits() throws {
        let data = try WebPEncoder().encode(.gradient(10, 5), options: Self.lossless)
        func refusal(_ limits: DecodingLimits) -> ImageDecodingError? { webp.failure(data, limits: limits) }
        #expect(refusal(.init(encodedByteLimit: 10)) == .limitExceeded(.encodedBytes, value: data.count, allowed: 10))
        #expect(refusal(.init(maxPixels: 49)) == .limitExceeded(.pixels, value: 50, allowed: 49))
        #expect(refusal(.init(maxSide: 9)) == .limitExceeded(.side, value: 10, allowed: 9))
        // Lossless: the output and libwebp's copy, four bytes per pixel each, without its tables.
        #expect(refusal(.init(decodedByteLimit: 399)) == .limitExceeded(.decodedBytes, value: 400, allowed: 399))
        #expect(refusal(.init(decodedByteLimit: 100_000)) == nil)
    }

    @Test("the alpha of a lossy image counts as a lossless image")
    func memoryOfAlpha() throws {
        let data = try WebPEncoder().encode(.gradient(10, 5, hasAlpha: true), options: .init())
        let image = try webp.open(data, limits: .init(decodedByteLimit: 449))
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: 450, allowed: 449)) {
            try webp.pixels(image)
        }
        #expect(try webp.pixels(webp.open(data, limits: .init(decodedByteLimit: 100_000))).count == 200)
    }

    @Test("too many chunks are rejected before libwebp allocates memory for them")
    func chunks() throws {
        func file(chunkCount: Int) throws -> Data {
            try Self.extended { builder in
                builder.chunk("JUNK", Data())
                let empty = Data("JUNK".utf8) + Data(count: 4)
                builder.append(Data(repeatElement(empty, count: chunkCount - 3).joined()))
            }
        }
        #expect(try webp.pixels(webp.open(file(chunkCount: 10_000))).isEmpty == false)
        #expect(throws: ImageDecodingError.malformed(.webP, "too many chunks")) {
            try webp.open(file(chunkCount: 10_001))
        }
        let frames = try WebPAnimationTests.animation(1, 1) { builder in
            for _ in 0..<5 { try builder.frame(.flat(1, 1, [1, 2, 3, 255])) }
            for _ in 0..<9_997 { builder.chunk("JUNK", Data()) }
        }
        #expect(try webp.open(frames).header.frameCount == 5)
    }

    @Test("data after the end of the file is ignored")
    func trailer() throws {
        let data = try WebPEncoder().encode(.gradient(10, 5), options: .init())
        let image = try webp.open(data + Data(count: 200_000))
        #expect(try webp.pixels(image) == webp.pixels(webp.open(data)))
    }

    @Test("a header with the maximum size is rejected before memory is allocated")
    func largest() throws {
        // VP8L: the signature, then 14 bits each of width - 1 and height - 1.
        let image = Data([0x2F, 0xFF, 0xFF, 0xFF, 0x0F, 0, 0, 0, 0, 0])
        let data = Data("RIFF".utf8) + Data([22, 0, 0, 0]) + Data("WEBPVP8L".utf8) + Data([10, 0, 0, 0]) + image
        let opened = try webp.open(data)
        let failure = #expect(throws: ImageDecodingError.self) { try webp.pixels(opened) }
        let bytes = DecodingLimits.default.decodedByteLimit
        guard case .limitExceeded(.decodedBytes, 1_073_741_824..., bytes) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(throws: ImageDecodingError.limitExceeded(.pixels, value: 268_435_456, allowed: 268_435_455)) {
            try webp.open(data, limits: DecodingLimits(maxPixels: 268_435_455))
        }
    }

    @Test("a file truncated anywhere throws truncated and delivers the available rows", arguments: [false, true])
    func truncated(isLossless: Bool) throws {
        let options = EncodingOptions(isLossless: isLossless)
        let data = try WebPEncoder().encode(.gradient(40, 64, hasAlpha: isLossless), options: options)
        let whole = webp.rows(data).rows
        var most = 0
        for count in 0..<data.count {
            let (rows, failure) = webp.rows(data.prefix(count))
            #expect(failure == .truncated(.webP), "\(count) of \(data.count) bytes")
            #expect(rows == Array(whole.prefix(rows.count)))
            #expect(rows.count >= most)
            most = rows.count
        }
        #expect(most > 0)
    }

    @Test("an image with another size than its canvas is malformed")
    func mismatch() throws {
        var builder = WebPBuilder(6, 5)
        builder.image(of: try WebPEncoder().encode(.flat(6, 4, [10, 20, 30, 255]), options: Self.lossless))
        #expect(throws: ImageDecodingError.malformed(.webP, "libwebp rejected the data")) {
            try webp.open(builder.finished)
        }
    }
}

@Suite("Decoding WebP with half the sides")
struct HalfSizeTests {
    static func lossy(_ bitmap: Bitmap) throws -> Data {
        try WebPEncoder().encode(bitmap, options: EncodingOptions(quality: 0.9))
    }

    /// The means of blocks of up to two by two pixels.
    static func means(_ pixels: [UInt8], _ width: Int, _ height: Int) -> [Double] {
        var means: [Double] = []
        for y in stride(from: 0, to: height, by: 2) {
            for x in stride(from: 0, to: width, by: 2) {
                let block = [y, min(y + 1, height - 1)].flatMap { y in
                    [x, min(x + 1, width - 1)].map { y * width + $0 }
                }
                means += (0..<4).map { channel in block.reduce(0) { $0 + Double(pixels[4 * $1 + channel]) } / 4 }
            }
        }
        return means
    }

    @Test("each pixel is the mean of a block", arguments: [(64, 48), (33, 21), (32, 1), (1, 7), (2, 2)])
    func means(width: Int, height: Int) throws {
        let image = try webp.open(Self.lossy(.gradient(width, height)))
        let half = PixelSize(width: (width + 1) / 2, height: (height + 1) / 2)
        #expect(image.decodableSize(covering: half) == half)
        #expect(image.decodableSize(covering: PixelSize(width: 1, height: 1)) == half)
        #expect(image.decodableSize(covering: PixelSize(width: half.width + 1, height: 1)) == image.header.storedSize)
        #expect(image.decodableSize(covering: PixelSize(width: 1, height: half.height + 1)) == image.header.storedSize)
        let pixels = try webp.pixels(image, size: half)
        let means = Self.means(try webp.pixels(image), width, height)
        #expect(pixels.count == means.count)
        // At the stored size, chroma is interpolated. On average, that makes no difference.
        let differences = zip(pixels, means).map { Double($0) - $1 }
        #expect(differences.allSatisfy { abs($0) <= 8 }, "\(differences.map(abs).max() ?? 0)")
        #expect(abs(differences.reduce(0, +)) / Double(differences.count) <= 0.5)
        #expect(stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 })
    }

    @Test(
        "colors are those of the stored size, within the rounding",
        arguments: [[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255], [90, 140, 200]] as [[UInt8]])
    func colors(color: [UInt8]) throws {
        let image = try webp.open(Self.lossy(.flat(32, 32, color + [255])))
        let whole = try webp.pixels(image).prefix(4)
        let half = try webp.pixels(image, size: PixelSize(width: 16, height: 16)).prefix(4)
        #expect(zip(whole, half).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(whole) \(half)")
    }

    @Test("lossless images and images with alpha have only the stored size", arguments: [false, true])
    func otherImages(isLossless: Bool) throws {
        let options = EncodingOptions(isLossless: isLossless)
        let image = try webp.open(
            WebPEncoder().encode(.gradient(32, 32, hasAlpha: !isLossless), options: options))
        let half = PixelSize(width: 16, height: 16)
        #expect(image.decodableSize(covering: half) == image.header.storedSize)
        #expect(throws: ImageDecodingError.self) { try webp.pixels(image, size: half) }
    }

    @Test("the memory is that of the planes")
    func memory() throws {
        let data = try Self.lossy(.gradient(11, 5))
        let half = PixelSize(width: 6, height: 3)
        let byteCount = 11 * 5 + 2 * 6 * 3
        let image = try webp.open(data, limits: .init(decodedByteLimit: byteCount))
        #expect(image.heldByteCount(frame: 0, size: half, layout: .rgba8) == byteCount)
        #expect(try webp.pixels(image, size: half).count == 4 * half.area)
        let limited = try webp.open(data, limits: .init(decodedByteLimit: byteCount - 1))
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: byteCount, allowed: byteCount - 1)) {
            try webp.pixels(limited, size: half)
        }
    }

    @Test("the memory of the planes is taken from the pool of the decoder, and given back")
    func pool() throws {
        let pool = PixelBufferPool(byteLimit: 1 << 20)
        let reading = FileReading(WebPDecoder(pool: pool).using(PixelBufferPool(byteLimit: 0)))
        let image = try reading.open(Self.lossy(.flat(400, 400, [90, 140, 200, 255])))
        let idle = try (0..<2).map { _ in
            _ = try reading.pixels(image, size: PixelSize(width: 200, height: 200))
            return pool.idleByteCount
        }
        #expect(idle[0] >= 400 * 400 * 3 / 2 && idle[1] == idle[0])
    }
}
