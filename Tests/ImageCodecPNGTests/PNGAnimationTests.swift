import Foundation
import ImageCodecPNG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("Playing animated PNGs")
struct PNGAnimationTests {
    @Test(
        "a frame is kept, cleared or restored, and blended or copied",
        arguments: [
            (0, 0, ["RRR", "G.R", "G.B"]), (1, 0, ["RRR", "G.R", "..B"]), (2, 0, ["RRR", "G.R", "RRB"]),
            (0, 1, ["RRR", "GRR", "GRB"]), (1, 1, ["RRR", "GRR", "..B"]), (2, 1, ["RRR", "GRR", "RRB"]),
        ])
    func operations(dispose: UInt8, blend: UInt8, expected: [String]) throws {
        var file = AnimatedPNG(3, 1, frames: 3)
        file.control()
        file.image("RRR")
        file.frame("G.", dispose: dispose, blend: blend)
        file.frame("B", at: 2)
        #expect(try AnimatedPNG.texts(file.data) == expected)
        let image = try png.open(file.data)
        for index in [2, 0, 1, 1, 2] { #expect(try AnimatedPNG.text(image, frame: index) == expected[index]) }
        #expect(image.header.hasAlpha)
    }

    @Test("a first frame that is to be restored is cleared", arguments: [1, 2])
    func restoredFirst(dispose: UInt8) throws {
        var file = AnimatedPNG(2, 2, frames: 2)
        file.control(dispose: dispose)
        file.image("RR RR")
        file.frame("G", at: 1)
        #expect(try AnimatedPNG.texts(file.data) == ["RR RR", ".G .."])
    }

    @Test("a default image without a frame control chunk is not a frame, and has no previews")
    func hiddenDefaultImage() throws {
        var file = AnimatedPNG(2, 1, frames: 2, plays: 3)
        file.image("RR")
        file.frame("G", at: 1)
        file.frame("B")
        #expect(try AnimatedPNG.texts(file.data) == [".G", "BG"])
        #expect(try png.header(of: file.data).loopCount == 3)
        #expect(previewRows(file.data) == 0)

        var shown = AnimatedPNG(2, 1, frames: 2)
        shown.control()
        shown.image("RR")
        shown.frame("B")
        #expect(try AnimatedPNG.texts(shown.data) == ["RR", "BR"])
        #expect(previewRows(shown.data) == 1)
    }

    private func previewRows(_ data: Data) -> Int? {
        let image = PNGDecoder().makeIncrementalImage(limits: .default)
        do throws(ImageDecodingError) {
            try image.append(data.prefix(data.count / 2))
            try image.start(size: PixelSize(width: 2, height: 1), layout: .rgba8)
            try image.append(data.dropFirst(data.count / 2))
        } catch { return nil }
        return image.extent.rows
    }

    @Test("an animation of one frame is a still image of that frame")
    func oneFrame() throws {
        var file = AnimatedPNG(2, 1, frames: 1, plays: 0)
        file.image("RR")
        file.frame("GB")
        let header = try png.header(of: file.data)
        #expect((header.frameCount, header.frameDelays, header.loopCount) == (1, [], 1))
        #expect(try AnimatedPNG.texts(file.data) == ["GB"])
    }

    @Test("a denominator of 0 means hundredths, and delays up to 10 ms become 100 ms")
    func delays() throws {
        let stored = [(1, 2), (1, 0), (3, 0), (0, 100), (10, 1000), (11, 1000), (1, 3), (65_535, 1)]
        var file = AnimatedPNG(1, 1, frames: stored.count)
        file.image("R")
        for delay in stored {
            file.control(delay: delay)
            file.pixels("G")
        }
        let milliseconds = [500, 100, 30, 100, 100, 11].map { Duration.milliseconds($0) }
        #expect(
            try png.header(of: file.data).frameDelays
                == milliseconds + [.nanoseconds(333_333_333), .seconds(65_535)])
    }

