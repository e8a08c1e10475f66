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

        let gray = try blended([100, 255], [200, 51], RawPNG.profileChunk(RawPNG.profile(space: "GRAY")))
        #expect(try png.pixels(gray, frame: 1) == [120, 120, 120, 255])
        #expect(try png.pixels(gray, frame: 1, layout: .grayAlpha8) == [120, 255])
        let (below, above): ([UInt8], [UInt8]) = (
            [0, 0, 0x80, 0, 0xFF, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0x80, 0, 0, 0, 0x40, 0]
        )
        let deep = try blended(below, above, .init("cICP", [9, 16, 0, 1]))
        #expect(try png.deepPixels(deep, frame: 1) == [0x4000, 0x8000, 0xBFFF, 0xFFFF])
    }

    /// Returns an animation whose second frame is blended on its first: gray with 8 bits, or color with 16, both with alpha.
    private func blended(_ below: [UInt8], _ above: [UInt8], _ chunk: RawPNG.Chunk) throws -> any OpenedImage {
        var file = AnimatedPNG(1, 1, frames: 2)
        (file.colorType, file.depth) = below.count == 2 ? (4, 8) : (6, 16)
        file.chunks.append(chunk)
        file.control()
        file.image(stream: RawPNG.deflated([0] + below))
        file.control(blend: 1)
        file.pixels(stream: RawPNG.deflated([0] + above))
        return try png.open(file.data)
    }

    @Test("blended colors and alpha are rounded to nearest, with 8 and with 16 bits")
    func roundedBlending() throws {
        // 200 * 51 / 255 + 101 * 204 / 255 is 120.8.
        let gray = try blended([101, 255], [200, 51], RawPNG.profileChunk(RawPNG.profile(space: "GRAY")))
        #expect(try png.pixels(gray, frame: 1, layout: .grayAlpha8) == [121, 255])
        // Color 1 has the weight 32,768 / 65,535, just above a half. The alpha is 32,767 + 32,768 / 65,535.
        let hdr = RawPNG.Chunk("cICP", [9, 16, 0, 1])
        let color = try blended([0, 1, 0, 0, 0, 0, 255, 255], [0, 0, 0, 0, 0, 0, 0x7F, 255], hdr)
        #expect(try png.deepPixels(color, frame: 1) == [1, 0, 0, 65_535])
        let alpha = try blended([0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0x7F, 255], hdr)
        #expect(try png.deepPixels(alpha, frame: 1)[3] == 32_768)
        let clear = try blended([0, 1, 0, 1, 0, 1, 0, 0], [0, 2, 0, 2, 0, 2, 0, 0], hdr)
        #expect(try png.deepPixels(clear, frame: 1)[3] == 0)
    }

    @Test("cancellation is checked for each frame and between its rows, and frames in order are drawn once")
    func cancellation() throws {
        var file = AnimatedPNG(3, 200, frames: 3)
        file.image("RRR")
        file.control(0, 0, (1, 200))
        file.pixels([String](repeating: "G", count: 200).joined(separator: " "))
        file.frame("G", at: 1)
        file.frame("B", at: 2)
        let image = try png.open(file.data)
        func checks(_ frame: Int, from image: any OpenedImage, sink: CancellingSink = .init()) throws -> Int {
            try image.decode(frame: frame, size: image.header.storedSize, layout: .rgba8, into: sink)
            return sink.checks
        }
        #expect(try (0..<3).map { try checks($0, from: image) } == [4, 1, 1])
        #expect(try checks(2, from: png.open(file.data)) == 6)
        for check in 1...4 {
            let sink = CancellingSink(atCheck: check)
            #expect(throws: ImageDecodingError.cancelled) { try checks(0, from: png.open(file.data), sink: sink) }
            #expect(sink.rows == 0)
        }
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
