import Foundation
import ImageCodecGIF
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("Decoding GIF")
struct GIFDecoderTests {
    @Test("versions 87a and 89a are accepted, and no others", arguments: ["87a", "89a"])
    func versions(version: String) throws {
        var builder = GIFBuilder(2, 1, version: version)
        builder.image(0, 0, 2, 1, [2, 4])
        #expect(try GIFReading.text(builder.finished) == "RB")
        var other = builder.finished
        other[4] = UInt8(ascii: "8")
        #expect(!GIFDecoder().recognizes(other.prefix(32)))
        #expect(throws: ImageDecodingError.self) { try gif.open(other) }
    }

    @Test("the header of a still image has one frame, no delays, and plays once")
    func stillHeader() throws {
        var builder = GIFBuilder(3, 2)
        builder.loop(0)
        builder.control(delay: 50)
        builder.image(0, 0, 3, 2, [1, 2, 3, 4, 5, 6])
        let header = try gif.open(builder.finished).header
        #expect(header == ImageHeader(format: .gif, storedSize: PixelSize(width: 3, height: 2)))
    }

    @Test("a local palette overrides the global one for its frame only")
    func localPalette() throws {
        var builder = GIFBuilder(2, 1)
        builder.image(0, 0, 2, 1, [0, 1], palette: [[255, 0, 0], [0, 0, 255]])
        builder.image(0, 0, 1, 1, [1])
        let image = try gif.open(builder.finished)
        #expect(try GIFReading.text(image, frame: 0) == "RB")
        #expect(try GIFReading.text(image, frame: 1) == "WB")
    }

    @Test("interlaced rows are stored in four passes and decoded in order", arguments: [1, 2, 3, 5, 8, 9, 17])
    func interlaced(height: Int) throws {
        let order = [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { first, step in
            Array(stride(from: first, to: height, by: step))
        }
        var builder = GIFBuilder(1, height)
        builder.image(0, 0, 1, height, order.map { UInt8($0 % 8) }, isInterlaced: true)
        let expected = (0..<height).map { String(Array("KWRGBYMC")[$0 % 8]) }.joined(separator: " ")
        #expect(try GIFReading.text(builder.finished) == expected)
    }

    @Test("a streamed still image smaller than its canvas is placed correctly, with transparent pixels")
    func streaming() throws {
        var builder = GIFBuilder(4, 4)
        builder.control(transparent: 3)
        builder.image(1, 1, 2, 2, [2, 3, 3, 4])
        let image = try gif.open(builder.finished)
        #expect(image.header.hasAlpha)
        #expect(try GIFReading.text(image) == ".... .R.. ..B. ....")
    }

    @Test("a frame after the first is clipped to the canvas")
    func clipped() throws {
        var builder = GIFBuilder(3, 2)
        builder.image(0, 0, 1, 1, [4])
        builder.image(2, 1, 3, 3, [1, 2, 3, 4, 5, 6, 7, 1, 2])
        builder.image(0, 9, 1, 1, [2])
        builder.image(9, 0, 1, 1, [2])
        #expect(try GIFReading.text(builder.finished, frame: 3) == "B.. ..W")
    }

    @Test("a frame without pixels draws nothing")
    func emptyFrame() throws {
        var builder = GIFBuilder(1, 1)
        builder.image(0, 0, 1, 1, [2])
        builder.image(0, 0, 0, 5, [])
        #expect(try GIFReading.text(builder.finished, frame: 1) == "R")
    }

    @Test("an index beyond the palette is black; without a palette, indices are shades of gray")
    func palettes() throws {
        // The bytes after the palette are no colors.
        var short = GIFBuilder(3, 1, palette: [[255, 0, 0], [0, 0, 255]])
        short.image(0, 0, 3, 1, [7, 2, 1])
        #expect(try GIFReading.text(short.finished) == "KKB")
        var none = GIFBuilder(2, 1, palette: nil)
        none.image(0, 0, 2, 1, [0, 7])
        #expect(try gif.pixels(gif.open(none.finished)) == [0, 0, 0, 255, 7, 7, 7, 255])
    }

    @Test("an image is only decoded to RGBA, and needs the memory of the decompressor")
    func layoutAndMemory() throws {
        for (side, bytes) in [(100, 93_728), (4_000, 16_809_984)] {
            var builder = GIFBuilder(side, side)
            builder.descriptor(0, 0, side, side)
            builder.append(GIFBuilder.lzw(codes: [4, 1, 5], codeSize: 2) { _ in 3 })
            let image = try gif.open(builder.finished)
            let size = image.header.storedSize
            #expect(image.heldByteCount(frame: 0, size: size, layout: .rgba8) == bytes)
            let reason = "the image can only be decoded at \(size) as RGBA"
            #expect(throws: ImageDecodingError.unsupported(.gif, reason)) {
                try image.decode(
                    frame: 0, size: size, layout: .gray8, preference: .quality, into: CollectingRowSink())
            }
        }
    }

