import Foundation
import ImageCore
import Testing

@Suite("Prefix codes of lossless WebP")
struct LosslessCodeTests {
    /// Returns an image with 4 rows, and groups in squares of 4, whose list `write` writes.
    private static func groups(_ count: Int, cacheBits: Int = 0, _ write: (inout VP8LBuilder) -> Void) -> Data {
        var builder = VP8LBuilder(4 * count, 4)
        builder.put(0b100, 3)  // No transform, no cache, groups.
        builder.put(0, 3)
        builder.cache(bits: cacheBits)
        write(&builder)
        return builder.file
    }

    /// Returns an image with 4 rows, a predictor for squares of 4, which `write` writes, and a list of one group
    /// number, 5.
    private static func predictor(_ count: Int, cacheBits: Int = 0, _ write: (inout VP8LBuilder) -> Void) -> Data {
        var builder = VP8LBuilder(4 * count, 4)
        builder.put(1 | 0 << 1, 3)
        builder.put(0, 3)
        builder.cache(bits: cacheBits)
        write(&builder)
        builder.put(0b100, 3)
        builder.put(0, 3)
        builder.flatImage(green: 5)
        return builder.file
    }

    /// Returns the error of decoding within the memory of the pixels.
    private static func refusal(_ file: Data, squares: Int) -> ImageDecodingError? {
        LosslessMemoryTests.refusal(of: file, .init(decodedByteLimit: 128 * squares))
    }

    private static func tooMuch(squares: Int, images: Int, groups: Int) -> ImageDecodingError {
        let bytes = 128 * squares + 4 * squares * images + groups * LosslessMemoryTests.groupBytes
        return .limitExceeded(.decodedBytes, value: bytes, allowed: 128 * squares)
    }

    @Test("codes of 1 to 15 bits are read", arguments: 0..<16)
    func lengths(symbol: Int) {
        let lengths = Array(1...15) + [15]
        let file = Self.groups(1) {
            $0.code(lengths: lengths)
            for symbol in [0, 0, 255, 0] { $0.code(only: symbol) }
            $0.symbol(symbol, of: lengths)
        }
        #expect(Self.refusal(file, squares: 1) == Self.tooMuch(squares: 1, images: 1, groups: symbol + 1))
    }

    @Test("long copies are skipped, with the bits of their length and distance")
    func copies() {
        var greens = [Int](repeating: 0, count: 262)
        var distances = [Int](repeating: 0, count: 40)
        for (symbol, length) in [(2, 2), (257, 2), (261, 1)] { greens[symbol] = length }
        for symbol in [1, 6] { distances[symbol] = 1 }
        let file = Self.predictor(12) {
            $0.code(lengths: greens)
            for symbol in [0, 0, 255] { $0.code(only: symbol) }
            $0.code(lengths: distances)
            // A literal, and two pixels at a distance without bits.
            $0.symbol(2, of: greens)
            $0.symbol(257, of: greens)
            $0.symbol(1, of: distances)
            // The lengths 7 and 8 have an extra bit. The distances 9 to 12 have two.
            $0.symbol(261, of: greens)
            $0.put(1, 1)
            $0.symbol(6, of: distances)
            $0.put(3, 2)
            $0.symbol(2, of: greens)
        }
        #expect(Self.refusal(file, squares: 12) == Self.tooMuch(squares: 12, images: 2, groups: 6))
    }

    @Test("each pixel of the cache is one")
    func cachedPixels() {
        var greens = [Int](repeating: 0, count: 282)
        for symbol in [2, 281] { greens[symbol] = 1 }
        let file = Self.predictor(12, cacheBits: 1) {
            $0.code(lengths: greens)
            for symbol in [0, 0, 255, 0] { $0.code(only: symbol) }
            for symbol in [2, 281, 281, 281, 281, 281, 281, 281, 2, 2, 281, 2] { $0.symbol(symbol, of: greens) }
        }
        #expect(Self.refusal(file, squares: 12) == Self.tooMuch(squares: 12, images: 2, groups: 6))
    }

    @Test("the bits of blue and alpha are skipped, also if red and green have none")
    func blueAndAlpha() {
        for hasBlue in [false, true] {
            let file = Self.predictor(3) {
                for symbol in [7, 0] { $0.code(only: symbol) }
                if hasBlue { $0.code256() } else { $0.code(only: 0) }
                if hasBlue { $0.code(only: 255) } else { $0.code256() }
                $0.code(only: 0)
                for value in [200, 100, 50] { $0.symbol256(value) }
            }
            #expect(Self.refusal(file, squares: 3) == Self.tooMuch(squares: 3, images: 2, groups: 6))
        }
    }

