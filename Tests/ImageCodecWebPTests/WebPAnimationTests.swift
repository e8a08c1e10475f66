import Foundation
import ImageCodecWebP
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("WebP animations")
struct WebPAnimationTests {
    static let red: [UInt8] = [255, 0, 0, 255]
    static let green: [UInt8] = [0, 255, 0, 255]
    static let clear: [UInt8] = [0, 0, 0, 0]

    static func animation(
        _ width: Int, _ height: Int, loopCount: Int = 0, hasAlpha: Bool = true,
        _ build: (inout WebPBuilder) throws -> Void
    ) throws -> Data {
        var builder = WebPBuilder(width, height)
        if hasAlpha { builder.flag(.alpha) }
        builder.animation(loopCount: loopCount)
        try build(&builder)
        return builder.finished
    }

    /// Returns the pixels of a one-row image.
    static func row(_ image: any OpenedImage, frame: Int) throws -> [[UInt8]] {
        let pixels = try webp.pixels(image, frame: frame)
        return stride(from: 0, to: pixels.count, by: 4).map { Array(pixels[$0..<$0 + 4]) }
    }

    @Test("the canvas starts transparent, whatever the background color, and keeps earlier frames")
    func keeps() throws {
        let data = try Self.animation(4, 1) {
            try $0.frame(.flat(1, 1, Self.red), left: 2)
            try $0.frame(.flat(2, 1, Self.green))
        }
        let image = try webp.open(data)
        #expect(image.header.hasAlpha)
        #expect(try Self.row(image, frame: 0) == [Self.clear, Self.clear, Self.red, Self.clear])
        #expect(try Self.row(image, frame: 1) == [Self.green, Self.green, Self.red, Self.clear])
    }

    @Test("the area of a frame is cleared before the next one if the frame requires it")
    func clears() throws {
        let data = try Self.animation(4, 1) {
            try $0.frame(.flat(4, 1, Self.red))
            try $0.frame(.flat(2, 1, Self.green), left: 2, clears: true)
            try $0.frame(.flat(1, 1, Self.green))
        }
        let image = try webp.open(data)
        #expect(try Self.row(image, frame: 1) == [Self.red, Self.red, Self.green, Self.green])
        #expect(try Self.row(image, frame: 2) == [Self.green, Self.red, Self.clear, Self.clear])
    }

    @Test("a frame replaces the canvas or is blended over it")
    func blends() throws {
        let half: [UInt8] = [0, 0, 255, 128]
        for blends in [false, true] {
            let data = try Self.animation(2, 1) {
                try $0.frame(.flat(1, 1, Self.red))
                try $0.frame(.flat(2, 1, half), blends: blends)
                try $0.frame(.flat(2, 1, [9, 9, 9, 0]), blends: blends)
            }
            let image = try webp.open(data)
            // Blue with alpha 128 over red. Over transparent pixels, blue is unchanged.
            #expect(try Self.row(image, frame: 1) == (blends ? [[127, 0, 128, 255], half] : [half, half]))
            #expect(try Self.row(image, frame: 2)[1][3] == (blends ? 128 : 0))
        }
    }

    @Test("blending over translucent pixels weighs both by alpha")
    func blendsStraight() throws {
        let data = try Self.animation(1, 1) {
            try $0.frame(.flat(1, 1, [200, 0, 0, 100]))
            try $0.frame(.flat(1, 1, [0, 200, 0, 100]), blends: true)
        }
        // Alpha: 100 + 100 * 155 / 255 = 160.8. The colors have the weights 100 and 60.8.
        #expect(try Self.row(try webp.open(data), frame: 1) == [[76, 124, 0, 161]])
    }

    @Test("each pixel of a wide frame is blended alone", arguments: [nil, 20])
    func blendsWide(translucent: Int?) throws {
        let (width, half): (Int, [UInt8]) = (39, [0, 0, 255, 128])
        let above = (0..<width).map { $0 == translucent ? half : $0 % 3 == 0 ? Self.green : Self.clear }
        let frame = Bitmap(
            size: PixelSize(width: width, height: 1), pixels: above.flatMap { $0 }, isOpaque: false)
        let data = try Self.animation(width, 1) {
            try $0.frame(.flat(25, 1, Self.red))
            try $0.frame(frame, blends: true)
        }
        let expected = above.enumerated().map { x, pixel -> [UInt8] in
            if pixel == half { return [127, 0, 128, 255] }
            return pixel == Self.clear && x < 25 ? Self.red : pixel
        }
        #expect(try Self.row(try webp.open(data), frame: 1) == expected)
    }