    @Test("comments, unknown extensions, padding and bytes after the trailer are skipped")
    func extras() throws {
        var builder = GIFBuilder(1, 1)
        builder.append([0x21, 0xFE, 2, 65, 66, 0, 0x21, 0x77, 1, 0, 0, 0, 0, 0])
        builder.image(0, 0, 1, 1, [5])
        builder.append([0, 0])
        #expect(try GIFReading.text(builder.finished + [1, 2, 3]) == "Y")
    }

    @Test("a missing or invalid trailer is accepted")
    func noTrailer() throws {
        var builder = GIFBuilder(1, 1)
        builder.image(0, 0, 1, 1, [5])
        #expect(try GIFReading.text(builder.data) == "Y")
        #expect(try GIFReading.text(builder.data + [0x99, 0x98]) == "Y")
    }

    @Test("a graphic control extension before plain text does not apply to the next frame")
    func plainText() throws {
        var builder = GIFBuilder(1, 1)
        builder.control(transparent: 2)
        builder.append([0x21, 0x01, 12] + [UInt8](repeating: 0, count: 12) + [1, 65, 0])
        builder.image(0, 0, 1, 1, [2])
        #expect(try GIFReading.text(builder.finished) == "R")
    }

    @Test("a file without a size or without images is malformed")
    func malformedScreens() throws {
        for (width, height) in [(0, 1), (1, 0), (0, 0)] {
            var builder = GIFBuilder(width, height)
            builder.image(0, 0, 0, 0, [])
            #expect(throws: ImageDecodingError.malformed(.gif, "the canvas size is \(width)x\(height)")) {
                try gif.open(builder.finished)
            }
        }
        #expect(throws: ImageDecodingError.malformed(.gif, "the file contains no image")) {
            try gif.open(GIFBuilder(1, 1).finished)
        }
    }

    @Test("hasAlpha is true only if a transparent pixel can be visible")
    func hasAlpha() throws {
        func hasAlpha(_ build: (inout GIFBuilder) -> Void) throws -> Bool {
            var builder = GIFBuilder(2, 1)
            build(&builder)
            return try gif.open(builder.finished).header.hasAlpha
        }
        let whole: (inout GIFBuilder) -> Void = { $0.image(0, 0, 2, 1, [1, 2]) }
        #expect(try !hasAlpha(whole))
        #expect(try hasAlpha { $0.image(0, 0, 1, 1, [1]) })
        #expect(
            try hasAlpha {
                $0.control(transparent: 7); whole(&$0)
            })
        // The last frame is never disposed of. The disposal of an earlier frame is visible.
        for disposal in 2...3 {
            #expect(
                try !hasAlpha {
                    $0.control(disposal: disposal); whole(&$0)
                })
            #expect(
                try hasAlpha {
                    $0.control(disposal: disposal); whole(&$0); whole(&$0)
                })
        }
        #expect(
            try !hasAlpha {
                whole(&$0); $0.control(disposal: 3); whole(&$0); whole(&$0)
            })
        // A transparent color shows the opaque frame below.
        #expect(
            try !hasAlpha {
                whole(&$0); $0.control(transparent: 2); whole(&$0)
            })
    }
}

@Suite("Decompressing GIF pixels")
struct GIFCompressionTests {
    /// Decodes a one-row image with code size 2: the clear code is 4, the end code is 5, and new strings start at 6.
    static func row(_ width: Int, codes: [Int], widths: [Int]) throws(ImageDecodingError) -> String {
        var builder = GIFBuilder(width, 1)
        builder.descriptor(0, 0, width, 1)
        builder.append(GIFBuilder.lzw(codes: codes, codeSize: 2) { widths[min($0, widths.count - 1)] })
        return try GIFReading.text(builder.finished)
    }

    @Test("codes refer to earlier strings")
    func strings() throws {
        // 1, 2, then 6 = (1 2), 7 = (2 1). From 8 strings on, codes are 4 bits wide.
        #expect(try Self.row(6, codes: [4, 1, 2, 6, 7, 5], widths: [3, 3, 3, 3, 4]) == "WRWRRW")
    }

    @Test("a code can refer to the string that it completes")
    func selfReference() throws {
        #expect(try Self.row(6, codes: [4, 1, 6, 7, 5], widths: [3, 3, 3, 3, 4]) == "WWWWWW")
    }

    @Test("the first clear code and the end code may be missing")
    func noMarkers() throws {
        #expect(try Self.row(2, codes: [1, 2], widths: [3]) == "WR")
    }

