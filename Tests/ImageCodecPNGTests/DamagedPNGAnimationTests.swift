import Foundation
import ImageCodecPNG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

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
        ("long acTL", { $0.chunks[0].bytes.append(0) }),
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
        ("fcTL without pixels at the end", { $0.control() }),
        (
            "two fcTL with consecutive numbers",
            {
                $0 = AnimatedPNG(2, 1, frames: 2)
                $0.image("RR")
                $0.control()
                $0.frame("GG")
                $0.frame("BB")
            }
        ),
        (
            "pixels without fcTL",
            {
                $0 = AnimatedPNG(2, 1, frames: 2)
                $0.image("RR")
                $0.pixels("GG")
                $0.frame("GG")
                $0.frame("BB")
            }
        ),
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

    @Test("chunks after the end change nothing", arguments: ["acTL", "fcTL", "fdAT", "IDAT", "IEND"])
    func afterEnd(type: String) throws {
        let data = Self.file() + Data(RawPNG.Chunk(type, [0]).file)
        #expect(try AnimatedPNG.texts(data) == ["GG", "BB"])
        #expect(png.failure(data.prefix(Self.file().count - 4), frame: 2) == .noSuchFrame(2, frameCount: 2))
    }

    @Test("pixels after the end do not continue those of the last frame")
    func pixelsAfterEnd() {
        var rest: [UInt8] = []
        let cut = Self.file {
            rest = Array($0.chunks[5].bytes.suffix(8))
            $0.chunks[5].bytes.removeLast(8)
        }
        let data = cut + Data(RawPNG.Chunk("fdAT", RawPNG.uint32(4) + rest).file)
        #expect(png.failure(data, frame: 0) == nil)
        #expect(png.failure(data, frame: 1) == .truncated(.png))
    }

    @Test("a truncated file without acTL, or with more frames than that announces, is its default image")
    func truncatedExtraFrame() throws {
        let undeclared = Self.file { $0.chunks.removeFirst() }
        #expect(try png.header(of: undeclared.dropLast(12)).frameCount == 1)
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
                // The last bytes are the checksums of the pixels and of the chunk.
                if length >= end - 8 {
                    #expect(try AnimatedPNG.text(image, frame: index) == expected[index], "\(length)")
                } else {
                    #expect(throws: ImageDecodingError.self, "\(length), \(index)") {
                        try AnimatedPNG.text(image, frame: index)
                    }
                }
            }
        }
        #expect(png.failure(whole.prefix(ends[1]), frame: 2) == .truncated(.png))
        #expect(png.failure(whole, frame: 3) == .noSuchFrame(3, frameCount: 3))
        #expect(png.failure(whole.prefix(ends[1]), frame: -1) == .noSuchFrame(-1, frameCount: 2))
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
        #expect(png.rows(file.data, frame: 2).rows.isEmpty)
    }

    @Test("a frame of opaque pixels hides damaged ones below, also if it is blended")
    func opaqueBlended() throws {
        var file = AnimatedPNG(1, 1, frames: 3)
        file.colorType = 2
        file.control()
        file.image(stream: RawPNG.deflated([0, 1, 2, 3]))
        file.control()
        file.pixels(stream: RawPNG.deflated([9, 1, 2, 3]))
        file.control(blend: 1)
        file.pixels(stream: RawPNG.deflated([0, 4, 5, 6]))
        #expect(png.failure(file.data, frame: 1) == .malformed(.png, "unknown filter"))
        #expect(try png.pixels(file.data, frame: 2) == [4, 5, 6, 255])
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
