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
        #expect(gif.failure(other) == .malformed(.gif, "the signature is neither GIF87a nor GIF89a"))
        #expect(GIFDecoder().format == .gif)
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
        builder.control(disposal: 3)
        builder.image(0, 9, 1, 1, [2])
        builder.control(disposal: 2)
        builder.image(9, 0, 1, 1, [2])
        #expect(try GIFReading.text(builder.finished, frame: 3) == "B.. ..W")
        builder.image(1, 0, 1, 1, [3])
        #expect(try GIFReading.text(builder.finished, frame: 4) == "BG. ..W")
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
            let half = PixelSize(width: side / 2, height: side / 2)
            #expect(image.decodableSize(covering: half) == size)
            let reason = "the image can only be decoded at \(size) as RGBA"
            for (wanted, layout) in [(size, PixelLayout.gray8), (half, .rgba8)] {
                #expect(throws: ImageDecodingError.unsupported(.gif, reason)) {
                    try gif.pixels(image, size: wanted, layout: layout)
                }
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

    @Test("a graphic control extension has at least four bytes")
    func controlLength() throws {
        for (bytes, delay) in [([3, 8, 50, 0], 100), ([4, 8, 50, 0, 0], 500), ([5, 8, 50, 0, 0, 9], 500)] {
            var builder = GIFBuilder(2, 1)
            builder.append([0x21, 0xF9] + bytes.map { UInt8($0) } + [0])
            builder.image(0, 0, 1, 1, [2])
            builder.image(1, 0, 1, 1, [3])
            let image = try gif.open(builder.finished)
            #expect(image.header.frameDelays == [.milliseconds(delay), .milliseconds(100)])
            #expect(try GIFReading.text(image, frame: 1) == (delay == 100 ? "RG" : ".G"))
        }
    }

    @Test("a first image that is beside the canvas, or lower or narrower than it, doesn't cover it")
    func partOfCanvas() throws {
        for (left, top, width, height, text) in [
            (1, 0, 2, 2, ".W .W"), (0, 1, 2, 2, ".. WW"), (0, 0, 2, 1, "WW .."), (0, 0, 1, 2, "W. W."),
        ] {
            var builder = GIFBuilder(2, 2)
            builder.image(left, top, width, height, [UInt8](repeating: 1, count: width * height))
            #expect(try gif.open(builder.finished).header.hasAlpha)
            #expect(try GIFReading.text(builder.finished) == text)
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
