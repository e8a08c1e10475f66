import Foundation
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages
@testable import ImageCodecGIF

@Suite("Playing GIF animations")
struct GIFAnimationTests {
    /// A red frame, then a green pixel on the left with this disposal, then a blue pixel on the right.
    static func animation(disposal: Int) -> Data {
        var builder = GIFBuilder(3, 1)
        builder.control()
        builder.image(0, 0, 3, 1, [2, 2, 2])
        builder.control(disposal: disposal)
        builder.image(0, 0, 1, 1, [3])
        builder.control()
        builder.image(2, 0, 1, 1, [4])
        return builder.finished
    }

    @Test(
        "a disposal keeps, clears or restores the frame's area",
        arguments: [(0, "GRB"), (1, "GRB"), (2, ".RB"), (3, "RRB"), (4, "RRB"), (5, "GRB")])
    func disposal(code: Int, last: String) throws {
        let image = try gif.open(Self.animation(disposal: code))
        #expect(try GIFReading.text(image, frame: 0) == "RRR")
        #expect(try GIFReading.text(image, frame: 1) == "GRR")
        #expect(try GIFReading.text(image, frame: 2) == last)
    }

    @Test("two successive frames are restored to the pixels before the first")
    func restoreTwice() throws {
        var builder = GIFBuilder(2, 1)
        builder.image(0, 0, 2, 1, [1, 5])
        builder.control(disposal: 3)
        builder.image(0, 0, 1, 1, [2])
        builder.control(disposal: 3)
        builder.image(1, 0, 1, 1, [3])
        builder.image(0, 0, 1, 1, [4])
        let image = try gif.open(builder.finished)
        #expect(try (0..<4).map { try GIFReading.text(image, frame: $0) } == ["WY", "RY", "WG", "BY"])
    }

    @Test("clearing and restoring stay within the canvas")
    func overhang() throws {
        var builder = GIFBuilder(3, 2)
        builder.image(0, 0, 3, 2, [1, 1, 1, 1, 1, 1])
        builder.control(disposal: 3)
        builder.image(2, 1, 3, 2, [2, 2, 2, 2, 2, 2])
        builder.control(disposal: 2)
        builder.image(2, 0, 2, 3, [3, 3, 3, 3, 3, 3])
        builder.image(0, 0, 1, 1, [4])
        let image = try gif.open(builder.finished)
        let expected = ["WWW WWW", "WWW WWR", "WWG WWG", "BW. WW."]
        #expect(try (0..<4).map { try GIFReading.text(image, frame: $0) } == expected)
    }

    @Test("earlier frames are decoded again after later ones", arguments: [1, 2, 3])
    func seeking(disposal: Int) throws {
        var builder = GIFBuilder(3, 1)
        builder.image(0, 0, 1, 1, [1])
        builder.control(disposal: disposal)
        builder.image(1, 0, 2, 1, [2, 3])
        builder.image(0, 0, 1, 1, [4])
        let image = try gif.open(builder.finished)
        let last = ["BRG", "B..", "B.."][disposal - 1]
        for (frame, text) in [(2, last), (0, "W.."), (1, "WRG"), (0, "W.."), (2, last)] {
            #expect(try GIFReading.text(image, frame: frame) == text)
        }
    }

    @Test("a transparent pixel leaves the pixel below unchanged")
    func transparency() throws {
        var builder = GIFBuilder(2, 1)
        builder.image(0, 0, 2, 1, [1, 1])
        builder.control(transparent: 2)
        builder.image(0, 0, 2, 1, [2, 4])
        #expect(try GIFReading.text(builder.finished, frame: 1) == "WB")
    }

    @Test("a frame that replaces the canvas is decoded without the earlier frames")
    func keyFrame() throws {
        var builder = GIFBuilder(2, 1)
        builder.descriptor(0, 0, 2, 1)
        builder.append(GIFBuilder.lzw([1]))  // One pixel is missing.
        builder.image(0, 0, 2, 1, [1, 2])
        builder.image(0, 0, 1, 1, [4])
        let image = try gif.open(builder.finished)
        #expect(throws: ImageDecodingError.truncated(.gif)) { try GIFReading.text(image, frame: 0) }
        #expect(try GIFReading.text(image, frame: 2) == "BR")
        #expect(try GIFReading.text(image, frame: 1) == "WR")
    }

