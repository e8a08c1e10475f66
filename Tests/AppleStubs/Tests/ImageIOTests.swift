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

    @Test("converts a bitmap to a CGImage with the same bytes", arguments: [true, false])
    func image(isOpaque: Bool) throws {
        let image = try #require(bitmap(isOpaque: isOpaque).makeCGImage())
        #expect(image.width == 3)
        #expect(image.height == 2)
        #expect(image.dataProvider?.data == Data(0..<24))
        let alpha: CGImageAlphaInfo = isOpaque ? .noneSkipLast : .last
        #expect(image.bitmapInfo == CGBitmapInfo(rawValue: alpha.rawValue))
    }

    @Test("does not convert an empty bitmap")
    func empty() {
        let empty = Bitmap(size: PixelSize(width: 0, height: 0), pixels: [], isOpaque: true)
        #expect(empty.makeCGImage() == nil)
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
