import Foundation
import ImageCodecImageIO
import ImageContractTesting
import ImageCore
import Testing

@Suite("ImageIO: the contracts of decoders and encoders")
struct CodecSuites {
    private static let written = ImageIOEncoder.available.map(\.format)
    private static let size = PixelSize(width: 41, height: 29)

    /// A gradient with an edge.
    private static var bitmap: Bitmap {
        var pixels: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width { pixels += [UInt8(x * 2), UInt8(y * 3), x > y ? 200 : 40, 255] }
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: true)
    }

    private static func file(_ format: ImageFormat) throws -> Data {
        try ImageIOEncoder(format).encode(bitmap, options: EncodingOptions())
    }

    @Test("the system has the formats that apps use most")
    func formats() {
        let read = Set(ImageIODecoder.available.map(\.format))
        #expect(read.isSuperset(of: [.jpeg, .png, .webP, .gif, .heic, .avif]))
        #expect(Set(Self.written).isSuperset(of: [.jpeg, .png, .gif, .heic]))
    }

    @Test("the decoder passes", arguments: written, ImageDecoderContract.rules)
    func decoder(_ format: ImageFormat, _ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
        let sample = ImageDecoderContract.Sample("gradient", try Self.file(format), storedSize: Self.size)
        try await rule.check(.init(ImageIODecoder(format), samples: [sample]))
    }

    @Test("the encoder passes", arguments: written, ImageEncoderContract.rules)
    func encoder(_ format: ImageFormat, _ rule: ContractRule<ImageEncoderContract.Subject>) async throws {
        try await rule.check(
            .init(
                ImageIOEncoder(format), decoder: ImageIODecoder(format), isLossless: format == .png,
                supportsAlpha: ImageIOEncoder(format).keepsAlpha, supportsAnimation: [.gif, .png].contains(format)))
    }

    @Test("damaged files are errors", arguments: written)
    func damage(_ format: ImageFormat) throws {
        let file = try Self.file(format)
        for length in stride(from: 0, to: file.count, by: 7) {
            _ = try HostileInputCheck(ImageIODecoder(format)).check(file.prefix(length))
        }
        for index in stride(from: 16, to: file.count, by: 11) {
            var damaged = file
            damaged[index] ^= 0x55
            _ = try HostileInputCheck(ImageIODecoder(format)).check(damaged)
        }
    }
}