    @Test("a frame that replaces the canvas and is restored shows the earlier frames again, in any order")
    func restoredKeyFrame() throws {
        var builder = GIFBuilder(2, 1)
        builder.image(0, 0, 2, 1, [1, 2])
        builder.control(disposal: 3)
        builder.image(0, 0, 2, 1, [3, 3])
        builder.image(0, 0, 1, 1, [4])
        #expect(try GIFReading.text(builder.finished, frame: 2) == "BR")
    }

    @Test("a damaged frame does not affect frames that are decoded later")
    func afterFailure() throws {
        var builder = GIFBuilder(2, 1)
        builder.image(0, 0, 2, 1, [1, 1])
        builder.control()
        builder.descriptor(0, 0, 2, 1)
        builder.append(GIFBuilder.lzw(codes: [8, 2, 9], codeSize: 3) { _ in 4 })
        let image = try gif.open(builder.finished)
        #expect(throws: ImageDecodingError.truncated(.gif)) { try GIFReading.text(image, frame: 1) }
        #expect(try GIFReading.text(image, frame: 0) == "WW")
    }

    @Test("frames in order are drawn once, and after a damaged one no rows are delivered")
    func inOrder() throws {
        var builder = GIFBuilder(3, 1)
        for left in 0..<3 { builder.image(left, 0, 1, 1, [2]) }
        let image = try gif.open(builder.finished)
        func checks(_ frame: Int, of image: any OpenedImage) throws -> Int {
            let sink = CancellingSink()
            try image.decode(frame: frame, size: image.header.storedSize, layout: .rgba8, into: sink)
            return sink.checks
        }
        #expect(try (0..<3).map { try checks($0, of: image) } == [1, 1, 1])
        #expect(try checks(2, of: gif.open(builder.finished)) == 3)
        for (codes, failure) in [
            ([8, 9], nil), ([8, 2, 9], .truncated(.gif)),
            ([8, 2, 15], .malformed(.gif, "an LZW code is not in the table")),
        ] as [([Int], ImageDecodingError?)] {
            var damaged = GIFBuilder(3, 1)
            damaged.image(0, 0, 3, 1, [1, 1, 1])
            damaged.descriptor(0, 0, 2, 1)
            damaged.append(GIFBuilder.lzw(codes: codes, codeSize: 3) { _ in 4 })
            damaged.image(0, 0, 1, 1, [3])
            let (text, found) = GIFReading.rows(damaged.finished, frame: 2)
            #expect(found == failure)
            #expect(text == (failure == nil ? "GWW" : ""))
        }
    }

    @Test("delays of 0 and 1 hundredth become 100 ms, other delays are unchanged")
    func delays() throws {
        var builder = GIFBuilder(1, 1)
        for delay in [0, 1, 2, 10, 65_535] {
            builder.control(delay: delay)
            builder.image(0, 0, 1, 1, [1])
        }
        builder.image(0, 0, 1, 1, [1])
        let delays = try gif.open(builder.finished).header.frameDelays
        #expect(delays == [100, 100, 20, 100, 655_350, 100].map { .milliseconds($0) })
    }

