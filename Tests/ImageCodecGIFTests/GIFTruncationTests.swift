import Foundation
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages
@testable import ImageCodecGIF

@Suite("Truncated GIF files")
struct GIFTruncationTests {
    /// Appends an image with one column and the codes of `pixels`. The block length promises more data.
    static func appendTruncatedImage(
        _ builder: inout GIFBuilder, height: Int, pixels: [UInt8], isInterlaced: Bool = false
    ) {
        builder.descriptor(0, 0, 1, height, isInterlaced: isInterlaced)
        let codes = GIFBuilder.lzw(codes: [8] + pixels.map(Int.init), codeSize: 3) { _ in 4 }
        builder.append([codes[0], 200] + codes[2..<codes.count - 1])
    }

    @Test("a file that ends within its header is truncated", arguments: [0, 5, 6, 10, 12, 13, 14])
    func header(length: Int) {
        var builder = GIFBuilder(1, 1)
        builder.image(0, 0, 1, 1, [1])
        let file = builder.finished.prefix(length)
        #expect(throws: ImageDecodingError.truncated(.gif)) { try gif.open(file) }
    }

    @Test("the available rows of a still image are delivered")
    func still() throws {
        var builder = GIFBuilder(1, 9)
        Self.appendTruncatedImage(&builder, height: 9, pixels: [1, 2, 3])
        let (text, failure) = GIFReading.rows(builder.data)
        #expect(text == "W R G")
        #expect(failure == .truncated(.gif))
    }

    @Test("missing rows of an interlaced image repeat the row above", arguments: [1, 3, 5])
    func interlaced(count: Int) throws {
        var builder = GIFBuilder(1, 18)
        // Rows 0, 8, 16, then 4, 12. With an even count, the padding bits of the last byte would be another pixel.
        Self.appendTruncatedImage(
            &builder, height: 18, pixels: [1, 2, 3, 4, 5].prefix(count).map { UInt8($0) }, isInterlaced: true)
        let (text, failure) = GIFReading.rows(builder.data)
        let known: [Int: Character] = [0: "W", 8: "R", 16: "G", 4: "B", 12: "Y"]
        let rows = [0, 8, 16, 4, 12].prefix(count)
        let expected = (0..<min(18, 8 * count)).map { y in
            String(known[rows.filter { $0 <= y }.max() ?? 0] ?? "?")
        }
        #expect(text == expected.joined(separator: " "))
        #expect(failure == .truncated(.gif))
    }

    @Test("a truncated frame is drawn over the complete earlier frames")
    func animation() throws {
        var builder = GIFBuilder(1, 3)
        builder.image(0, 0, 1, 3, [2, 2, 2])
        Self.appendTruncatedImage(&builder, height: 3, pixels: [4])
        let image = try gif.open(builder.data)
        #expect(image.header.frameCount == 2)
        #expect(try GIFReading.text(image, frame: 0) == "R R R")
        let (text, failure) = GIFReading.rows(builder.data, frame: 1)
        #expect(text == "B R R")
        #expect(failure == .truncated(.gif))
    }

    @Test("missing rows of an interlaced frame show the frames below")
    func interlacedAnimation() throws {
        var builder = GIFBuilder(1, 9)
        builder.image(0, 0, 1, 9, [UInt8](repeating: 2, count: 9))
        Self.appendTruncatedImage(&builder, height: 9, pixels: [4, 5, 4], isInterlaced: true)
        let (text, failure) = GIFReading.rows(builder.data, frame: 1)
        #expect(text == "B R R R B R R R Y")
        #expect(failure == .truncated(.gif))
    }

    @Test("the rows of a truncated first frame are delivered after the canvas rows above it")
    func firstFrame() throws {
        var builder = GIFBuilder(1, 5)
        builder.descriptor(0, 1, 1, 4)
        builder.append(GIFBuilder.lzw(codes: [8, 3, 9], codeSize: 3) { _ in 4 })
        builder.image(0, 0, 1, 5, [1, 1, 1, 1, 1])
        let (text, failure) = GIFReading.rows(builder.finished)
        #expect(text == ". G")
        #expect(failure == .truncated(.gif))
    }

    @Test("a missing frame is truncated if the file ends within a record, otherwise it does not exist")
    func missing() throws {
        var builder = GIFBuilder(1, 1)
        builder.image(0, 0, 1, 1, [2])
        #expect(throws: ImageDecodingError.noSuchFrame(1, frameCount: 1)) {
            try GIFReading.text(builder.data, frame: 1)
        }
        #expect(throws: ImageDecodingError.truncated(.gif)) { try GIFReading.text(builder.data + [0x21], frame: 1) }
        #expect(throws: ImageDecodingError.noSuchFrame(-1, frameCount: 1)) {
            try GIFReading.text(builder.data + [0x21], frame: -1)
        }
        #expect(throws: ImageDecodingError.truncated(.gif)) { try gif.open(GIFBuilder(1, 1).data) }
    }

    @Test("drawing earlier frames stops when the sink is cancelled")
    func cancellation() throws {
        var builder = GIFBuilder(2, 1)
        for index in 0..<8 { builder.image(0, 0, 1, 1, [UInt8(index)]) }
        let sink = CancellingSink(atCheck: 3)
        let image = try gif.open(builder.finished)
        #expect(throws: ImageDecodingError.cancelled) {
            try image.decode(frame: 7, size: image.header.storedSize, layout: .rgba8, into: sink)
        }
        #expect(sink.rows == 0)
    }
}

@Suite("Decompressing GIF")
struct LZWReaderTests {
    /// Codes of the longest strings that a table can have: each is the one before it and one more zero. When the table is
    /// full, its last string and a one follow three times.
    private static let longStrings: (data: [UInt8], pixels: [UInt8]) = {
        let (clear, end, first, last) = (4, 5, 6, 4_095)
        let codes = [clear, 0] + Array(first...last) + [last, 1, last, 1, last, 1, end]
        let data = GIFBuilder.lzw(codes: codes, codeSize: 2) { position in
            position < 2 ? 3 : min(Int.bitWidth - (position + 4).leadingZeroBitCount, 12)
        }
        let longest = last - first + 2
        var pixels = [UInt8](repeating: 0, count: longest * (longest + 1) / 2)
        for _ in 0..<3 { pixels += [UInt8](repeating: 0, count: longest) + [1] }
        return (data, pixels)
    }()

    @Test("strings are as long as the table allows, in rows of any length", arguments: [300, 65_535])
    func longStrings(rowLength: Int) throws {
        let (data, pixels) = Self.longStrings
        let reader = try LZWReader()
        for _ in 1...2 {  // the memory is used again
            try reader.start(at: 0, in: data.span)
            for start in stride(from: 0, to: pixels.count, by: rowLength) {
                var row = [UInt8](repeating: 9, count: min(rowLength, pixels.count - start))
                var span = row.mutableSpan
                try reader.read(into: &span, from: data.span)
                #expect(row.elementsEqual(pixels[start..<start + row.count]))
            }
            var rest: [UInt8] = [9]
            var span = rest.mutableSpan
            #expect(throws: ImageDecodingError.truncated(.gif)) { try reader.read(into: &span, from: data.span) }
        }
    }
}
