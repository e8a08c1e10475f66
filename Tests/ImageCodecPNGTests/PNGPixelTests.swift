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
