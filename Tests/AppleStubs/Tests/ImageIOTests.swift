import CoreGraphics
import Foundation
import ImageCodecImageIO
import ImageCore
import Testing

@Suite("ImageIO codec")
struct ImageIOTests {
    private func bitmap(isOpaque: Bool) -> Bitmap {
        Bitmap(size: PixelSize(width: 3, height: 2), pixels: Array(0..<24), isOpaque: isOpaque)
    }

    @Test("makes a CGImage once, over the memory of the bitmap, which it keeps", arguments: [true, false])
    func image(isOpaque: Bool) throws {
        var bitmap: Bitmap? = bitmap(isOpaque: isOpaque)
        let image = try #require(bitmap?.cgImage)
        #expect(image.width == 3)
        #expect(image.height == 2)
        let alpha: CGImageAlphaInfo = isOpaque ? .noneSkipLast : .last
        #expect(image.bitmapInfo == CGBitmapInfo(rawValue: alpha.rawValue))
        let copy = bitmap
        #expect(copy?.cgImage === image)
        let address = bitmap?.pixels.withUnsafeBytes { $0.baseAddress }
        #expect(image.dataProvider?.bytes.baseAddress == address)
        weak let released = image
        bitmap = nil
        #expect(image.dataProvider?.data == Data(0..<24))
        #expect(released != nil)
    }

    @Test("a bitmap releases its CGImage, and that releases the pixels")
    func release() {
        let pool = PixelBufferPool(byteLimit: 1 << 20)
        var bitmap: Bitmap? = Bitmap(
            size: PixelSize(width: 256, height: 256), pixels: pool.takeFilled(byteCount: 1 << 18), isOpaque: true,
            pool: pool)
        weak let image = bitmap?.cgImage
        #expect(image != nil)
        bitmap = nil
        #expect(image == nil)
        #expect(pool.idleByteCount >= 1 << 18)
    }

    @Test("does not convert an empty bitmap")
    func empty() {
        let empty = Bitmap(size: PixelSize(width: 0, height: 0), pixels: [], isOpaque: true)
        #expect(empty.cgImage == nil)
    }

    @Test("throws if ImageIO rejects a file or a format")
    func refused() {
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 32))
        #expect(throws: DecodingFailure.self) { try ImageIODecoder(.png).open(png, limits: .default) }
        #expect(throws: EncodingFailure.self) {
            try ImageIOEncoder(.png).encode(bitmap(isOpaque: true), options: EncodingOptions())
        }
    }
}
