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
        #expect(image.header == ImageHeader(format: .webp, storedSize: bitmap.size, hasAlpha: hasAlpha))
        #expect(try webp.pixels(image) == bitmap.pixels)
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
        #expect(try webp.open(data, limits: .init(metadataBytes: 101)).header.colorProfile == profile)
        #expect(try webp.open(data, limits: .init(metadataBytes: 100)).header.colorProfile == nil)
        #expect(try webp.open(try Self.extended { $0.profile(Data()) }).header.colorProfile == nil)
        #expect(try webp.open(try Self.extended { $0.chunk("ICCP", profile) }).header.colorProfile == nil)
    }

    @Test("an exceeded limit is reported by name")
    func limits() throws {
        let data = try WebPEncoder().encode(.gradient(10, 5), options: Self.lossless)
        func refusal(_ limits: DecodingLimits) -> DecodingFailure? { webp.failure(data, limits: limits) }
        #expect(refusal(.init(encodedBytes: 10)) == .limitExceeded(.encodedBytes, value: data.count, allowed: 10))
        #expect(refusal(.init(pixels: 49)) == .limitExceeded(.pixels, value: 50, allowed: 49))
        #expect(refusal(.init(side: 9)) == .limitExceeded(.side, value: 10, allowed: 9))
        // Lossless: the output and libwebp's copy, four bytes per pixel each, without its tables.
        #expect(refusal(.init(decodedBytes: 399)) == .limitExceeded(.decodedBytes, value: 400, allowed: 399))
        #expect(refusal(.init(decodedBytes: 100_000)) == nil)
    }

    @Test("the alpha of a lossy image counts as a lossless image")
    func memoryOfAlpha() throws {
        let data = try WebPEncoder().encode(.gradient(10, 5, hasAlpha: true), options: .init())
        let image = try webp.open(data, limits: .init(decodedBytes: 449))
        #expect(throws: DecodingFailure.limitExceeded(.decodedBytes, value: 450, allowed: 449)) {
            try webp.pixels(image)
        }
        #expect(try webp.pixels(webp.open(data, limits: .init(decodedBytes: 100_000))).count == 200)
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
        #expect(throws: DecodingFailure.malformed(.webp, "too many chunks")) {
            try webp.open(file(chunkCount: 10_001))
        }
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
        let failure = #expect(throws: DecodingFailure.self) { try webp.pixels(opened) }
        let bytes = DecodingLimits.default.decodedBytes
        guard case .limitExceeded(.decodedBytes, 1_073_741_824..., bytes) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(throws: DecodingFailure.limitExceeded(.pixels, value: 268_435_456, allowed: 268_435_455)) {
            try webp.open(data, limits: DecodingLimits(pixels: 268_435_455))
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
            #expect(failure == .truncated(.webp), "\(count) of \(data.count) bytes")
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
        #expect(throws: DecodingFailure.malformed(.webp, "libwebp rejected the data")) {
            try webp.open(builder.finished)
        }
    }
}
