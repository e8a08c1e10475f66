import Foundation
import ImageCodecGIF
import ImageCore
import Testing

@testable import GeneratedImages

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

    @Test("code sizes of more than 8 bits are read, and the codes count modulo 256", arguments: [9, 11], [0, 256])
    func largeCodeSize(size: Int, first: Int) throws {
        var builder = GIFBuilder(2, 1)
        builder.descriptor(0, 0, 2, 1)
        builder.append(
            GIFBuilder.lzw(codes: [1 << size, first + 1, first + 2, 1 + 1 << size], codeSize: size) { _ in size + 1 })
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
