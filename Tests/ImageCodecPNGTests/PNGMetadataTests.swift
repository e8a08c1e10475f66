import Foundation
import ImageCodecPNG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("PNG metadata")
struct PNGMetadataTests {
    private static let image = RawPNG(scanlines: [[0, 1, 2, 3]])

    private func exif(_ orientation: UInt8) -> RawPNG.Chunk {
        .init("eXIf", [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0])
    }

    @Test("the orientation is found before and after the pixels", arguments: ImageOrientation.allCases)
    func orientation(_ orientation: ImageOrientation) throws {
        var (early, late) = (Self.image, Self.image)
        early.before = [exif(UInt8(orientation.rawValue))]
        late.after = [exif(UInt8(orientation.rawValue))]
        for file in [early.data, late.data] {
            #expect(
                try png.header(of: file)
                    == ImageHeader(
                        format: .png, storedSize: PixelSize(width: 1, height: 1), orientation: orientation))
        }
    }

    @Test("an eXIf chunk without an orientation does not hide the next one")
    func exifAfterEmptyOne() throws {
        let real = exif(6)
        let damaged = RawPNG.Chunk("eXIf", exif(3).bytes, hasWrongChecksum: true)
        for first in [.init("eXIf", []), .init("eXIf", [1, 2, 3]), exif(9), damaged] as [RawPNG.Chunk] {
            for (before, after) in [([first, real], []), ([first], [real]), ([], [first, real])] {
                var file = Self.image
                (file.before, file.after) = (before, after)
                #expect(try png.header(of: file.data).orientation == .right, "\(first)")
            }
            var file = Self.image
            file.before = [first, real, exif(3)]
            let image = PNGDecoder().makeIncrementalImage(limits: .default)
            try image.append(file.data)
            #expect(image.header?.orientation == .right, "\(first)")
        }
    }

    @Test("a chunk that is longer than the file ends the search for an orientation")
    func wildLength() throws {
        for excess in [1, 4, 0x7FFF_0000] {
            var chunk = exif(6).file
            chunk.replaceSubrange(0..<4, with: RawPNG.uint32(22 + excess))
            #expect(try png.header(of: Self.image.data + Data(chunk)).orientation == .up)
            let text = RawPNG.uint32(34 + excess) + Array("tEXt".utf8)
            #expect(try png.header(of: Self.image.data + Data(text + exif(6).file)).orientation == .up)
        }
    }

    @Test("the header has the stored profile")
    func profile() throws {
        var file = Self.image
        file.before = [RawPNG.profileChunk(RawPNG.profile(space: "RGB "))]
        let found = try png.header(of: file.data)
        #expect(found.colorProfile == Data(RawPNG.profile(space: "RGB ")))
        #expect(found.nativeLayout == .rgba8)
    }

    @Test("a damaged profile, one with a wrong checksum, and one for another color model are ignored")
    func brokenProfile() throws {
        let rgb = RawPNG.profile(space: "RGB ")
        let chunks = [
            RawPNG.profileChunk([1, 2, 3]), RawPNG.profileChunk(rgb, hasWrongChecksum: true),
            RawPNG.profileChunk(Array(rgb.dropLast(8))), RawPNG.profileChunk(RawPNG.profile(space: "GRAY")),
            RawPNG.Chunk("iCCP", []), RawPNG.Chunk("iCCP", Array("name".utf8) + [0, 0, 1, 2, 3]),
        ]
        for chunk in chunks {
            var file = Self.image
            file.before = [chunk]
            #expect(try png.header(of: file.data).colorProfile == nil)
            #expect(try png.pixels(file.data) == [1, 2, 3, 255])
        }
    }

    @Test("metadata above the limit is ignored, and the image is decoded", arguments: [0, 1, 19, 131])
    func metadataLimit(bytes: Int) throws {
        var file = RawPNG(colorType: 3, scanlines: [[0, 1]])
        file.before = [
            RawPNG.profileChunk(RawPNG.profile(space: "RGB ")), .init("PLTE", [9, 9, 9, 40, 50, 60]),
            .init("tRNS", [0, 77]), exif(6), .init("tEXt", [UInt8](repeating: 65, count: 5000)),
        ]
        let limits = DecodingLimits(metadataBytes: bytes)
        let found = try png.header(of: file.data, limits: limits)
        #expect(found.colorProfile == nil)
        #expect(found.orientation == (bytes < 22 ? .up : .right))
        #expect(try png.pixels(file.data, limits: limits) == [40, 50, 60, 77])
    }

    @Test("many text chunks are accepted")
    func manyTexts() throws {
        var file = Self.image
        file.before = (0..<3000).map { _ in .init("tEXt", Array("a".utf8) + [0, 65]) }
        #expect(try png.pixels(file.data) == [1, 2, 3, 255])
    }

    @Test("an animated image is decoded as its default image")
    func animation() throws {
        var file = Self.image
        let control = RawPNG.uint32(0) + RawPNG.uint32(1) + RawPNG.uint32(1) + RawPNG.uint32(0) + RawPNG.uint32(0)
        file.before = [
            .init("acTL", RawPNG.uint32(2) + RawPNG.uint32(0)), .init("fcTL", control + [0, 1, 0, 10, 0, 0]),
        ]
        file.after = [.init("fdAT", RawPNG.uint32(1) + RawPNG.deflated([0, 9, 9, 9]))]
        #expect(try png.header(of: file.data).frameCount == 1)
        #expect(try png.pixels(file.data) == [1, 2, 3, 255])
    }
}