    @Test("blending weighs colors by their alpha, with 8 bits, in gray and with 16 bits")
    func blending() throws {
        var file = AnimatedPNG(3, 1, frames: 2)
        file.control()
        file.image("GrG")
        file.control(blend: 1)
        file.pixels("rr.")
        let mixed: [UInt8] = [128, 127, 0, 255, 255, 0, 0, 192, 0, 255, 0, 255]
        #expect(try png.pixels(file.data, frame: 1) == mixed)

        func animation(colorType: UInt8, depth: UInt8, _ below: [UInt8], _ above: [UInt8], _ more: RawPNG.Chunk)
            throws -> any OpenedImage
        {
            var file = AnimatedPNG(1, 1, frames: 2)
            (file.colorType, file.depth) = (colorType, depth)
            file.chunks.append(more)
            file.control()
            file.image(stream: RawPNG.deflated([0] + below))
            file.control(blend: 1)
            file.pixels(stream: RawPNG.deflated([0] + above))
            return try png.open(file.data)
        }
        let profile = RawPNG.profileChunk(RawPNG.profile(space: "GRAY"))
        let gray = try animation(colorType: 4, depth: 8, [100, 255], [200, 51], profile)
        #expect(try png.pixels(gray, frame: 1) == [120, 120, 120, 255])
        #expect(try png.pixels(gray, frame: 1, layout: .grayAlpha8) == [120, 255])
        let (below, above): ([UInt8], [UInt8]) = (
            [0, 0, 0x80, 0, 0xFF, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0x80, 0, 0, 0, 0x40, 0]
        )
        let deep = try animation(colorType: 6, depth: 16, below, above, .init("cICP", [9, 16, 0, 1]))
        #expect(try png.deepPixels(deep, frame: 1) == [0x4000, 0x8000, 0xBFFF, 0xFFFF])
    }

    @Test("frames have the color type, depth, palette and interlacing of the image", arguments: [false, true])
    func kinds(isInterlaced: Bool) throws {
        for (colorType, depth) in SyntheticPNG.combinations {
            var images = [(21, 13), (10, 9)].map {
                SyntheticPNG(
                    width: $0.0, height: $0.1, colorType: colorType, depth: depth, isInterlaced: isInterlaced)
            }
            for index in images.indices {
                images[index].hasTransparency = colorType == 3
                images[index].seed = UInt64(depth + index)
            }
            var file = AnimatedPNG(21, 13, frames: 2)
            (file.colorType, file.depth, file.interlace) = (colorType, UInt8(depth), isInterlaced ? 1 : 0)
            file.chunks += images[0].raw.before
            file.control()
            file.image(stream: images[0].raw.compressed)
            file.control(7, 4, (10, 9))
            file.pixels(stream: images[1].raw.compressed, pieces: [0, 3])
            var expected = images[0].pixels
            for y in 0..<9 {
                let start = 4 * ((4 + y) * 21 + 7)
                expected.replaceSubrange(start..<start + 40, with: images[1].pixels[y * 40..<(y + 1) * 40])
            }
            #expect(try png.pixels(file.data) == images[0].pixels, "\(images[0])")
            #expect(try png.pixels(file.data, frame: 1) == expected, "\(images[0])")
        }
    }

    @Test("a first frame that is to be restored leaves the canvas transparent")
    func firstRestored() throws {
        var file = AnimatedPNG(2, 1, frames: 2)
        file.colorType = 0
        file.control(dispose: 2)
        file.image(stream: RawPNG.deflated([0, 9, 9]))
        file.control(1, 0, (1, 1))
        file.pixels(stream: RawPNG.deflated([0, 7]))
        let image = try png.open(file.data)
        #expect(image.header.hasAlpha)
        #expect(try png.pixels(image, frame: 1) == [0, 0, 0, 0, 7, 7, 7, 255])
    }

    @Test("gray of a profile has alpha if the canvas is transparent somewhere", arguments: [8, 16])
    func transparentGray(depth: UInt8) throws {
        var file = AnimatedPNG(2, 1, frames: 1)
        (file.colorType, file.depth) = (0, depth)
        file.chunks.append(RawPNG.profileChunk(RawPNG.profile(space: "GRAY")))
        file.image(stream: RawPNG.deflated([UInt8](repeating: 0, count: depth == 8 ? 3 : 5)))
        file.control(1, 0, (1, 1))
        file.pixels(stream: RawPNG.deflated([UInt8](repeating: 0, count: depth == 8 ? 2 : 3)))
        let image = try png.open(file.data)
        #expect(image.header.nativeLayout == .grayAlpha8 && image.header.hasAlpha)
        #expect(try png.pixels(image, layout: .grayAlpha8) == [0, 0, 0, 255])
    }
}

@Suite("Damaged animated PNGs")
struct DamagedPNGAnimationTests {
    /// Returns a file with two frames after a red default image, changed by `damage`.
    private static func file(_ damage: (inout AnimatedPNG) -> Void = { _ in }) -> Data {
        var file = AnimatedPNG(2, 1, frames: 2)
        file.image("RR")
        file.frame("GG")
        file.frame("BB")
        damage(&file)
        return file.data
    }

