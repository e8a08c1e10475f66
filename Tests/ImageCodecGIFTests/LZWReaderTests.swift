import ImageCore
import Testing

@testable import GeneratedImages
@testable import ImageCodecGIF

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
            #expect(throws: DecodingFailure.truncated(.gif)) { try reader.read(into: &span, from: data.span) }
        }
    }
}
