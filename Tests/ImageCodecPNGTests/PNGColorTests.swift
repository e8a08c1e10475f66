import Foundation
import ImageCodecPNG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("PNG colors")
struct PNGColorTests {
    @Test("gray of 1, 2, 4 and 8 bits is scaled to the full range")
    func gray() throws {
        let cases: [(UInt8, [UInt8], [UInt8])] = [
            (1, [0b0100_0000], [0, 255]), (2, [0b0110_0000], [85, 170]), (4, [0x3C], [51, 204]),
            (8, [7, 200], [7, 200]),
        ]
        for (depth, bytes, levels) in cases {
            let file = RawPNG(width: 2, depth: depth, colorType: 0, scanlines: [[0] + bytes])
            #expect(try png.pixels(file.data) == levels.flatMap { [$0, $0, $0, 255] })
            #expect(try png.header(of: file.data).hasAlpha == false)
        }
    }

    @Test("16 bits are rounded to 8")
    func sixteenBits() throws {
        let file = RawPNG(
            width: 4, depth: 16, colorType: 0, scanlines: [[0, 0x00, 0x80, 0x00, 0x81, 0xFF, 0x00, 0xFF, 0xFF]])
        #expect(try png.pixels(file.data) == [UInt8(0), 1, 254, 255].flatMap { [$0, $0, $0, 255] })
    }

    @Test("RGB, RGBA and gray with alpha keep their values, also with 16 bits")
    func channels() throws {
        let rgb = RawPNG(colorType: 2, scanlines: [[0, 1, 2, 3]])
        #expect(try png.pixels(rgb.data) == [1, 2, 3, 255])
        let rgba = RawPNG(colorType: 6, scanlines: [[0, 1, 2, 3, 4]])
        #expect(try png.pixels(rgba.data) == [1, 2, 3, 4])
        #expect(try png.header(of: rgba.data).hasAlpha)
        let grayAlpha = RawPNG(colorType: 4, scanlines: [[0, 9, 8]])
        #expect(try png.pixels(grayAlpha.data) == [9, 9, 9, 8])
        let deep = RawPNG(depth: 16, colorType: 6, scanlines: [[0, 10, 10, 20, 20, 30, 30, 40, 40]])
        #expect(try png.pixels(deep.data) == [10, 20, 30, 40])
    }

    @Test("palettes of 1, 2, 4 and 8 bits are decoded, with and without alpha")
    func palette() throws {
        let colors = RawPNG.Chunk("PLTE", [10, 20, 30, 40, 50, 60])
        for (depth, byte) in [(1, 0b1000_0000), (2, 0b0100_0000), (4, 0x10), (8, 1)] as [(UInt8, UInt8)] {
            var file = RawPNG(depth: depth, colorType: 3, scanlines: [[0, byte]], before: [colors])
            #expect(try png.pixels(file.data) == [40, 50, 60, 255])
            #expect(try png.header(of: file.data).hasAlpha == false)
            file.before.append(.init("tRNS", [0, 77]))
            #expect(try png.pixels(file.data) == [40, 50, 60, 77])
            #expect(try png.header(of: file.data).hasAlpha)
        }
    }

    @Test("a transparent color is compared at the stored depth")
    func transparentColor() throws {
        let gray = RawPNG(
            width: 2, depth: 16, colorType: 0, scanlines: [[0, 0x12, 0x34, 0x12, 0x35]],
            before: [.init("tRNS", [0x12, 0x34])])
        #expect(try png.pixels(gray.data) == [0x12, 0x12, 0x12, 0, 0x12, 0x12, 0x12, 255])
        let rgb = RawPNG(
            width: 2, colorType: 2, scanlines: [[0, 1, 2, 3, 1, 2, 4]], before: [.init("tRNS", [0, 1, 0, 2, 0, 3])])
        #expect(try png.pixels(rgb.data) == [1, 2, 3, 0, 1, 2, 4, 255])
        #expect(try png.header(of: rgb.data).hasAlpha)
    }

    @Test("interlacing does not change the pixels", arguments: [1, 2, 3, 5, 8, 13])
    func interlaced(side: Int) throws {
        let image = noise(PixelSize(width: side, height: side + 2), isOpaque: false)
        let file = try PNGEncoder().encode(image, options: EncodingOptions(isProgressive: true))
        #expect(file[28] == 1)
        #expect(try png.pixels(file) == image.pixels)
    }

    @Test("gray is available as gray if there is a gray profile")
    func nativeGray() throws {
        let profile = RawPNG.profileChunk(RawPNG.profile(space: "GRAY"))
        var file = RawPNG(colorType: 0, scanlines: [[0, 7]], before: [profile])
        #expect(try png.header(of: file.data).nativeLayout == .gray8)
        #expect(try png.pixels(file.data, layout: .gray8) == [7])
        #expect(try png.pixels(file.data) == [7, 7, 7, 255])
        file.before.append(.init("tRNS", [0, 7]))
        #expect(try png.header(of: file.data).nativeLayout == .grayAlpha8)
        #expect(try png.pixels(file.data, layout: .grayAlpha8) == [7, 0])
        let alpha = RawPNG(depth: 16, colorType: 4, scanlines: [[0, 7, 7, 9, 9]], before: [profile])
        #expect(try png.pixels(alpha.data, layout: .grayAlpha8) == [7, 9])
        #expect(try png.header(of: RawPNG(colorType: 0, scanlines: [[0, 7]]).data).nativeLayout == .rgba8)
    }
}