    /// Changes a byte of the data of a chunk.
    private static func set(_ chunk: Int, _ byte: Int, _ value: UInt8) -> @Sendable (inout AnimatedPNG) -> Void {
        { $0.chunks[chunk].bytes[byte] = value }
    }

    static let defects: [(String, @Sendable (inout AnimatedPNG) -> Void)] = [
        ("no acTL", { $0.chunks.removeFirst() }), ("two acTL", { $0.chunks.insert($0.chunks[0], at: 1) }),
        ("acTL after the pixels", { $0.chunks.swapAt(0, 1) }), ("short acTL", { $0.chunks[0].bytes.removeLast() }),
        ("acTL and its copy after the pixels", { $0.chunks.append($0.chunks[0]) }),
        ("acTL with a wrong checksum", { $0.chunks[0].hasWrongChecksum = true }),
        ("no frames", set(0, 3, 0)), ("one frame too few", set(0, 3, 1)), ("one too many", set(0, 3, 3)),
        ("2^31 frames", set(0, 0, 0x80)), ("2^31 plays", set(0, 4, 0x80)),
        ("no fcTL", { $0.chunks.remove(at: 4) }), ("no fdAT", { $0.chunks.remove(at: 3) }),
        ("no fdAT at the end", { $0.chunks.removeLast() }), ("two fcTL", { $0.chunks.insert($0.chunks[2], at: 2) }),
        ("short fcTL", { $0.chunks[2].bytes.removeLast() }), ("long fcTL", { $0.chunks[2].bytes.append(0) }),
        ("short fdAT", { $0.chunks[3].bytes = [0, 0] }),
        ("fcTL with a wrong checksum", { $0.chunks[4].hasWrongChecksum = true }),
        ("fdAT with a wrong checksum", { $0.chunks[5].hasWrongChecksum = true }),
        ("the first number is 1", set(2, 3, 1)), ("a number is left out", set(5, 3, 4)),
        ("a number is repeated", set(5, 3, 2)), ("chunks are exchanged", { $0.chunks.swapAt(3, 4) }),
        ("no width", set(2, 7, 0)), ("no height", set(2, 11, 0)), ("a frame beyond the right edge", set(4, 15, 1)),
        ("a frame beyond the lower edge", set(4, 19, 1)), ("a huge width", set(4, 4, 0xFF)),
        ("disposal 3", set(4, 24, 3)), ("blending 2", set(4, 25, 2)),
        ("pixels before the image", { $0.chunks.insert($0.chunks.remove(at: 3), at: 1) }),
        ("image data after a frame", { $0.chunks.append($0.chunks[1]) }),
        (
            "a smaller frame for the default image",
            {
                $0 = AnimatedPNG(2, 1, frames: 2)
                $0.control(0, 0, (1, 1))
                $0.image("RR")
                $0.frame("GG")
            }
        ),
    ]

    @Test("an animation that clears a frame before its last one can be transparent")
    func clearedFrames() throws {
        for cleared in 0..<2 {
            var file = AnimatedPNG(1, 1, frames: 2)
            file.colorType = 2
            let stream = RawPNG.deflated([0, 1, 2, 3])
            file.control(dispose: cleared == 0 ? 1 : 0)
            file.image(stream: stream)
            file.control(dispose: cleared == 1 ? 1 : 0)
            file.pixels(stream: stream)
            #expect(try png.header(of: file.data).hasAlpha == (cleared == 0))
        }
    }

    @Test("an animation with broken chunks is its default image", arguments: defects)
    func brokenChunks(name: String, damage: @Sendable (inout AnimatedPNG) -> Void) throws {
        #expect(try AnimatedPNG.texts(Self.file()) == ["GG", "BB"])
        let data = Self.file(damage)
        let header = try png.header(of: data)
        #expect((header.frameCount, header.frameDelays, header.loopCount) == (1, [], 1))
        #expect(try AnimatedPNG.texts(data) == ["RR"])
    }

    @Test("a truncated animation with more frames than it announces is its default image")
    func truncatedExtraFrame() throws {
        let whole = Self.file(Self.set(0, 3, 1))
        #expect(try png.header(of: whole.dropLast(12)).frameCount == 1)
        #expect(try png.header(of: Self.file().dropLast(12)).frameCount == 2)
    }