    @Test("with a code size of 1, codes widen after the first code, as giflib writes them")
    func smallestCodeSize() throws {
        // Clear is 2, end is 3, new strings start at 4: 4 = (0 1), 5 = (1 0).
        var builder = GIFBuilder(6, 1)
        builder.descriptor(0, 0, 6, 1)
        builder.append(GIFBuilder.lzw(codes: [2, 0, 1, 4, 5, 3], codeSize: 1) { $0 < 2 ? 2 : 3 })
        #expect(try GIFReading.text(builder.finished) == "KWKWWK")
    }

    @Test("code sizes of more than 8 bits are read", arguments: [9, 11])
    func largeCodeSize(size: Int) throws {
        var builder = GIFBuilder(2, 1)
        builder.descriptor(0, 0, 2, 1)
        builder.append(GIFBuilder.lzw(codes: [1 << size, 1, 2, 1 + 1 << size], codeSize: size) { _ in size + 1 })
        #expect(try GIFReading.text(builder.finished) == "WR")
    }

    @Test("long strings are complete, wherever they end", arguments: [1, 7, 8, 9, 16, 63, 64, 65, 1000])
    func longStrings(width: Int) throws {
        // The string of each code is one pixel longer than the previous one.
        let height = 40
        var (codes, count) = ([4, 1], 1)
        while count < width * height {
            codes.append(codes.count + 4)
            count += codes.count - 1
        }
        var builder = GIFBuilder(width, height)
        builder.descriptor(0, 0, width, height)
        builder.append(
            GIFBuilder.lzw(codes: codes + [5], codeSize: 2) { position in
                let strings = 6 + max(0, position - 2)
                return position < 2 ? 3 : min(12, Int.bitWidth - strings.leadingZeroBitCount)
            })
        let row = String(repeating: "W", count: width)
        #expect(try GIFReading.text(builder.finished) == [String](repeating: row, count: height).joined(separator: " "))
    }

    @Test("strings can span rows")
    func acrossRows() throws {
        var builder = GIFBuilder(2, 3)
        builder.descriptor(0, 0, 2, 3)
        builder.append(GIFBuilder.lzw(codes: [4, 1, 6, 7, 5], codeSize: 2) { $0 < 4 ? 3 : 4 })
        #expect(try GIFReading.text(builder.finished) == "WW WW WW")
    }

    @Test("surplus pixels are ignored")
    func tooMany() throws {
        #expect(try Self.row(1, codes: [4, 1, 2, 3, 5], widths: [3]) == "W")
    }

    @Test("an image with too few pixels is truncated, with or without an end code")
    func tooFew() {
        #expect(throws: ImageDecodingError.truncated(.gif)) { try Self.row(3, codes: [4, 1, 5], widths: [3]) }
        #expect(throws: ImageDecodingError.truncated(.gif)) { try Self.row(9, codes: [4, 1, 2], widths: [3]) }
    }

    @Test("a code without a string is malformed", arguments: [[4, 7], [4, 6], [4, 1, 7]])
    func unknownCode(codes: [Int]) {
        #expect(throws: ImageDecodingError.malformed(.gif, "an LZW code is not in the table")) {
            try Self.row(3, codes: codes, widths: [3])
        }
    }

    @Test("a code size out of range is malformed", arguments: [0, 12, 255])
    func codeSize(size: Int) {
        var builder = GIFBuilder(1, 1)
        builder.descriptor(0, 0, 1, 1)
        builder.append([UInt8(size), 1, 0, 0])
        let problem = size == 0 ? "the LZW code size is 0" : "the file contains no image"
        #expect(throws: ImageDecodingError.malformed(.gif, problem)) { try GIFReading.text(builder.finished) }
    }

    @Test("a full table is used until it is cleared")
    func fullTable() throws {
        let indices = (0..<5000).map { 1 + $0 % 2 }
        // The table grows by one string with each code but the first, from 6 to 4096. Codes widen up to 12 bits.
        let codes = [4] + indices + [4] + indices + [5]
        var builder = GIFBuilder(100, 100)
        builder.descriptor(0, 0, 100, 100)
        builder.append(
            GIFBuilder.lzw(codes: codes, codeSize: 2) { position in
                let sinceClear = position <= 5001 ? position - 1 : position - 5002
                let strings = min(4096, 6 + max(0, sinceClear - 1))
                return sinceClear < 0 ? 3 : min(12, Int.bitWidth - strings.leadingZeroBitCount)
            })
        let row = String(repeating: "WR", count: 50)
        #expect(try GIFReading.text(builder.finished) == [String](repeating: row, count: 100).joined(separator: " "))
    }
}
