import Foundation
import ImageCodecPNG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("PNG pixel formats")
struct PNGPixelTests {
    static let images: [SyntheticPNG] = SyntheticPNG.combinations.flatMap { colorType, depth in
        [false, true].flatMap { isInterlaced in
            (colorType < 4 ? [false, true] : [false]).map { hasTransparency in
                SyntheticPNG(
                    width: 37, height: 21, colorType: colorType, depth: depth, isInterlaced: isInterlaced,
                    hasTransparency: hasTransparency)
            }
        }
    }

    @Test("HDR is delivered with all bits, of each color type and depth, interlaced or not", arguments: [UInt8(0), 1])
    func deep(interlace: UInt8) throws {
        let key = RawPNG.Chunk("tRNS", [0, 7, 0, 8, 0, 9])
        func pixels(_ depth: UInt8, _ type: UInt8, _ row: [UInt8], _ more: [RawPNG.Chunk] = []) throws -> [Int] {
            let file = RawPNG(
                depth: depth, colorType: type, interlace: interlace, scanlines: [[0] + row],
                before: [.init("cICP", [9, 16, 0, 1])] + more)
            return try png.deepPixels(try png.open(file.data))
        }
        #expect(try pixels(16, 2, [1, 2, 3, 4, 5, 6]) == [0x102, 0x304, 0x506, 0xFFFF])
        #expect(try pixels(16, 2, [0, 7, 0, 8, 0, 9], [key]) == [7, 8, 9, 0])
        #expect(try pixels(16, 2, [0, 7, 0, 8, 1, 9], [key]) == [7, 8, 0x109, 0xFFFF])
        #expect(try pixels(16, 6, [1, 2, 3, 4, 5, 6, 7, 8]) == [0x102, 0x304, 0x506, 0x708])
        #expect(try pixels(16, 0, [1, 2]) == [0x102, 0x102, 0x102, 0xFFFF])
        #expect(try pixels(16, 4, [1, 2, 3, 4]) == [0x102, 0x102, 0x102, 0x304])
        #expect(try pixels(8, 2, [1, 2, 255]) == [0x101, 0x202, 0xFFFF, 0xFFFF])
        #expect(try pixels(8, 6, [1, 2, 255, 3]) == [0x101, 0x202, 0xFFFF, 0x303])
        #expect(try pixels(1, 0, [0x80]) == [0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF])
        #expect(try pixels(8, 3, [1], [.init("PLTE", [0, 0, 0, 1, 2, 3])]) == [0x101, 0x202, 0x303, 0xFFFF])
    }

    @Test(
        "every color type and depth is decoded, interlaced or not, with and without tRNS",
        arguments: images)
    func everyForm(image: SyntheticPNG) throws {
        #expect(try png.pixels(image.raw.data) == image.pixels)
        #expect(try png.header(of: image.raw.data).hasAlpha == (image.hasTransparency || image.colorType >= 4))
    }

    @Test("small images with empty passes are decoded", arguments: SyntheticPNG.combinations.indices)
    func smallSizes(combination: Int) throws {
        let (colorType, depth) = SyntheticPNG.combinations[combination]
        for width in 1...9 {
            for height in 1...9 {
                for isInterlaced in [false, true] {
                    let image = SyntheticPNG(
                        width: width, height: height, colorType: colorType, depth: depth, isInterlaced: isInterlaced,
                        seed: UInt64(width * 16 + height))
                    let decoded = try png.pixels(image.raw.data)
                    #expect(decoded == image.pixels, "\(image.testDescription)")
                }
            }
        }
    }

    @Test(
        "each filter works on the first and on other rows, for each pixel size",
        arguments: 0..<5 as Range<UInt8>)
    func filters(filter: UInt8) throws {
        for (colorType, depth) in SyntheticPNG.combinations {
            for width in [1, 2, 3, 8, 67] {
                for filters in [[filter], [0, filter], [4, filter]] {
                    let image = SyntheticPNG(
                        width: width, height: 4, colorType: colorType, depth: depth, filters: filters,
                        seed: UInt64(width))
                    let decoded = try png.pixels(image.raw.data)
                    #expect(decoded == image.pixels, "\(image.testDescription), filters \(filters)")
                }
            }
        }
    }

    @Test("images larger than a batch of inflated bytes are decoded", arguments: [false, true])
    func large(isInterlaced: Bool) throws {
        for (colorType, depth, width, height) in [(0, 1, 3000, 30), (2, 8, 300, 240), (6, 16, 30_000, 2)] {
            let image = SyntheticPNG(
                width: width, height: height, colorType: UInt8(colorType), depth: depth, isInterlaced: isInterlaced)
            let decoded = try png.pixels(image.raw.data)
            #expect(decoded == image.pixels, "\(image.testDescription)")
        }
    }

    @Test("gray is decoded to its native layout on request", arguments: [(0, 1), (0, 8), (0, 16), (4, 8), (4, 16)])
    func gray(colorType: Int, depth: Int) throws {
        for hasTransparency in colorType == 0 ? [false, true] : [false] {
            for isInterlaced in [false, true] {
                let image = SyntheticPNG(
                    width: 19, height: 10, colorType: UInt8(colorType), depth: depth, isInterlaced: isInterlaced,
                    hasTransparency: hasTransparency)
                var file = image.raw
                file.before.insert(RawPNG.profileChunk(RawPNG.profile(space: "GRAY")), at: 0)
                let layout = try png.header(of: file.data).nativeLayout
                let channels = colorType == 4 || hasTransparency ? [0, 3] : [0]
                #expect(layout.bytesPerPixel == channels.count)
                let pixels = image.pixels
                let expected = stride(from: 0, to: pixels.count, by: 4).flatMap { start in
                    channels.map { pixels[start + $0] }
                }
                let decoded = try png.pixels(file.data, layout: layout)
                #expect(decoded == expected, "\(image.testDescription)")
            }
        }
    }

    @Test("an index beyond the palette is opaque black")
    func beyondPalette() throws {
        let file = RawPNG(
            width: 2, depth: 8, colorType: 3, scanlines: [[0, 0, 2]],
            before: [.init("PLTE", [1, 2, 3, 4, 5, 6]), .init("tRNS", [9, 8])])
        #expect(try png.pixels(file.data) == [1, 2, 3, 9, 0, 0, 0, 255])
    }
}

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
        let deep = RawPNG(
            width: 2, depth: 16, colorType: 2, scanlines: [[0, 1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 4]],
            before: [.init("tRNS", [1, 1, 2, 2, 3, 3])])
        #expect(try png.pixels(deep.data) == [1, 2, 3, 0, 1, 2, 3, 255])
        // Of the 16 bits of a key, only those of the depth count.
        let masked = RawPNG(colorType: 2, scanlines: [[0, 1, 2, 3]], before: [.init("tRNS", [9, 1, 9, 2, 9, 3])])
        #expect(try png.pixels(masked.data) == [1, 2, 3, 0])
        let few = RawPNG(depth: 4, colorType: 0, scanlines: [[0, 0x50]], before: [.init("tRNS", [9, 0x35])])
        #expect(try png.pixels(few.data) == [85, 85, 85, 0])
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