    @Test("a repeated length is the last one that is not 0")
    func repeatedLength() {
        let file = Self.groups(1) {
            $0.code(only: 0)
            // The code-length code: 0, 2, 16 and 17 have two bits.
            $0.put(0, 1)
            $0.put(9 - 4, 4)
            for symbol in [17, 18, 0, 1, 2, 3, 4, 5, 16] { $0.put([0, 2, 16, 17].contains(symbol) ? 2 : 0, 3) }
            // Three of them follow: 2, 0, and 16, which repeats 2 three times.
            for field in [(1, 1), (0, 3), (1, 2), (0, 1), (1, 1), (0, 2), (1, 1), (0, 1), (0, 2)] {
                $0.put(field.0, field.1)
            }
            for symbol in [0, 255, 0] { $0.code(only: symbol) }
            $0.put(3, 2)  // The last of the symbols 0, 2, 3 and 4.
        }
        #expect(Self.refusal(file, squares: 1) == Self.tooMuch(squares: 1, images: 1, groups: 0x400 + 1))
    }

    @Test("pixels that are all from the cache have no number")
    func onlyCache() {
        let file = Self.groups(2, cacheBits: 1) {
            $0.code(lengths: [Int](repeating: 0, count: 281) + [1])
            for symbol in [0, 0, 255, 0] { $0.code(only: symbol) }
        }
        #expect(Self.refusal(file, squares: 2) == Self.tooMuch(squares: 2, images: 1, groups: 1))
    }

    @Test("the first repeated length is 8, and a simple code can have two symbols")
    func otherCodes() {
        let file = Self.groups(1) {
            // The symbols 0, in one bit, and 9, in eight.
            for field in [(1, 1), (1, 1), (0, 1), (0, 1), (9, 8)] { $0.put(field.0, field.1) }
            $0.repeated(6, times: 42)
            $0.put(1, 2)  // Four more.
            for symbol in [0, 255, 0] { $0.code(only: symbol) }
            $0.put(1, 1)
            $0.symbol256(3)
        }
        #expect(Self.refusal(file, squares: 1) == Self.tooMuch(squares: 1, images: 1, groups: 0x309 + 1))
    }

    @Test("codes that are not complete or too long, and copies beyond the end, are malformed")
    func damage() {
        func failure(_ cacheBits: Int = 0, _ write: (inout VP8LBuilder) -> Void) -> ImageDecodingError? {
            Self.refusal(Self.groups(2, cacheBits: cacheBits, write), squares: 2)
        }
        let incomplete = ImageDecodingError.malformed(.webP, "a prefix code is not complete")
        #expect(failure { $0.code(lengths: [1, 1, 1]) } == incomplete)
        #expect(failure { $0.code(lengths: [2, 2, 2]) } == incomplete)
        let run = failure {
            $0.code(only: 0)
            $0.repeated(6, times: 43)
        }
        #expect(run == .malformed(.webP, "a run of lengths is too long"))
        let many = failure {
            $0.code(only: 0)
            $0.code(lengths: [Int](repeating: 0, count: 255) + [1, 1])
        }
        #expect(many == .malformed(.webP, "a prefix code has too many lengths"))
        let copy = failure {
            var greens = [Int](repeating: 0, count: 259)
            for symbol in [2, 258] { greens[symbol] = 1 }
            $0.code(lengths: greens)
            for symbol in [0, 0, 255, 0] { $0.code(only: symbol) }
            for symbol in [2, 258, 2, 2, 2, 2, 2, 2, 2, 2, 2] { $0.symbol(symbol, of: greens) }
        }
        #expect(copy == .malformed(.webP, "pixels are copied beyond the end"))
        let symbol = failure {
            for symbol in [0, 0, 0, 255, 200] { $0.code(only: symbol) }
        }
        #expect(symbol == incomplete)
        var cache = VP8LBuilder(8, 8)
        cache.put(0b10, 2)
        cache.put(0, 20)
        #expect(Self.refusal(cache.file, squares: 4) == .malformed(.webP, "the color cache has 0 bits"))
    }
}

extension VP8LBuilder {
    fileprivate mutating func cache(bits: Int) {
        put(bits == 0 ? 0 : 1, 1)
        if bits > 0 { put(bits, 4) }
    }

    /// Starts a code whose lengths only repeat the first one, 8. A repetition takes 2 bits, 0 for 3 to 3 for 6.
    fileprivate mutating func repeated(_ count: Int, times: Int) {
        put(0, 1)
        put(9 - 4, 4)
        for symbol in [17, 18, 0, 1, 2, 3, 4, 5, 16] { put(symbol == 16 ? 1 : 0, 3) }
        put(0, 1)
        for _ in 0..<times { put(count - 3, 2) }
    }
}
