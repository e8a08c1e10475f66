import Foundation
import ImageCodecWebP
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("Encoding WebP")
struct WebPEncoderTests {
    @Test("sides have up to 16,383 pixels, and encoding stops when its task is cancelled", arguments: [nil, 2])
    func refused(frames: Int?) async {
        #expect(await WebPEncoder(effort: 0).hasLongestSide(16_383))
        #expect(await WebPEncoder().failure(64, 64, frames: frames, isCancelled: true) == .cancelled)
        let tooLong = ImageEncodingError.unsupportedSize(.webP, PixelSize(width: 16_384, height: 1))
        #expect(await WebPEncoder().failure(16_384, 1, frames: 2) == tooLong)
        #expect(WebPEncoder().keepsAlpha)
    }

    @Test("a file has the profile of Display P3, and quality and effort change its size")
    func encoding() throws {
        func size(_ encoder: WebPEncoder, quality: Double) throws -> Int {
            try encoder.encode(.gradient(64, 48), options: EncodingOptions(quality: quality)).count
        }
        let frames = [Bitmap.displayP3, .flat(8, 8, [1, 2, 3, 255])].map { AnimationFrame(bitmap: $0, delay: .zero) }
        for file in [
            try WebPEncoder().encode(.displayP3, options: EncodingOptions()),
            try WebPEncoder().encode(frames, loopCount: 0, options: EncodingOptions()),
        ] { #expect(try webp.open(file).header.colorProfile == ColorSpace.displayP3.profile) }
        #expect(try size(WebPEncoder(), quality: 0.2) < size(WebPEncoder(), quality: 0.95))
        #expect(try size(WebPEncoder(effort: 0), quality: 0.9) != size(WebPEncoder(effort: 6), quality: 0.9))
        #expect(try size(WebPEncoder(effort: -1), quality: 0.9) == size(WebPEncoder(effort: 0), quality: 0.9))
        #expect(try size(WebPEncoder(effort: 7), quality: 0.9) == size(WebPEncoder(effort: 6), quality: 0.9))
    }

    @Test("the default effort is 4, and the highest one gives smaller lossless files")
    func effort() throws {
        func file(_ encoder: WebPEncoder) throws -> Data {
            try encoder.encode(.gradient(200, 150, hasAlpha: true), options: EncodingOptions(isLossless: true))
        }
        #expect(try file(WebPEncoder()) == file(WebPEncoder(effort: 4)))
        #expect(try file(WebPEncoder(effort: 6)).count < file(WebPEncoder(effort: 5)).count)
        #expect(WebPEncoder().format == .webP)
    }
}
