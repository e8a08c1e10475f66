import Foundation
import ImageCodecWebP
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

/// libwebp allocates tables for each group of prefix codes in a lossless image, even in a small file.
@Suite("Memory of lossless WebP")
struct LosslessMemoryTests {
    /// The memory of a group: 2,954 entries of 4 bytes without a color cache, and 572 bytes.
    static let groupBytes = 2954 * 4 + 572

    static func refusal(of data: Data, _ limits: DecodingLimits = .default) -> ImageDecodingError? {
        do throws(ImageDecodingError) {
            _ = try webp.pixels(try webp.open(data, limits: limits))
            return nil
        } catch { return error }
    }

    @Test("65,536 groups in a small file exceed the limit on memory")
    func bomb() {
        let data = VP8LBuilder.image(1024, 1024, groups: Array(0..<65_536)).file
        let bytes = 8 * 1024 * 1024 + 4 * 65_536 + 65_536 * Self.groupBytes
        #expect(data.count < 600_000)
        #expect(Self.refusal(of: data) == .limitExceeded(.decodedBytes, value: bytes, allowed: 400 << 20))
    }

    @Test("a color cache increases the tables of each group")
    func cache() {
        let groups = [0, 1, 2, 3]
        func bytes(cacheBits: Int) -> Int? {
            let data = VP8LBuilder.image(8, 8, groups: groups, cacheBits: cacheBits).file
            guard
                case .limitExceeded(.decodedBytes, let value, _) = Self.refusal(of: data, .init(decodedByteLimit: 600))
            else { return nil }
            return value
        }
        let green = [654, 656, 658, 662, 670, 686, 718, 782, 912, 1168, 1680, 2704]
        for (cacheBits, entries) in green.map({ $0 + 2300 }).enumerated() {
            let expected = 528 + 4 * (entries * 4 + 572)
            #expect(bytes(cacheBits: cacheBits) == expected)
        }
    }

    @Test("groups within the limit are decoded with their codes")
    func good() throws {
        let data = VP8LBuilder.image(8, 8, groups: [1, 0, 3, 2]).file
        let bytes = 528 + 4 * Self.groupBytes
        #expect(Self.refusal(of: data, .init(decodedByteLimit: bytes)) == nil)
        #expect(Self.refusal(of: data, .init(decodedByteLimit: bytes - 1)) != nil)
        let pixels = try webp.pixels(webp.open(data))
        // The green of the first pixel of each square.
        let squares: [UInt8] = [0, 4, 32, 36].map { pixels[4 * $0 + 1] }
        #expect(squares == [1, 0, 3, 2])
    }

    @Test("a profile of an odd length before the image changes nothing")
    func oddChunk() {
        let image = VP8LBuilder.image(8, 8, groups: [1, 0, 3, 2]).file.dropFirst(12)
        let header = Data("WEBPVP8X".utf8) + [10, 0, 0, 0, 0x20, 0, 0, 0, 7, 0, 0, 7, 0, 0]
        let body = header + Data("ICCP".utf8) + [3, 0, 0, 0, 1, 2, 3, 0] + image
        let data = Data("RIFF".utf8) + [UInt8(body.count & 255), UInt8(body.count >> 8), 0, 0] + body
        let bytes = 528 + 4 * Self.groupBytes
        #expect(Self.refusal(of: data, .init(decodedByteLimit: bytes)) == nil)
        let refusal = ImageDecodingError.limitExceeded(.decodedBytes, value: bytes, allowed: bytes - 1)
        #expect(Self.refusal(of: data, .init(decodedByteLimit: bytes - 1)) == refusal)
    }

    @Test("the largest group number determines the memory, at any position and with or without bits")
    func largest() {
        for (groups, largest) in [([0, 9, 0, 0], 9), ([7, 0, 0, 300], 300)] {
            let data = VP8LBuilder.image(8, 8, groups: groups, endsEarly: true).file
            let bytes = 528 + (largest + 1) * Self.groupBytes
            let refusal = Self.refusal(of: data, .init(decodedByteLimit: bytes - 1))
            #expect(refusal == .limitExceeded(.decodedBytes, value: bytes, allowed: bytes - 1))
        }
        var flat = VP8LBuilder(8, 8)
        flat.put(0b100, 3)  // No transform, no cache, groups.
        flat.put(0, 3)
        flat.flatImage(red: 255, green: 255)
        let bytes = 528 + 65_536 * Self.groupBytes
        #expect(Self.refusal(of: flat.file) == .limitExceeded(.decodedBytes, value: bytes, allowed: 400 << 20))
    }

