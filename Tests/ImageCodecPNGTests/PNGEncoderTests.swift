import Foundation
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages
@testable import ImageCodecPNG

@Suite("Encoding PNG")
struct PNGEncoderTests {
    private static let sizes = [(1, 1), (5, 3), (64, 1), (1, 64), (129, 257)].map(PixelSize.init)

    @Test("every pixel is preserved, and opaque images are written without alpha", arguments: sizes, [false, true])
    func roundTrip(size: PixelSize, isOpaque: Bool) throws {
        let image = noise(size, isOpaque: isOpaque)
        for isProgressive in [false, true] {
            let file = try PNGEncoder().encode(image, options: EncodingOptions(isProgressive: isProgressive))
            #expect(try png.pixels(file) == image.pixels)
            #expect(file[25] == (isOpaque ? 2 : 6))
            #expect(file[28] == (isProgressive ? 1 : 0))
        }
    }

    @Test("with a palette, few colors are preserved with their alpha", arguments: [2, 3, 4, 5, 16, 17, 256])
    func exactPalette(colorCount: Int) throws {
        let size = PixelSize(width: 37, height: 19)
        let pixels = (0..<size.area).flatMap { index -> [UInt8] in
            let color = UInt8(index * 7 % colorCount)
            return color == 0 ? [0, 0, 0, 0] : [color, 255 - color, color & 15, 255 - color / 2]
        }
        let image = Bitmap(size: size, pixels: pixels, isOpaque: false)
        for isProgressive in [false, true] {
            let file = try PNGEncoder(colorCount: colorCount).encode(
                image, options: EncodingOptions(isProgressive: isProgressive))
            #expect(file[25] == 3)
            #expect(file[24] == (colorCount <= 2 ? 1 : colorCount <= 4 ? 2 : colorCount <= 16 ? 4 : 8))
            #expect(try png.pixels(file) == pixels)
        }
    }

