import Foundation
import GeneratedImages
import ImageCodecGIF
import ImageCore
import ImageTesting
import Testing

@Suite("Encoding GIF")
struct GIFEncoderTests {
    static func gradient(_ width: Int, _ height: Int) -> Bitmap {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                pixels += [UInt8(x * 255 / width), UInt8(y * 255 / height), UInt8((x + y) % 256), 255]
            }
        }
        return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: true)
    }

    static func roundTrip(_ bitmap: Bitmap) throws -> [UInt8] {
        try gif.pixels(gif.open(try GIFEncoder().encode(bitmap, options: .init())))
    }

    @Test("256 colors, or 255 with transparency, are stored exactly")
    func exact() throws {
        var pixels: [UInt8] = (0..<256).reduce(into: []) { $0 += [UInt8($1), UInt8(255 - $1), UInt8($1 / 2), 255] }
        let size = PixelSize(width: 16, height: 16)
        #expect(try Self.roundTrip(Bitmap(size: size, pixels: pixels, isOpaque: true)) == pixels)
        pixels.replaceSubrange(400..<404, with: [0, 0, 0, 0])
        #expect(try Self.roundTrip(Bitmap(size: size, pixels: pixels, isOpaque: false)) == pixels)
    }

    @Test("256 colors with transparency are reduced, and the transparency is kept")
    func oneTooMany() throws {
        var pixels: [UInt8] = (0..<256).reduce(into: []) { $0 += [UInt8($1), UInt8(255 - $1), UInt8($1 / 2), 255] }
        pixels += [0, 0, 0, 0]
        let bitmap = Bitmap(size: PixelSize(width: 257, height: 1), pixels: pixels, isOpaque: false)
        let result = try Self.roundTrip(bitmap)
        #expect((0..<257).allSatisfy { result[4 * $0 + 3] == ($0 == 256 ? 0 : 255) })
        #expect(zip(pixels, result).allSatisfy { abs(Int($0.0) - Int($0.1)) <= 16 })
    }

    @Test("alpha below 128 becomes transparent, other alpha opaque")
    func alpha() throws {
        let pixels: [UInt8] = [9, 8, 7, 127, 9, 8, 7, 128]
        let bitmap = Bitmap(size: PixelSize(width: 2, height: 1), pixels: pixels, isOpaque: false)
        #expect(try Self.roundTrip(bitmap) == [0, 0, 0, 0, 9, 8, 7, 255])
    }

    @Test("a fully transparent image stays transparent")
    func allTransparent() throws {
        let bitmap = Bitmap(
            size: PixelSize(width: 2, height: 2), pixels: [UInt8](repeating: 0, count: 16), isOpaque: false)
        #expect(try Self.roundTrip(bitmap) == bitmap.pixels)
    }

    @Test("a gradient is reduced to similar colors, whose errors cancel out")
    func reduced() throws {
        let bitmap = Self.gradient(96, 64)
        let result = try Self.roundTrip(bitmap)
        let bias = zip(bitmap.pixels, result).reduce(0) { $0 + Int($1.0) - Int($1.1) }
        #expect(abs(Double(bias)) / Double(result.count) < 0.1)
        let errors = zip(bitmap.pixels, result).map { abs(Int($0.0) - Int($0.1)) }
        #expect(Double(errors.reduce(0, +)) / Double(errors.count) < 8)
        #expect((errors.max() ?? 0) < 64)
        let colors = Set((0..<bitmap.size.area).map { index in Array(result[4 * index..<4 * index + 4]) })
        #expect(colors.count > 128)
    }

    @Test("an opaque animation stores only the changed areas and decodes completely")
    func changes() throws {
        let first = Self.noise(PixelSize(width: 40, height: 40))
        var pixels = first.pixels
        pixels.replaceSubrange(4 * 127..<4 * 128, with: [1, 2, 3, 255])
        let second = Bitmap(size: first.size, pixels: pixels, isOpaque: true)
        let frames = zip([first, second, second], [100, 250, 250]).map {
            AnimationFrame(bitmap: $0, delay: .milliseconds($1))
        }
        let data = try GIFEncoder().encode(frames, loopCount: 0, options: .init())
        let image = try gif.open(data)
        #expect(image.header.frameDelays == frames.map(\.delay))
        #expect(!image.header.hasAlpha)
        for (index, frame) in frames.enumerated() {
            #expect(try gif.pixels(image, frame: index) == frame.bitmap.pixels)
        }
        // Two frames of one pixel each: descriptor, graphic control, two colors, and a few bytes of data.
        #expect(data.count < (try GIFEncoder().encode(first, options: .init())).count + 100)
    }

    @Test("pixels that don't change take little space in an animation, also around those that change")
    func unchangedPixels() throws {
        let frames = (0..<6).map { index in
            var pixels = Self.gradient(96, 64).pixels
            // Two dots at opposite corners move, so that the changed rectangle is the image.
            for pixel in [index, 96 * 64 - 1 - index] {
                pixels.replaceSubrange(4 * pixel..<4 * pixel + 4, with: [255, 0, 255, 255])
            }
            let bitmap = Bitmap(size: PixelSize(width: 96, height: 64), pixels: pixels, isOpaque: true)
            return AnimationFrame(bitmap: bitmap, delay: .milliseconds(50))
        }
        let still = try GIFEncoder().encode(frames[0].bitmap, options: .init())
        let moving = try GIFEncoder().encode(frames, loopCount: 0, options: .init())
        #expect(moving.count < still.count * 3 / 2, "\(moving.count) bytes, and a frame has \(still.count)")
        #expect(try !gif.open(moving).header.hasAlpha)
    }

    @Test("frames are exact, whatever appears and vanishes", arguments: [0, 1, 2] as [UInt64])
    func appearingAndVanishing(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let size = PixelSize(width: 7, height: 5)
        let frames = (0..<12).map { _ in
            // Some frames are opaque.
            let isOpaque = Int.random(in: 0...2, using: &random) == 0
            let pixels = (0..<size.area).flatMap { _ -> [UInt8] in
                let level = UInt8.random(in: isOpaque ? 1...2 : 0...2, using: &random)
                return level == 0 ? [0, 0, 0, 0] : [100 * level, 0, 7, 255]
            }
            return AnimationFrame(
                bitmap: Bitmap(size: size, pixels: pixels, isOpaque: isOpaque), delay: .milliseconds(50))
        }
        let image = try gif.open(GIFEncoder().encode(frames, loopCount: 0, options: .init()))
        for (index, frame) in frames.enumerated() {
            #expect(try gif.pixels(image, frame: index) == frame.bitmap.pixels, "frame \(index)")
        }
    }

    @Test(
        "a frame is drawn where it changes and where the next one becomes transparent, to each side of that",
        arguments: [PixelSize(width: 4, height: 1), PixelSize(width: 1, height: 4)], [false, true])
    func changesBesideVanishing(size: PixelSize, isReversed: Bool) throws {
        // The second frame adds a pixel, and the third takes away another one.
        let frames = [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 0]].map { (levels: [UInt8]) in
            let ordered = isReversed ? levels.reversed() : levels
            let pixels = ordered.flatMap { level -> [UInt8] in [9 * level, 0, 0, 255 * level] }
            return AnimationFrame(
                bitmap: Bitmap(size: size, pixels: pixels, isOpaque: false), delay: .milliseconds(50))
        }
        let image = try gif.open(GIFEncoder().encode(frames, loopCount: 0, options: .init()))
        for (index, frame) in frames.enumerated() {
            #expect(try gif.pixels(image, frame: index) == frame.bitmap.pixels, "frame \(index)")
        }
    }

    @Test("a frame with 256 new colors is exact")
    func newColors() throws {
        let size = PixelSize(width: 257, height: 1)
        let frames = (0..<2).map { index in
            // The pixel in the middle doesn't change, and has one of the colors.
            let pixels = (0..<257).flatMap { x -> [UInt8] in
                let level = UInt8(x < 128 ? x : x - 1)
                return x == 128 ? [9, 9, 0, 255] : [level, level, index == 0 ? 1 : 0, 255]
            }
            return AnimationFrame(
                bitmap: Bitmap(size: size, pixels: pixels, isOpaque: true), delay: .milliseconds(50))
        }
        let image = try gif.open(GIFEncoder().encode(frames, loopCount: 0, options: .init()))
        #expect(try gif.pixels(image, frame: 1) == frames[1].bitmap.pixels)
    }

    /// An image with eight shades of gray in random order.
    static func noise(_ size: PixelSize) -> Bitmap {
        var random = SeededRandom(seed: 5)
        var pixels: [UInt8] = []
        for _ in 0..<size.area {
            let level = 36 * UInt8.random(in: 0...7, using: &random)
            pixels += [level, level, level, 255]
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: true)
    }

    @Test("transparent pixels of an animation do not show earlier frames")
    func transparentAnimation() throws {
        let frames = [0, 1, 2].map { index in
            var pixels = [UInt8](repeating: 0, count: 12)
            pixels.replaceSubrange(4 * index..<4 * index + 4, with: [200, 100, 50, 255])
            return AnimationFrame(
                bitmap: Bitmap(size: PixelSize(width: 3, height: 1), pixels: pixels, isOpaque: false),
                delay: .milliseconds(20))
        }
        let image = try gif.open(try GIFEncoder().encode(frames, loopCount: 1, options: .init()))
        for (index, frame) in frames.enumerated() {
            #expect(try gif.pixels(image, frame: index) == frame.bitmap.pixels)
        }
    }

    @Test("sides have up to 65,535 pixels, colors become sRGB, and encoding stops when its task is cancelled")
    func refused() async throws {
        #expect(await GIFEncoder().hasLongestSide(65_535))
        #expect(await GIFEncoder().failure(8, 8, frames: 2, isCancelled: true) == .cancelled)
        let data = try GIFEncoder().encode(.displayP3, options: EncodingOptions())
        #expect(try gif.pixels(data) == Bitmap.displayP3.converted(to: .sRGB).pixels)
        #expect(!GIFEncoder().keepsAlpha)
        #expect(GIFEncoder().format == .gif)
        #expect(data.starts(with: "GIF89a".utf8))
        let frames = [Self.flat(2, 1), Self.flat(1, 1)].map { AnimationFrame(bitmap: $0, delay: .milliseconds(50)) }
        for frames in [[], frames] {
            #expect(throws: ImageEncodingError.inconsistentFrames) {
                try GIFEncoder().encode(frames, loopCount: 0, options: .init())
            }
        }
    }

    @Test("the last frame is cleared if the first one is transparent where it isn't")
    func clearedBeforeRepetition() throws {
        let opaque = Self.flat(2, 1)
        let transparent = Bitmap(size: opaque.size, pixels: [0, 0, 0, 0] + opaque.pixels.suffix(4), isOpaque: false)
        let frames = [transparent, opaque].map { AnimationFrame(bitmap: $0, delay: .milliseconds(100)) }
        let data = try GIFEncoder().encode(frames, loopCount: 0, options: .init())
        let control = try #require(data.range(of: Data([0x21, 0xF9, 4]), options: .backwards))
        #expect(data[control.upperBound] >> 2 & 7 == 2)
    }

    @Test("loop counts are stored, and clamped", arguments: [-1, 0, 1, 2, 17, 65_536, 65_537])
    func loops(count: Int) throws {
        let frames = [Self.flat(2, 2), Self.flat(2, 2, dot: (0, 0))].map {
            AnimationFrame(bitmap: $0, delay: .milliseconds(100))
        }
        let data = try GIFEncoder().encode(frames, loopCount: count, options: .init())
        #expect(try gif.open(data).header.loopCount == min(max(count, 0), 65_536))
    }

    @Test("delays are rounded to hundredths of a second and clamped")
    func delays() throws {
        let delays: [Duration] = [24, 25, 655_900, 100_000_000, -500, -1_000].map { .milliseconds($0) }
        let frames = delays.map { AnimationFrame(bitmap: Self.flat(1, 1), delay: $0) }
        let data = try GIFEncoder().encode(frames, loopCount: 0, options: .init())
        let expected: [Duration] = [20, 30, 655_350, 655_350, 100, 100].map { .milliseconds($0) }
        #expect(try gif.open(data).header.frameDelays == expected)
    }

    @Test("interlacing changes the file, not the pixels")
    func interlaced() throws {
        let bitmap = Self.flat(5, 23, dot: (2, 11))
        let plain = try GIFEncoder().encode(bitmap, options: .init())
        let interlaced = try GIFEncoder().encode(bitmap, options: .init(isProgressive: true))
        #expect(plain != interlaced)
        #expect(try gif.pixels(gif.open(interlaced)) == bitmap.pixels)
    }

    /// A blue image, optionally with a yellow pixel.
    static func flat(_ width: Int, _ height: Int, dot: (Int, Int)? = nil) -> Bitmap {
        let size = PixelSize(width: width, height: height)
        var pixels = (0..<size.area).flatMap { _ -> [UInt8] in [0, 0, 255, 255] }
        if let dot {
            let start = 4 * (dot.1 * width + dot.0)
            pixels.replaceSubrange(start..<start + 4, with: [255, 255, 0, 255])
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: true)
    }
}