    @Test("an animation with undrawn or cleared areas has alpha, whatever its alpha flag")
    func hasAlpha() throws {
        func hasAlpha(firstWidth: Int, clears: Bool) throws -> Bool {
            let data = try Self.animation(4, 1, hasAlpha: false) {
                try $0.frame(.flat(firstWidth, 1, Self.red), clears: clears)
                try $0.frame(.flat(4, 1, Self.green), clears: true)
            }
            return try webp.open(data).header.hasAlpha
        }
        #expect(try !hasAlpha(firstWidth: 4, clears: false))
        #expect(try hasAlpha(firstWidth: 3, clears: false))
        #expect(try hasAlpha(firstWidth: 4, clears: true))
        let translucent = try Self.animation(4, 1, hasAlpha: false) {
            try $0.frame(.flat(4, 1, Self.red))
            try $0.frame(.flat(4, 1, [0, 0, 0, 9]))
        }
        #expect(try webp.open(translucent).header.hasAlpha)
    }

    @Test("delays up to 10 ms become 100 ms, other delays and the loop count are unchanged")
    func timing() throws {
        let delays = [0, 10, 11, 40, 16_777_215]
        let data = try Self.animation(1, 1, loopCount: 7) { builder in
            for delay in delays { try builder.frame(.flat(1, 1, Self.red), delay: delay) }
        }
        let header = try webp.open(data).header
        #expect(header.frameDelays == [100, 100, 11, 40, 16_777_215].map { .milliseconds($0) })
        #expect(header.loopCount == 7)
        #expect(header.frameCount == 5)
    }

    @Test("an animation with one frame is a still image on its canvas")
    func oneFrame() throws {
        let data = try Self.animation(4, 1) { try $0.frame(.flat(1, 1, Self.red), left: 2) }
        let image = try webp.open(data)
        #expect(image.header.frameDelays.isEmpty && image.header.loopCount == 1 && image.header.frameCount == 1)
        #expect(try Self.row(image, frame: 0) == [Self.clear, Self.clear, Self.red, Self.clear])
    }

