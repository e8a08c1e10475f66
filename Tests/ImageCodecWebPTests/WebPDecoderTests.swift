import CImageCodecWebP
import Foundation
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages
@testable import ImageCodecWebP

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

    @Test("a file has the signatures RIFF and WEBP")
    func signatures() throws {
        let data = try WebPEncoder().encode(.gradient(4, 4), options: Self.lossless)
        var (wave, other) = (data, data)
        wave.replaceSubrange(8..<12, with: Data("WAVE".utf8))
        other.replaceSubrange(0..<4, with: Data("RIFX".utf8))
        for (data, isRecognized) in [(data.prefix(12), true), (data.prefix(11), false), (wave, false), (other, false)] {
            #expect(WebPDecoder().recognizes(data) == isRecognized)
        }
        for data in [wave, other] {
            #expect(webp.failure(data) == .malformed(.webP, "the RIFF and WEBP signatures are missing"))
        }
        #expect(WebPDecoder().format == .webP)
    }

    @Test("a lack of memory and an unknown feature are not reported as damage")
    func outcomes() {
        let failures: [(webp_outcome, ImageDecodingError)] = [
            (webp_truncated, .truncated(.webP)), (webp_malformed, .malformed(.webP, "libwebp rejected the data")),
            (webp_unsupported, .unsupported(.webP, "libwebp does not support this kind of image")),
            (webp_out_of_memory, .unsupported(.webP, "libwebp could not allocate memory")),
        ]
        for (outcome, failure) in failures { #expect(throws: failure) { try check(outcome) } }
    }

    @Test("an image is received at once if its sink can, or else in rows")
    func imageAtOnce() throws {
        let bitmap = Bitmap.gradient(33, 21)
        let image = try webp.open(try WebPEncoder().encode(bitmap, options: Self.lossless))
        let sink = CancellingSink(receivesImages: true)
        try image.decode(frame: 0, size: bitmap.size, layout: .rgba8, into: sink)
        #expect(sink.image == bitmap.pixels)
        #expect(sink.rows == 0)
        let lossy = try webp.open(try WebPEncoder().encode(bitmap, options: EncodingOptions()))
        let half = CancellingSink(receivesImages: true)
        try lossy.decode(frame: 0, size: PixelSize(width: 17, height: 11), layout: .rgba8, into: half)
        #expect(half.rows == 11)
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
        let two = try Self.extended {
            $0.profile(profile)
            $0.profile(profile + [1])
        }
        #expect(try webp.open(two).header.colorProfile == profile)
        let undeclared = try Self.extended({ _ in }, after: { $0.chunk("EXIF", Self.exif(6)) })
        #expect(try webp.open(undeclared).header.orientation == .up)
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

    @Test("bytes after the end that the file declares do not complete its pixels", arguments: [false, true])
    func declaredEnd(isLossless: Bool) throws {
        let options = EncodingOptions(isLossless: isLossless)
        var data = try WebPEncoder().encode(.gradient(64, 48), options: options)
        for offset in [4, 16] {
            let size = Int(data[offset]) | Int(data[offset + 1]) << 8
            data[offset] = UInt8((size - 20) & 255)
            data[offset + 1] = UInt8((size - 20) >> 8)
        }
        // libwebp finds damage in a lossless image that ends early.
        let rejected = ImageDecodingError.malformed(.webP, "libwebp rejected the data")
        for data in [data, data.dropLast(20)] {
            #expect(webp.failure(data) == (isLossless ? rejected : .truncated(.webP)))
        }
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