    @Test("the loop extension sets the repetitions after the first play; without it the animation plays once")
    func loops() throws {
        func loopCount(_ build: (inout GIFBuilder) -> Void) throws -> Int {
            var builder = GIFBuilder(1, 1)
            build(&builder)
            builder.image(0, 0, 1, 1, [1])
            builder.image(0, 0, 1, 1, [2])
            return try gif.open(builder.finished).header.loopCount
        }
        #expect(try loopCount { _ in } == 1)
        #expect(try loopCount { $0.loop(0) } == 0)
        #expect(try loopCount { $0.loop(1) } == 2)
        #expect(try loopCount { $0.loop(65_535) } == 65_536)
        #expect(try loopCount { $0.loop(4, application: "ANIMEXTS1.0") } == 5)
        #expect(try loopCount { $0.loop(4, application: "SOMETHING.0") } == 1)
        func loopCount(block: [UInt8]) throws -> Int {
            try loopCount { $0.append([0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + block + [0]) }
        }
        // The low three bits of the first byte are the kind of the block, and 1 is that of repetitions.
        #expect(try loopCount(block: [3, 0x81, 4, 0]) == 5)
        #expect(try loopCount(block: [3, 2, 4, 0]) == 1)
        #expect(try loopCount(block: [1, 1]) == 1)
        #expect(try loopCount(block: [2, 1, 4]) == 1)
    }
}

@Suite("Limits and damaged GIF files")
struct GIFLimitTests {
    @Test("an exceeded limit is reported by name")
    func limits() throws {
        let data = GIFAnimationTests.animation(disposal: 3)
        func refusal(_ limits: DecodingLimits) throws -> ImageDecodingError? {
            do throws(ImageDecodingError) {
                let image = try gif.open(data, limits: limits)
                _ = try gif.pixels(image, frame: 1)
                return nil
            } catch { return error }
        }
        #expect(
            try refusal(.init(encodedByteLimit: 10)) == .limitExceeded(.encodedBytes, value: data.count, allowed: 10))
        #expect(try refusal(.init(maxPixels: 2)) == .limitExceeded(.pixels, value: 3, allowed: 2))
        #expect(try refusal(.init(maxSide: 2)) == .limitExceeded(.side, value: 3, allowed: 2))
        #expect(try refusal(.init(maxFrames: 2)) == .limitExceeded(.frames, value: 3, allowed: 2))
        // Three pixels of canvas, one that is saved for restoring, and the decompressor for it.
        let most = 16 + LZWReader.byteCount(pixels: 1)
        #expect(
            try refusal(.init(decodedByteLimit: most - 1))
                == .limitExceeded(.decodedBytes, value: most, allowed: most - 1))
        #expect(try refusal(.init(decodedByteLimit: most)) == nil)
    }

    @Test(
        "heldByteCount counts the decompressor, the canvas and restored pixels, and only the first if rows are streamed"
    )
    func heldByteCount() throws {
        func held(_ data: Data, frame: Int = 0) throws -> Int {
            let image = try gif.open(data)
            return image.heldByteCount(frame: frame, size: image.header.storedSize, layout: .rgba8)
        }
        #expect(try held(GIFAnimationTests.animation(disposal: 2), frame: 1) == 12 + LZWReader.byteCount(pixels: 1))
        #expect(try held(GIFAnimationTests.animation(disposal: 3), frame: 1) == 16 + LZWReader.byteCount(pixels: 1))
        for isInterlaced in [false, true] {
            var builder = GIFBuilder(2, 2)
            builder.image(0, 0, 2, 2, [1, 2, 3, 4], isInterlaced: isInterlaced)
            #expect(try held(builder.finished) == LZWReader.byteCount(pixels: 4) + (isInterlaced ? 16 : 0))
        }
    }

    @Test("a frame larger than the limits is rejected even if the canvas is small")
    func largeFrame() {
        for isFirst in [true, false] {
            var builder = GIFBuilder(1, 1)
            if !isFirst { builder.image(0, 0, 1, 1, [1]) }
            builder.image(0, 0, 65_535, 65_535, [1])
            #expect(throws: ImageDecodingError.limitExceeded(.pixels, value: 4_294_836_225, allowed: 500_000_000)) {
                try gif.open(builder.finished)
            }
        }
    }

    @Test("a canvas larger than the limits is rejected from the header")
    func largeCanvas() {
        var builder = GIFBuilder(65_535, 65_535)
        builder.image(0, 0, 1, 1, [1])
        #expect(throws: ImageDecodingError.self) { try gif.open(builder.finished) }
    }
}
