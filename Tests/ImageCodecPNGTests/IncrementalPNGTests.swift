import Foundation
import ImageCodecPNG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("Incremental PNG decoding")
struct IncrementalPNGTests {
    struct Preview: Equatable {
        var extent: PreviewExtent
        var pixels: [UInt8]
    }

    static let images = [
        SyntheticPNG(width: 21, height: 19, colorType: 6, depth: 8),
        SyntheticPNG(width: 21, height: 19, colorType: 6, depth: 8, isInterlaced: true),
        SyntheticPNG(width: 9, height: 30, colorType: 3, depth: 2, isInterlaced: true, hasTransparency: true),
        SyntheticPNG(width: 30, height: 9, colorType: 0, depth: 16, hasTransparency: true),
        SyntheticPNG(width: 1, height: 5, colorType: 2, depth: 8, isInterlaced: true),
    ]

    /// Appends `data` in pieces of `length` and returns the preview after each number of bytes.
    private func previews(of data: Data, piecesOf length: Int) throws -> [Int: Preview] {
        let image = PNGDecoder().makeIncrementalImage(limits: .default)
        var (noted, count, isStarted) = ([Int: Preview](), 0, false)
        while count < data.count {
            let piece = data.dropFirst(count).prefix(length)
            try image.append(piece)
            count += piece.count
            if !isStarted, let header = image.header {
                try image.start(size: header.storedSize, layout: .rgba8)
                isStarted = true
            }
            noted[count] = try preview(of: image)
        }
        return noted
    }

    private func preview(of image: any IncrementalImage) throws -> Preview {
        let sink = CollectingRowSink()
        try image.decodePreview(into: sink)
        return Preview(extent: image.extent, pixels: sink.pixels)
    }

    /// Returns an image that has been started with `data`.
    private func started(_ data: Data, limits: DecodingLimits = .default) throws -> any IncrementalImage {
        let image = PNGDecoder().makeIncrementalImage(limits: limits)
        try image.append(data)
        let header = try #require(image.header)
        try image.start(size: header.storedSize, layout: .rgba8)
        return image
    }

    @Test("an image gains rows as they arrive")
    func rows() throws {
        let source = Self.images[0]
        let data = source.raw.data
        let pixels = source.pixels
        let previews = try previews(of: data, piecesOf: 1)
        for count in 1...data.count {
            let preview = try #require(previews[count])
            let known = max(0, count - (8 + 25 + 8 + 2 + 5)) / (source.width * 4 + 1)
            #expect(preview.extent.rows == min(known, source.height))
            #expect(preview.pixels == Array(pixels.prefix(preview.extent.rows * source.width * 4)))
        }
    }

    @Test("an interlaced image gains passes, whose pixels fill blocks")
    func passes() throws {
        let source = Self.images[1]
        let previews = try previews(of: source.raw.data, piecesOf: 1)
        let shown = Dictionary(grouping: previews.values, by: \.extent)
        let partial = (1...2).map { PreviewExtent(passes: 0, rows: 8 * $0) }
        let whole = (1...7).map { PreviewExtent(passes: $0, rows: source.height) }
        #expect(Set(shown.keys) == Set([.nothing] + partial + whole))
        for (extent, previews) in shown {
            let expected = source.shown(
                passes: extent.passes, rowsInPass: extent.passes == 0 ? (extent.rows + 7) / 8 : 0)
            let pixels = Array(expected.joined())
            #expect(previews.allSatisfy { $0.pixels == pixels }, "\(extent)")
        }
    }

    @Test("the header is available when the pixels start, with an orientation before them")
    func header() throws {
        var file = Self.images[0].raw
        file.before.append(
            .init("eXIf", [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]))
        let data = file.data
        let pixels = 8 + 25 + 12 + 22 + 8
        let image = PNGDecoder().makeIncrementalImage(limits: .default)
        for count in 0..<pixels {
            #expect(image.header == nil, "\(count) bytes")
            try image.append(data.dropFirst(count).prefix(1))
        }
        #expect(image.header == (try PNGDecoder().open(data, limits: .default).header))
        #expect(image.header?.orientation == .right)
        #expect(image.extent == .nothing)
        #expect(image.decodableSize(covering: PixelSize(width: 1, height: 1)) == PixelSize(width: 21, height: 19))
        #expect(image.heldByteCount(size: PixelSize(width: 21, height: 19), layout: .rgba8) == 21 * 19 * 4)
    }