    @Test("an animation without frames, or with a frame outside its canvas or of another size, is malformed")
    func malformed() throws {
        for data in [
            try Self.animation(4, 1) { _ in },
            try Self.animation(4, 1) { try $0.frame(.flat(2, 1, Self.red), left: 4) },
            try Self.animation(2, 2) { try $0.frame(.flat(2, 2, Self.red), top: 2) },
        ] {
            #expect(throws: ImageDecodingError.self) { try webp.pixels(data) }
        }
        for (left, top) in [(2, 0), (0, 2)] {
            let outside = try Self.animation(64, 96) { try $0.frame(.gradient(64, 96), left: left, top: top) }
            #expect(throws: ImageDecodingError.malformed(.webP, "a frame exceeds the canvas")) {
                try webp.open(outside.dropLast(20))
            }
        }
        let file = try WebPEncoder().encode(.flat(2, 1, Self.red), options: EncodingOptions(isLossless: true))
        let resized = try Self.animation(4, 1) { $0.frame(file, 4, 1) }
        #expect(throws: ImageDecodingError.malformed(.webP, "a frame and its image differ in size")) {
            try webp.open(resized)
        }
        let large = try WebPEncoder().encode(.gradient(64, 94), options: EncodingOptions(isLossless: true))
        let cut = try Self.animation(64, 96) { $0.frame(large, 64, 96) }.dropLast(20)
        #expect(throws: ImageDecodingError.malformed(.webP, "a frame and its image differ in size")) {
            try webp.open(cut)
        }
    }

    /// Returns a file of 8 by 8 pixels whose end is damaged.
    private static func damagedFile() throws -> Data {
        let file = try WebPEncoder().encode(.gradient(8, 8), options: EncodingOptions(isLossless: true))
        return file.dropLast(30) + Data(repeating: 0xAA, count: 30)
    }

    @Test("frames are decoded in any order, and a frame that replaces the canvas without the earlier ones")
    func seeking() throws {
        let damaged = try Self.damagedFile()
        let data = try Self.animation(8, 8) {
            try $0.frame(.flat(2, 8, Self.red), clears: true)
            try $0.frame(.flat(2, 8, Self.green), left: 4, clears: true)
            try $0.frame(.flat(2, 8, Self.red), left: 6)
            $0.frame(damaged, 8, 8)
            try $0.frame(.flat(8, 8, Self.red))
        }
        let image = try webp.open(data)
        let expected = try [0, 1, 2].map { try webp.pixels(webp.open(data), frame: $0) }
        for frame in [1, 0, 2, 0, 1] { #expect(try webp.pixels(image, frame: frame) == expected[frame]) }
        #expect(try Self.row(image, frame: 4).allSatisfy { $0 == Self.red })
        #expect(throws: ImageDecodingError.self) { try webp.pixels(webp.open(data), frame: 3) }
    }

    @Test("cancellation is checked before each frame, and between the parts of a truncated image")
    func cancellation() throws {
        let frames = try Self.animation(4, 1) { try $0.frame(.flat(4, 1, Self.red)) }
        let still = try WebPEncoder().encode(.gradient(4, 512), options: EncodingOptions()).dropLast(8)
        for (data, size) in [(frames, PixelSize(width: 4, height: 1)), (still, PixelSize(width: 4, height: 512))] {
            #expect(throws: ImageDecodingError.cancelled) {
                try webp.open(data).decode(frame: 0, size: size, layout: .rgba8, into: CancellingSink(atCheck: 1))
            }
        }
    }

    @Test("the limits on frames and on their memory are reported by name")
    func limits() throws {
        let data = try Self.animation(4, 1) {
            try $0.frame(.flat(4, 1, Self.red))
            try $0.frame(.flat(4, 1, Self.green))
        }
        #expect(throws: ImageDecodingError.limitExceeded(.frames, value: 2, allowed: 1)) {
            try webp.open(data, limits: .init(maxFrames: 1))
        }
        let three = try Self.animation(1, 1) { for _ in 0..<3 { try $0.frame(.flat(1, 1, Self.red)) } }
        let refusal = ImageDecodingError.limitExceeded(.frames, value: 2, allowed: 1)
        #expect(webp.failure(three, limits: .init(maxFrames: 1)) == refusal)
        // Truncated in its last frame.
        #expect(webp.failure(data.dropLast(4), limits: .init(maxFrames: 1)) == refusal)
        // 16 bytes for the canvas and 32 for a lossless frame, without its tables.
        let image = try webp.open(data, limits: .init(decodedByteLimit: 47))
        #expect(image.heldByteCount(frame: 1, size: image.header.storedSize, layout: .rgba8) == 16)
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: 48, allowed: 47)) {
            try webp.pixels(image)
        }
    }
}

extension WebPAnimationTests {
    @Test("an animation that is truncated anywhere plays the complete frames")
    func truncatedAnywhere() throws {
        let data = try Self.animation(4, 1) { for _ in 0..<2 { try $0.frame(.flat(4, 1, Self.red)) } }
        let first = try Self.animation(4, 1) { try $0.frame(.flat(4, 1, Self.red)) }.count
        for count in 0..<data.count {
            let failures = (0..<2).map { webp.failure(data.prefix(count), frame: $0) }
            #expect(failures == [count < first ? .truncated(.webP) : nil, .truncated(.webP)], "\(count) bytes")
        }
        #expect(webp.failure(data, frame: 2) == .noSuchFrame(2, frameCount: 2))
        #expect(webp.failure(data.dropLast(), frame: -1) == .noSuchFrame(-1, frameCount: 2))
    }

    @Test("a truncated frame is drawn over the complete earlier frames", arguments: [false, true])
    func truncatedFrame(blends: Bool) throws {
        let data = try Self.animation(64, 96) {
            try $0.frame(.flat(64, 96, Self.red))
            try $0.frame(.gradient(64, 96, hasAlpha: blends), blends: blends)
        }
        let expected = webp.rows(data, frame: 1).rows
        let truncated = data.dropLast(20)
        #expect(try webp.open(truncated).header.frameCount == 2)
        #expect(webp.rows(truncated, frame: 0).failure == nil)
        let (rows, failure) = webp.rows(truncated, frame: 1)
        #expect(failure == .truncated(.webP))
        #expect(rows.count == 96)
        let matching = zip(rows, expected).prefix { $0.0 == $0.1 }.count
        #expect(matching < 96)
        #expect(rows.dropFirst(matching).allSatisfy { $0 == Array(repeatElement(Self.red, count: 64).joined()) })
    }