    @Test("with a palette, many colors are reduced to similar ones", arguments: [2, 16, 256, 999], [false, true])
    func reducedPalette(colorCount: Int, isOpaque: Bool) throws {
        let size = PixelSize(width: 200, height: 160)
        let pixels = (0..<size.area).flatMap { index -> [UInt8] in
            let (x, y) = (index % 200, index / 200)
            return [UInt8(x), UInt8(y), UInt8((x + y) / 2), isOpaque ? 255 : UInt8(y + 90)]
        }
        let image = Bitmap(size: size, pixels: pixels, isOpaque: isOpaque)
        let file = try PNGEncoder(colorCount: colorCount).encode(image, options: EncodingOptions())
        #expect(try png.header(of: file).hasAlpha != isOpaque)
        let decoded = try png.pixels(file)
        let colors = Set(stride(from: 0, to: decoded.count, by: 4).map { Array(decoded[$0..<$0 + 4]) })
        #expect(colors.count <= min(colorCount, 256) && colors.count > min(colorCount, 256) / 2)
        let error = zip(pixels, decoded).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } / pixels.count
        #expect(error <= [2: 40, 16: 14][colorCount] ?? 4)
        #expect(isOpaque == stride(from: 3, to: decoded.count, by: 4).allSatisfy { decoded[$0] == 255 })
    }

    @Test("errors of a palette are diffused in part: colors mix only near the middle between two")
    func dithering() throws {
        let size = PixelSize(width: 256, height: 32)
        let pixels = (0..<size.area).flatMap { index -> [UInt8] in
            let level = UInt8(index % 256)
            return [level, level, level, 255]
        }
        let image = Bitmap(size: size, pixels: pixels, isOpaque: true)
        let decoded = try png.pixels(PNGEncoder(colorCount: 2).encode(image, options: EncodingOptions()))
        let mixed = (0..<256).filter { x in
            let column = (0..<32).map { y in decoded[4 * (256 * y + x)] }
            return Set(column).count == 2
        }
        #expect(!mixed.isEmpty)
        #expect(mixed.allSatisfy { (96..<160).contains($0) })
    }

    @Test("an animation is preserved, in the rectangles that change", arguments: [false, true], [false, true])
    func animation(isOpaque: Bool, isProgressive: Bool) throws {
        let size = PixelSize(width: 37, height: 23)
        let first = noise(size, isOpaque: true)
        var pixels = first.pixels
        for index in [5 * 37 + 9, 11 * 37 + 3] { pixels[4 * index + 3] = isOpaque ? 255 : 0 }
        for index in [5 * 37 + 9, 11 * 37 + 3] { pixels[4 * index] &+= 1 }
        let bitmaps = [first, Bitmap(size: size, pixels: pixels), Bitmap(size: size, pixels: pixels)]
        let delays = [0.04, 65.539, 70_000].map { Duration.seconds($0) }
        let frames = zip(bitmaps, delays).map { AnimationFrame(bitmap: $0.0, delay: $0.1) }
        // Animations keep all colors.
        let file = try PNGEncoder(colorCount: 2).encode(
            frames, loopCount: -1, options: EncodingOptions(isProgressive: isProgressive))
        let image = try png.open(file)
        #expect(image.header.frameDelays == [.milliseconds(40), .milliseconds(65_540), .seconds(65_535)])
        #expect(image.header.loopCount == 0 && image.header.hasAlpha == !isOpaque)
        for (index, bitmap) in bitmaps.enumerated() {
            #expect(try png.pixels(image, frame: index) == bitmap.pixels)
        }
        let areas = PNGChunks(file).filter { $0.type == .frame }.map { Array(file[$0.content].dropFirst(4).prefix(16)) }
        let expected = [[37, 23, 0, 0], [7, 7, 3, 5], [1, 1, 0, 0]]
        #expect(areas == expected.map { $0.flatMap(RawPNG.uint32) })
    }

    @Test("an animation has the largest color space of its frames, and encoding one frame writes a still image")
    func animationColorSpace() throws {
        let frames = [Bitmap.displayP3, Bitmap.displayP3.converted(to: .sRGB)].map {
            AnimationFrame(bitmap: $0, delay: .milliseconds(40))
        }
        let file = try PNGEncoder().encode(frames, loopCount: 70_000, options: EncodingOptions())
        #expect(try png.header(of: file).colorProfile == ColorSpace.displayP3.profile)
        #expect(try png.header(of: file).loopCount == 70_000)
        let still = try PNGEncoder().encode([frames[0]], loopCount: 0, options: EncodingOptions())
        #expect(try still == PNGEncoder().encode(.displayP3, options: EncodingOptions()))
    }

    @Test("a file has the profile of Display P3, and encoding stops when its task is cancelled")
    func colorSpaceAndCancellation() async throws {
        let file = try PNGEncoder().encode(.displayP3, options: EncodingOptions())
        #expect(try png.header(of: file).colorProfile == ColorSpace.displayP3.profile)
        #expect(await PNGEncoder().failure(64, 64, isCancelled: true) == .cancelled)
        #expect(await PNGEncoder().failure(0, 4) == .unsupportedSize(.png, PixelSize(width: 0, height: 4)))
        #expect(PNGEncoder().keepsAlpha)
        #expect((PNGEncoder().format, PNGDecoder().format) == (.png, .png))
    }

    @Test("frames have one size, and the number of repetitions is clamped to that of the format")
    func frames() throws {
        let frames = [Bitmap.displayP3, noise(PixelSize(width: 2, height: 1), isOpaque: true)].map {
            AnimationFrame(bitmap: $0, delay: .milliseconds(40))
        }
        for frames in [[], frames] {
            #expect(throws: ImageEncodingError.inconsistentFrames) {
                try PNGEncoder().encode(frames, loopCount: 0, options: EncodingOptions())
            }
        }
        let file = try PNGEncoder().encode(
            [frames[0], frames[0]], loopCount: .max, options: EncodingOptions())
        #expect(try png.header(of: file).loopCount == 0x7FFF_FFFF)
    }

    @Test("a side can have more than a million pixels")
    func longSide() throws {
        let size = PixelSize(width: 1_000_001, height: 1)
        let image = Bitmap(size: size, pixels: [UInt8](repeating: 255, count: 4 * size.area), isOpaque: true)
        let file = try PNGEncoder(effort: 0).encode(image, options: EncodingOptions())
        #expect(try png.header(of: file, limits: DecodingLimits(maxSide: 1_000_001)).storedSize == size)
    }

    @Test("more effort gives a smaller file, and efforts are clamped")
    func effort() throws {
        let size = PixelSize(width: 100, height: 100)
        let pixels = (0..<size.area).flatMap { (index: Int) -> [UInt8] in
            [UInt8(index % 100), UInt8(index / 100), UInt8(index % 7), 255]
        }
        let image = Bitmap(size: size, pixels: pixels, isOpaque: true)
        let counts = try [0, 1, 9].map {
            try PNGEncoder(effort: $0).encode(image, options: EncodingOptions()).count
        }
        #expect(counts[0] > counts[1])
        #expect(counts[1] > counts[2])
        for (effort, count) in [(-1, counts[0]), (99, counts[2])] {
            #expect(try PNGEncoder(effort: effort).encode(image, options: EncodingOptions()).count == count)
        }
        let (usual, sixth) = (PNGEncoder(), PNGEncoder(effort: 6))
        #expect(
            try usual.encode(image, options: EncodingOptions()) == sixth.encode(image, options: EncodingOptions()))
        let (fewest, two) = (PNGEncoder(colorCount: 0), PNGEncoder(colorCount: 2))
        #expect(
            try fewest.encode(image, options: EncodingOptions()) == two.encode(image, options: EncodingOptions()))
    }
}

let png = FileReading(PNGDecoder())

/// Returns whether decoding throws `.malformed`.
func isMalformed(_ data: Data) -> Bool {
    if case .malformed(.png, _) = png.failure(data) { true } else { false }
}

/// Returns an image of seeded noise.
func noise(_ size: PixelSize, isOpaque: Bool) -> Bitmap {
    var random = SeededRandom(seed: UInt64(size.area))
    var pixels = (0..<size.area * 4).map { _ in UInt8.random(in: 0...255, using: &random) }
    if isOpaque { for alpha in stride(from: 3, to: pixels.count, by: 4) { pixels[alpha] = 255 } }
    return Bitmap(size: size, pixels: pixels, isOpaque: isOpaque)
}