    @Test("bytes that are appended before start are decoded")
    func lateStart() throws {
        let source = Self.images[1]
        let data = source.raw.data
        let image = PNGDecoder().makeIncrementalImage(limits: .default)
        for start in stride(from: 0, to: data.count, by: 100) { try image.append(data.dropFirst(start).prefix(100)) }
        #expect(try preview(of: image) == Preview(extent: .nothing, pixels: []))
        try image.start(size: PixelSize(width: 21, height: 19), layout: .rgba8)
        #expect(try preview(of: image).pixels == source.pixels)
    }

    @Test("damage throws as soon as it arrives")
    func damage() throws {
        let data = Self.images[0].raw.data
        let image = try started(data.prefix(500))
        var rest = Data(data.dropFirst(500))
        rest[rest.count - 14] ^= 1
        #expect(throws: ImageDecodingError.malformed(.png, "IDAT has a wrong checksum")) { try image.append(rest) }
    }

    @Test("other files, Apple's variant and a chunk before the header are rejected before the header is available")
    func refusals() {
        let cases: [(Data, ImageDecodingError)] = [
            (Data("GIF89a..".utf8), .malformed(.png, "the PNG signature is missing")),
            (
                Data(PNGDecoderSignature.bytes + RawPNG.Chunk("CgBI", [0, 0, 0, 0]).file),
                .unsupported(.png, "Apple's variant (CgBI)")
            ),
            (
                Data(PNGDecoderSignature.bytes + RawPNG.Chunk("tEXt", [65, 0]).file),
                .malformed(.png, "tEXt precedes the header")
            ),
        ]
        for (data, failure) in cases {
            #expect(throws: failure) {
                try PNGDecoder().makeIncrementalImage(limits: .default).append(data)
            }
        }
    }

    @Test("the limits on pixels, side, encoded bytes and decoded bytes apply")
    func limits() throws {
        let source = Self.images[0]
        let data = source.raw.data
        let append = { (limits: DecodingLimits) throws in
            try PNGDecoder().makeIncrementalImage(limits: limits).append(data)
        }
        #expect(throws: ImageDecodingError.limitExceeded(.pixels, value: 399, allowed: 398)) {
            try append(DecodingLimits(maxPixels: 398))
        }
        #expect(throws: ImageDecodingError.limitExceeded(.side, value: 21, allowed: 20)) {
            try append(DecodingLimits(maxSide: 20))
        }
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: 1596, allowed: 1595)) {
            try started(data, limits: DecodingLimits(decodedByteLimit: 1595))
        }
        _ = try started(data, limits: DecodingLimits(encodedByteLimit: data.count, decodedByteLimit: 1596))
        let exact = ImageDecodingError.limitExceeded(.encodedBytes, value: data.count, allowed: data.count - 1)
        #expect(throws: exact) { try append(DecodingLimits(encodedByteLimit: data.count - 1)) }
        let pieces = PNGDecoder().makeIncrementalImage(limits: DecodingLimits(encodedByteLimit: data.count - 1))
        try pieces.append(data.dropLast())
        #expect(throws: exact) { try pieces.append(data.suffix(1)) }
    }

    @Test("a large image without data needs little memory, and other sizes are rejected")
    func promises() throws {
        let file = RawPNG(width: 9_000, height: 9_000, colorType: 6, scanlines: [[0, 1, 2, 3, 4]])
        let image = try started(file.data)
        #expect(image.extent == .nothing)
        let other = PNGDecoder().makeIncrementalImage(limits: .default)
        try other.append(file.data)
        #expect(throws: ImageDecodingError.unsupported(.png, "9000x9000 can't be scaled to 1x1")) {
            try other.start(size: PixelSize(width: 1, height: 1), layout: .rgba8)
        }
    }
}

private enum PNGDecoderSignature {
    static let bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
}