    @Test("copied and cached pixels in the image of the groups are skipped")
    func copied() {
        var builder = VP8LBuilder(16, 4)
        builder.put(0b100, 3)
        builder.put(0, 3)
        builder.put(1, 1)  // A color cache of one bit.
        builder.put(1, 4)
        // Green: code 0 is 2; code 10 is 256 + 2, a length of 3 pixels; code 11 is 280, an entry of the cache.
        builder.put(0, 1)
        builder.put(8, 4)
        for symbol in [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8] {
            builder.put([0, 1, 2, 18].contains(symbol) ? 2 : 0, 3)
        }
        builder.put(0, 1)
        func length(_ symbol: Int) {
            for bit in [1, 0] { builder.put([0, 1, 2, 18].firstIndex(of: symbol)! >> bit & 1, 1) }
        }
        for symbol in [0, 0, 1] { length(symbol) }
        for count in [138, 115] {  // Zeros up to 255.
            length(18)
            builder.put(count - 11, 7)
        }
        for symbol in [0, 0, 2] { length(symbol) }
        length(18)
        builder.put(21 - 11, 7)
        for symbol in [2, 0] { length(symbol) }
        for symbol in [1, 0, 255, 0] { builder.code(only: symbol) }
        builder.put(0, 1)  // 0x0102
        builder.put(0b01, 2)  // Three copies.
        let bytes = 8 * 64 + 4 * 4 + 0x103 * Self.groupBytes
        #expect(
            Self.refusal(of: builder.file, .init(decodedByteLimit: 600))
                == .limitExceeded(.decodedBytes, value: bytes, allowed: 600))
    }

    @Test("transforms before the groups are read, and a palette reduces the width")
    func transforms() {
        var builder = VP8LBuilder(64, 4)
        builder.put(1 | 0 << 1, 3)  // Predictor, in squares of 4.
        builder.put(0, 3)
        builder.flatImage()
        builder.put(1 | 2 << 1, 3)  // Green.
        builder.put(1 | 3 << 1, 3)  // Two colors: eight pixels in one.
        builder.put(1, 8)
        builder.flatImage()
        builder.put(1 | 1 << 1, 3)  // Color, in squares of 8.
        builder.put(1, 3)
        builder.flatImage()
        builder.put(0, 2)
        builder.groups([5, 6])
        let small = 4 * (16 + 2 + 1 + 2)
        let bytes = 8 * 256 + small + 7 * Self.groupBytes
        #expect(
            Self.refusal(of: builder.file, .init(decodedByteLimit: 3000))
                == .limitExceeded(.decodedBytes, value: bytes, allowed: 3000))
    }

    @Test(
        "the number of colors of a palette determines how many pixels share a byte",
        arguments: [(1, 3), (2, 3), (3, 2), (4, 2), (5, 1), (16, 1), (17, 0)])
    func palette(colors: Int, bits: Int) {
        var builder = VP8LBuilder(64, 4)
        builder.put(1 | 3 << 1, 3)
        builder.put(colors - 1, 8)
        builder.flatImage()
        builder.put(0b100, 3)
        builder.put(0, 3)
        builder.flatImage(green: 3)
        let bytes = 8 * 256 + 4 * (colors + (64 >> bits) / 4) + 4 * Self.groupBytes
        #expect(
            Self.refusal(of: builder.file, .init(decodedByteLimit: 3000))
                == .limitExceeded(.decodedBytes, value: bytes, allowed: 3000))
    }

    @Test("squares at the edges count, and an image without a list has one group")
    func edges() {
        var (odd, single) = (VP8LBuilder(9, 5), VP8LBuilder(8, 8))
        odd.put(0b100, 3)
        odd.put(0, 3)
        odd.flatImage(green: 3)
        single.put(0, 3)
        single.flatGroup()
        for (file, bytes) in [
            (odd.file, 8 * 45 + 4 * 6 + 4 * Self.groupBytes), (single.file, 8 * 64 + Self.groupBytes),
        ] {
            #expect(
                Self.refusal(of: file, .init(decodedByteLimit: 600))
                    == .limitExceeded(.decodedBytes, value: bytes, allowed: 600))
        }
    }

    @Test("the alpha of a lossy image counts as memory, whatever its filter")
    func alpha() throws {
        let lossy = try WebPEncoder().encode(.gradient(8, 8), options: .init())
        for (compression, isBomb) in [(1, true), (5, true), (0, false)] {
            var builder = WebPBuilder(8, 8)
            builder.flag(.alpha)
            let groups = [0, 65_535, 0, 0]
            let alpha = VP8LBuilder.image(8, 8, groups: groups, hasHeader: false, endsEarly: true)
            builder.chunk("ALPH", Data([UInt8(compression)]) + alpha.payload)
            builder.image(of: lossy)
            let refusal = Self.refusal(of: builder.finished)
            let bytes = 9 * 64 + 4 * 4 + 65_536 * Self.groupBytes
            let isRefused = refusal == .limitExceeded(.decodedBytes, value: bytes, allowed: 400 << 20)
            #expect(isRefused == isBomb)
        }
    }

    @Test("each frame of an animation is checked")
    func frames() throws {
        var builder = WebPBuilder(8, 8)
        builder.animation(loopCount: 0)
        try builder.frame(.flat(2, 2, [1, 2, 3, 255]))
        builder.frame(VP8LBuilder.image(8, 8, groups: [0, 65_535, 0, 0], endsEarly: true).file, 8, 8)
        let image = try webp.open(builder.finished)
        #expect(try webp.pixels(image, frame: 0).count == 256)
        let bytes = 12 * 64 + 4 * 4 + 65_536 * Self.groupBytes
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: bytes, allowed: 400 << 20)) {
            try webp.pixels(image, frame: 1)
        }
    }

    @Test("an invalid header is malformed, and an incomplete one is truncated")
    func damage() {
        func failure(_ fields: [(value: Int, bits: Int)]) -> ImageDecodingError? {
            var builder = VP8LBuilder(8, 8)
            for field in fields { builder.put(field.value, field.bits) }
            return Self.refusal(of: builder.file)
        }
        let green = (value: 1 | 2 << 1, bits: 3)
        #expect(failure([green, green]) == .malformed(.webP, "a transform is repeated"))
        #expect(failure([(0b10, 2), (12, 4)]) == .malformed(.webP, "the color cache has 12 bits"))
        #expect(failure([(0b100, 6)]) == .truncated(.webP))
        // A code-length code without lengths.
        let empty = failure([(0b100, 7), (0, 17), (0, 64)])
        #expect(empty == .malformed(.webP, "a prefix code is not complete"))
    }
}
