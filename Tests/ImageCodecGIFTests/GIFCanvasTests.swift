import Foundation
import ImageCodecGIF
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

/// The expected pixels are those of Chromium 156, and the sizes also those of Pillow, except that an image no larger than
/// the canvas is clipped to it, as in Firefox.
@Suite("GIF canvases and empty images")
struct GIFCanvasTests {
    struct Screen: CustomTestStringConvertible {
        let width, height: Int
        let left, top: Int
        let expected: String

        var testDescription: String { "\(width)x\(height), image at \(left),\(top)" }
    }

    static let screens = [
        Screen(width: 1, height: 1, left: 0, top: 0, expected: "RG BY"),
        Screen(width: 2, height: 2, left: 1, top: 1, expected: ".. .R"),
        Screen(width: 3, height: 2, left: 2, top: 0, expected: "..R ..B"),
        Screen(width: 1, height: 3, left: 0, top: 0, expected: "RG BY .."),
        Screen(width: 1, height: 1, left: 2, top: 1, expected: ".... ..RG ..BY"),
        Screen(width: 0, height: 0, left: 0, top: 0, expected: "RG BY"),
        Screen(width: 0, height: 0, left: 1, top: 1, expected: "... .RG .BY"),
        Screen(width: 0, height: 1, left: 0, top: 0, expected: "RG BY"),
        Screen(width: 1, height: 0, left: 0, top: 0, expected: "RG BY"),
        Screen(width: 0, height: 3, left: 0, top: 0, expected: "RG BY .."),
    ]

    @Test("a first image larger than the canvas enlarges it", arguments: screens)
    func firstImage(screen: Screen) throws {
        for (version, isInterlaced) in [("89a", false), ("87a", false), ("89a", true)] {
            var builder = GIFBuilder(screen.width, screen.height, version: version)
            builder.image(screen.left, screen.top, 2, 2, [2, 3, 4, 5], isInterlaced: isInterlaced)
            #expect(try GIFReading.text(builder.finished) == screen.expected)
            // Later images do not.
            builder.image(screen.left + 2, screen.top + 1, 3, 3, [UInt8](repeating: 1, count: 9))
            #expect(try GIFReading.text(builder.finished, frame: 1) == screen.expected)
        }
    }

    @Test("a canvas that is only lower than the first image keeps its width")
    func keepsWidth() throws {
        var builder = GIFBuilder(4, 1)
        builder.image(0, 0, 2, 2, [2, 3, 4, 5])
        #expect(try GIFReading.text(builder.finished) == "RG.. BY..")
    }

    @Test("an enlarged canvas is opaque if the first image covers it")
    func opacity() throws {
        for (left, isOpaque) in [(0, true), (1, false)] {
            var builder = GIFBuilder(1, 1)
            builder.image(left, 0, 2, 1, [2, 3])
            #expect(try gif.open(builder.finished).header.hasAlpha != isOpaque)
        }
    }