    @Test("the available rows of a truncated first frame are delivered, but no later frames")
    func truncatedFirstFrame() throws {
        let first = try Self.animation(64, 98) { try $0.frame(.gradient(64, 96), top: 2) }
        let expected = webp.rows(first).rows
        let (rows, failure) = webp.rows(first.dropLast(20))
        #expect(failure == .truncated(.webP))
        #expect(rows.count >= 2 && rows.count < 98)
        #expect(rows == Array(expected.prefix(rows.count)))
        #expect(throws: ImageDecodingError.truncated(.webP)) {
            try webp.pixels(webp.open(first.dropLast(20)), frame: 1)
        }
        let whole = try Self.animation(64, 96, hasAlpha: false) { try $0.frame(.gradient(64, 96)) }
        #expect(try !webp.open(whole).header.hasAlpha)
        #expect(try webp.open(whole.dropLast(20)).header.hasAlpha)
    }

    @Test("no rows are delivered if an earlier frame is truncated")
    func damagedEarlierFrame() throws {
        let damaged = try Self.damagedFile()
        let data = try Self.animation(8, 8) {
            $0.frame(damaged, 8, 8)
            try $0.frame(.flat(2, 8, Self.red))
        }
        let (rows, failure) = webp.rows(data, frame: 1)
        #expect(rows.isEmpty)
        #expect(failure != nil)
    }
}

@Suite("Encoding WebP animations")
struct WebPAnimationEncodingTests {
    static let options = EncodingOptions(isLossless: true)

    @Test("lossless frames are stored exactly, also equal and transparent ones")
    func exact() throws {
        let bitmaps: [Bitmap] = [
            .gradient(16, 9), .gradient(16, 9), .flat(16, 9, [1, 2, 3, 255]), .gradient(16, 9, hasAlpha: true),
            .flat(16, 9, [0, 0, 0, 0]), .gradient(16, 9),
        ]
        let frames = bitmaps.enumerated().map {
            AnimationFrame(bitmap: $0.element, delay: .milliseconds(20 + $0.offset))
        }
        let image = try webp.open(try WebPEncoder().encode(frames, loopCount: 3, options: Self.options))
        #expect(image.header.frameDelays == frames.map(\.delay))
        for loopCount in [-1, 0, 3, 65_535, 65_536] {
            let data = try WebPEncoder().encode(frames, loopCount: loopCount, options: Self.options)
            #expect(try webp.open(data).header.loopCount == min(max(loopCount, 0), 65_535))
        }
        for (index, bitmap) in bitmaps.enumerated() {
            #expect(try webp.pixels(image, frame: index) == bitmap.pixels)
        }
    }

    @Test("only the rectangle that changed is stored")
    func changes() throws {
        let first = Bitmap.gradient(64, 64)
        var pixels = first.pixels
        for offset in 0..<4 { pixels[4 * (33 * 64 + 17) + offset] = 255 }
        let second = Bitmap(size: first.size, pixels: pixels, isOpaque: true)
        let frames = [first, second].map { AnimationFrame(bitmap: $0, delay: .milliseconds(50)) }
        let data = try WebPEncoder().encode(frames, loopCount: 0, options: Self.options)
        let still = try WebPEncoder().encode(first, options: Self.options)
        #expect(data.count < still.count + 150)
        #expect(try webp.pixels(try webp.open(data), frame: 1) == pixels)
    }

    @Test("frames have one size")
    func sizes() {
        let frames = [Bitmap.flat(2, 1, [9, 9, 9, 255]), .flat(1, 1, [9, 9, 9, 255])].map {
            AnimationFrame(bitmap: $0, delay: .milliseconds(50))
        }
        for frames in [[], frames] {
            #expect(throws: ImageEncodingError.inconsistentFrames) {
                try WebPEncoder().encode(frames, loopCount: 0, options: Self.options)
            }
        }
    }

    @Test("delays are rounded to milliseconds and clamped")
    func delays() throws {
        let delays: [Duration] = [.microseconds(20_499), .microseconds(20_500), .seconds(100_000), .seconds(-1)]
        let frames = delays.map { AnimationFrame(bitmap: .flat(2, 2, [9, 9, 9, 255]), delay: $0) }
        let data = try WebPEncoder().encode(frames, loopCount: 0, options: Self.options)
        let expected = [20, 21, 16_777_215, 100].map { Duration.milliseconds($0) }
        #expect(try webp.open(data).header.frameDelays == expected)
    }
}
