import Foundation
import ImageCodecWebP
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("Decoding WebP with half the sides")
struct HalfSizeTests {
    static func lossy(_ bitmap: Bitmap) throws -> Data {
        try WebPEncoder().encode(bitmap, options: EncodingOptions(quality: 0.9))
    }

    /// The means of blocks of up to two by two pixels.
    static func means(_ pixels: [UInt8], _ width: Int, _ height: Int) -> [Double] {
        var means: [Double] = []
        for y in stride(from: 0, to: height, by: 2) {
            for x in stride(from: 0, to: width, by: 2) {
                let block = [y, min(y + 1, height - 1)].flatMap { y in
                    [x, min(x + 1, width - 1)].map { y * width + $0 }
                }
                means += (0..<4).map { channel in block.reduce(0) { $0 + Double(pixels[4 * $1 + channel]) } / 4 }
            }
        }
        return means
    }

    @Test("each pixel is the mean of a block", arguments: [(64, 48), (33, 21), (32, 1), (1, 7), (2, 2)])
    func means(width: Int, height: Int) throws {
        let image = try webp.open(Self.lossy(.gradient(width, height)))
        let half = PixelSize(width: (width + 1) / 2, height: (height + 1) / 2)
        #expect(image.decodableSize(covering: half) == half)
        #expect(image.decodableSize(covering: PixelSize(width: 1, height: 1)) == half)
        #expect(image.decodableSize(covering: PixelSize(width: half.width + 1, height: 1)) == image.header.storedSize)
        #expect(image.decodableSize(covering: PixelSize(width: 1, height: half.height + 1)) == image.header.storedSize)
        let pixels = try webp.pixels(image, size: half)
        let means = Self.means(try webp.pixels(image), width, height)
        #expect(pixels.count == means.count)
        // At the stored size, chroma is interpolated. On average, that makes no difference.
        let differences = zip(pixels, means).map { Double($0) - $1 }
        #expect(differences.allSatisfy { abs($0) <= 8 }, "\(differences.map(abs).max() ?? 0)")
        #expect(abs(differences.reduce(0, +)) / Double(differences.count) <= 0.5)
        #expect(stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 })
    }

    @Test(
        "colors are those of the stored size, within the rounding",
        arguments: [[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255], [90, 140, 200]] as [[UInt8]])
    func colors(color: [UInt8]) throws {
        let image = try webp.open(Self.lossy(.flat(32, 32, color + [255])))
        let whole = try webp.pixels(image).prefix(4)
        let half = try webp.pixels(image, size: PixelSize(width: 16, height: 16)).prefix(4)
        #expect(zip(whole, half).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(whole) \(half)")
    }

    @Test("lossless images and images with alpha have only the stored size", arguments: [false, true])
    func otherImages(isLossless: Bool) throws {
        let options = EncodingOptions(isLossless: isLossless)
        let image = try webp.open(
            WebPEncoder().encode(.gradient(32, 32, hasAlpha: !isLossless), options: options))
        let half = PixelSize(width: 16, height: 16)
        #expect(image.decodableSize(covering: half) == image.header.storedSize)
        #expect(throws: ImageDecodingError.self) { try webp.pixels(image, size: half) }
    }

    @Test("the memory is that of the planes")
    func memory() throws {
        let data = try Self.lossy(.gradient(11, 5))
        let half = PixelSize(width: 6, height: 3)
        let byteCount = 11 * 5 + 2 * 6 * 3
        let image = try webp.open(data, limits: .init(decodedByteLimit: byteCount))
        #expect(image.heldByteCount(frame: 0, size: half, layout: .rgba8) == byteCount)
        #expect(try webp.pixels(image, size: half).count == 4 * half.area)
        let limited = try webp.open(data, limits: .init(decodedByteLimit: byteCount - 1))
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: byteCount, allowed: byteCount - 1)) {
            try webp.pixels(limited, size: half)
        }
    }

    @Test("the memory of the planes is taken from the pool of the decoder, and given back")
    func pool() throws {
        let pool = PixelBufferPool(byteLimit: 1 << 20)
        let reading = FileReading(WebPDecoder(pool: pool).using(PixelBufferPool(byteLimit: 0)))
        let image = try reading.open(Self.lossy(.flat(400, 400, [90, 140, 200, 255])))
        let idle = try (0..<2).map { _ in
            _ = try reading.pixels(image, size: PixelSize(width: 200, height: 200))
            return pool.idleByteCount
        }
        #expect(idle[0] >= 400 * 400 * 3 / 2 && idle[1] == idle[0])
    }

    @Test("the memory of whole images and of blended frames is taken from a pool and given back")
    func poolOfWholeImages() throws {
        let translucent = Bitmap.flat(400, 400, [90, 140, 200, 128])
        let still = try WebPEncoder().encode(translucent, options: EncodingOptions(isLossless: true))
        let moving = try WebPAnimationTests.animation(400, 400) {
            try $0.frame(translucent)
            try $0.frame(translucent, blends: true)
        }
        for (data, frame) in [(still, 0), (moving, 1)] {
            let pool = PixelBufferPool(byteLimit: 1 << 24)
            let reading = FileReading(WebPDecoder().using(pool))
            let idle = try (0..<2).map { _ in
                _ = try reading.pixels(reading.open(data), frame: frame)
                return pool.idleByteCount
            }
            #expect(idle[0] >= 400 * 400 * 4)
            #expect(idle[1] == idle[0])
        }
    }
}
