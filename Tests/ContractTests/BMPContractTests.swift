import Foundation
import ImageCodecBMP
import ImageCodecPNG
import ImageContractTesting
import ImageCore
import Testing

@Suite("BMP and ICO: the contract of decoders")
struct BMPContractTests {
    private static let size = PixelSize(width: 5, height: 4)

    @Test("the decoder of bitmaps passes", arguments: ImageDecoderContract.rules)
    func bitmaps(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
        let samples = [24, 32].map { bits in
            let body = Self.dib(height: Self.size.height, bits: bits)
            var file = Data("BM".utf8)
            file += Self.words(14 + body.count, 0, 54) + body
            return ImageDecoderContract.Sample("\(bits) bits", file, storedSize: Self.size, pixels: Self.pixels)
        }
        try await rule.check(.init(BMPDecoder(), samples: samples))
    }

    @Test("the decoder of icons passes", arguments: ImageDecoderContract.rules)
    func icons(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
        let bitmap = Bitmap(size: Self.size, pixels: Self.pixels, isOpaque: true)
        let mask = Data(count: 4 * Self.size.height)
        let images: [(String, Data)] = [
            ("bitmap", Self.dib(height: 2 * Self.size.height, bits: 24) + mask),
            ("PNG", try PNGEncoder().encode(bitmap, options: EncodingOptions())),
        ]
        let samples = images.map { name, image in
            var file = Data([0, 0, 1, 0, 1, 0]) + Data(count: 8)
            file += Self.words(image.count, 22) + image
            return ImageDecoderContract.Sample(name, file, storedSize: Self.size, pixels: Self.pixels)
        }
        try await rule.check(.init(ICODecoder(png: PNGDecoder()), samples: samples))
    }

    private static let pixels: [UInt8] = (0..<size.area).flatMap { index -> [UInt8] in
        [UInt8(index * 12), UInt8(255 - index), UInt8(index), 255]
    }

    /// Returns the header and the pixels of a bitmap, from the bottom.
    private static func dib(height: Int, bits: Int) -> Data {
        var data = words(40, size.width, height, 1 | bits << 16, 0, 0, 0, 0, 0, 0)
        for y in (0..<size.height).reversed() {
            for x in 0..<size.width {
                let start = (y * size.width + x) * 4
                data += [pixels[start + 2], pixels[start + 1], pixels[start]]
                if bits == 32 { data.append(0) }
            }
            if bits == 24 { data.append(0) }
        }
        return data
    }

    /// Returns numbers of four bytes, the least significant one first.
    private static func words(_ numbers: Int...) -> Data {
        Data(numbers.flatMap { number in (0..<4).map { UInt8(number >> ($0 * 8) & 255) } })
    }
}