    @Test("an enlarged canvas is within the limits")
    func limits() {
        for (width, height) in [(0, 0), (1, 1)] {
            var builder = GIFBuilder(width, height)
            builder.image(1, 1, 2, 2, [2, 3, 4, 5])
            #expect(throws: ImageDecodingError.limitExceeded(.pixels, value: 9, allowed: 8)) {
                try gif.open(builder.finished, limits: DecodingLimits(maxPixels: 8))
            }
            #expect(throws: ImageDecodingError.limitExceeded(.side, value: 3, allowed: 2)) {
                try gif.open(builder.finished, limits: DecodingLimits(maxSide: 2))
            }
        }
    }

    /// The LZW data of images without a pixel: the code size, and sub-blocks without codes.
    static let emptyData: [[UInt8]] = [
        [2, 0], [0, 0], [8, 0], [11, 0], [12, 0], [255, 0],
        GIFBuilder.lzw(codes: [9], codeSize: 3) { _ in 4 },
        GIFBuilder.lzw(codes: [8, 9], codeSize: 3) { _ in 4 },
        GIFBuilder.lzw(codes: [8, 8, 8, 9], codeSize: 3) { _ in 4 },
        GIFBuilder.lzw(codes: [8, 8], codeSize: 3) { _ in 4 },
        GIFBuilder.lzw(codes: [2048, 2049], codeSize: 11) { _ in 12 },
    ]

    @Test("an image without a pixel in its data is transparent", arguments: emptyData)
    func empty(data: [UInt8]) throws {
        for isInterlaced in [false, true] {
            var builder = GIFBuilder(2, 1)
            builder.descriptor(0, 0, 2, 1, isInterlaced: isInterlaced)
            builder.append(data)
            for file in [builder.data, builder.finished] {
                let image = try gif.open(file)
                #expect(image.header.hasAlpha)
                #expect(try GIFReading.text(image) == "..")
            }
        }
    }

    @Test("an empty image of an animation shows the image below", arguments: emptyData)
    func emptyFrame(data: [UInt8]) throws {
        var builder = GIFBuilder(2, 1)
        builder.image(0, 0, 2, 1, [2, 3])
        builder.control()
        builder.descriptor(0, 0, 2, 1)
        builder.append(data)
        builder.image(1, 0, 1, 1, [4])
        let image = try gif.open(builder.finished)
        #expect(image.header.frameCount == 3)
        #expect(try GIFReading.text(image, frame: 1) == "RG")
        #expect(try GIFReading.text(image, frame: 2) == "RB")
        #expect(try GIFReading.text(gif.open(builder.finished), frame: 2) == "RB")
    }

    /// The bytes after the descriptor of an image of one pixel.
    static let trackingPixels: [[UInt8]] = [
        [2, 0, 0x3B], [2, 0], [2, 0x3B], [2], [0x3B], [], [2, 1], [2, 2, 0x4C], [2, 1, 0x2C, 0, 0x3B], [0, 0, 0x3B],
    ]

    @Test("a tracking pixel without data is transparent, wherever it ends", arguments: trackingPixels)
    func trackingPixel(rest: [UInt8]) throws {
        for palette in [nil, GIFBuilder.colors] {
            for side in [0, 1] {
                var builder = GIFBuilder(side, side, palette: palette)
                if side == 1 { builder.control(delay: 0) }
                builder.descriptor(0, 0, 1, 1)
                builder.append(rest)
                let (text, failure) = GIFReading.rows(builder.data)
                #expect(failure == nil)
                // The code 4 clears, 5 ends, and 1 is the second color.
                #expect(text == (rest == [2, 2, 0x4C] ? (palette == nil ? "?" : "W") : "."))
            }
        }
    }

    @Test(
        "a larger canvas or image without data is no tracking pixel",
        arguments: [[2, 1, 1, 1], [1, 2, 1, 1], [1, 1, 2, 1], [1, 1, 1, 2]])
    func noTrackingPixel(sides: [Int]) {
        var builder = GIFBuilder(sides[0], sides[1])
        builder.descriptor(0, 0, sides[2], sides[3])
        #expect(throws: ImageDecodingError.truncated(.gif)) { try gif.open(builder.data) }
        builder.append([2])
        #expect(GIFReading.rows(builder.data).failure == .truncated(.gif))
    }

    @Test("a descriptor that is cut is no tracking pixel, also after one")
    func cutDescriptor() throws {
        var builder = GIFBuilder(1, 1)
        builder.image(0, 0, 1, 1, [2])
        builder.append([0x2C, 0])
        #expect(try gif.open(builder.data).header.frameCount == 1)
    }

    @Test("an image of several pixels that ends before its data is truncated")
    func truncated() throws {
        for rest in [[], [2], [2, 5], [2, 1]] as [[UInt8]] {
            var builder = GIFBuilder(2, 1)
            builder.descriptor(0, 0, 2, 1)
            builder.append(rest)
            #expect(throws: ImageDecodingError.truncated(.gif)) { try GIFReading.text(builder.data) }
        }
    }
}