    @Test("a truncated animation has the frames of which there are pixels, and plays the complete ones")
    func truncation() throws {
        var file = AnimatedPNG(2, 2, frames: 3)
        file.control()
        file.image("RR RR")
        for row in ["GG GG", "BB BB"] {
            file.control()
            file.pixels(row)
        }
        let whole = file.data
        let expected = ["RR RR", "GG GG", "BB BB"]
        let ends = [3, 5, 7].map { count in
            file.chunks.prefix(count).reduce(33) { $0 + 12 + $1.bytes.count }
        }
        for length in 108..<whole.count {
            let image = try png.open(whole.prefix(length))
            // A frame counts with the header of its first chunk of pixels, and four bytes of that.
            let started = 1 + ends.dropLast().filter { length >= $0 + 38 + 12 }.count
            #expect(image.header.frameCount == started, "\(length)")
            for (index, end) in ends.enumerated() {
                let text = Result { try AnimatedPNG.text(image, frame: index) }
                // The last bytes are the checksums of the pixels and of the chunk.
                #expect((try? text.get()) == (length >= end - 8 ? expected[index] : nil), "\(length), \(index)")
            }
        }
        #expect(png.failure(whole.prefix(ends[1]), frame: 2) == .truncated(.png))
        #expect(png.failure(whole, frame: 3) == .noSuchFrame(3, frameCount: 3))
    }

    @Test("the available rows of a truncated frame are drawn on the frames below, or end the image if there are none")
    func truncatedRows() throws {
        var file = AnimatedPNG(2, 3, frames: 2)
        file.image("RR RR RR")
        file.control(0, 1, (2, 2))
        file.pixels("GG GG")
        file.control()
        file.pixels("BB BB BB")
        let frames = file.data.count
        func rows(_ length: Int, frame: Int) -> String {
            let (rows, failure) = png.rows(file.data.prefix(length), frame: frame)
            #expect(failure == .truncated(.png))
            return AnimatedPNG.text(rows.flatMap { $0 }, width: 2)
        }
        // The end of the file, a chunk and its checksums, and one row.
        #expect(rows(frames - 12 - 8 - 9, frame: 1) == "BB BB GG")
        let second = 12 + 4 + file.chunks[5].bytes.count - 4 + 38
        #expect(rows(frames - 12 - second - 8 - 9, frame: 0) == ".. GG")
    }

    @Test("damaged pixels are an error of their frame and of those that are drawn on it")
    func damagedPixels() throws {
        var file = AnimatedPNG(2, 1, frames: 4)
        file.control()
        file.image("RR")
        for text in ["G", "B", "GB"] { file.frame(text) }
        func failures() -> [ImageDecodingError?] { (0..<4).map { png.failure(file.data, frame: $0) } }
        file.chunks[4].bytes[11] = 9
        let filter = ImageDecodingError.malformed(.png, "unknown filter")
        #expect(failures() == [nil, filter, filter, nil])
        file.chunks[4].bytes.removeLast(9)
        #expect(failures() == [nil, .truncated(.png), .truncated(.png), nil])
    }

    @Test("the frames and the memory of the canvas, of restored pixels and of interlaced frames are limited")
    func limits() throws {
        var file = AnimatedPNG(3, 2, frames: 2)
        file.control()
        file.image("RRR RRR")
        file.control(1, 0, (1, 2), dispose: 2)
        file.pixels("G B")
        #expect(png.failure(file.data, limits: .init(maxFrames: 1)) == .limitExceeded(.frames, value: 2, allowed: 1))
        for (interlace, bytes) in [(UInt8(0), 24 + 8), (1, 24 + 8 + 8)] {
            file.interlace = interlace
            let image = try png.open(file.data)
            let sizes = (0...1).map { image.heldByteCount(frame: $0, size: image.header.storedSize, layout: .rgba8) }
            #expect(sizes == [interlace == 0 ? 0 : 24, bytes])
        }
        var wide = AnimatedPNG(1000, 1000, frames: 2)
        wide.image("R")
        wide.frame("R")
        wide.frame("G")
        let failure = ImageDecodingError.limitExceeded(.decodedBytes, value: 4_000_000, allowed: 3_999_999)
        #expect(png.failure(wide.data, frame: 1, limits: .init(decodedByteLimit: 3_999_999)) == failure)
        #expect(png.failure(wide.data, frame: 1, limits: .init(decodedByteLimit: 4_000_000)) == nil)
        let image = try png.open(wide.data)
        #expect(throws: ImageDecodingError.cancelled) {
            try image.decode(
                frame: 1, size: image.header.storedSize, layout: .rgba8, into: CancellingSink(atCheck: 2))
        }
    }
}
