import Foundation
import ImageCore
import ImageDecoding
import ImageTesting
import Testing

@Suite("ReencodingTransform")
struct ReencodingTransformTests {
    private let size = PixelSize(width: 2, height: 2)
    private let key = DataCacheKey(source: "a")

    private func entry(_ data: Data) -> DataCacheEntry {
        DataCacheEntry(data: data, metadata: Data("head".utf8), createdAt: Date(timeIntervalSinceReferenceDate: 1))
    }

    private func transform(_ encoder: any ImageEncoder = FakeEncoder()) -> ReencodingTransform {
        ReencodingTransform(decoder: FakeSizedImageDecoder()) { _ in encoder }
    }

    /// An image with a large profile, which becomes smaller without it.
    private var bulky: FakeImage {
        FakeImage(size, frames: [[1, 2, 3, 255]], colorProfile: Data(repeating: 7, count: 500))
    }

    @Test("stores an image that becomes smaller, and keeps its metadata and date")
    func reencodes() throws {
        let kept = try transform().stored(entry(bulky.encoded), for: key)
        #expect(kept.data.count < bulky.encoded.count)
        #expect(kept.metadata == Data("head".utf8))
        #expect(kept.createdAt == entry(Data()).createdAt)
        let decoder = FakeSizedImageDecoder()
        let request = DecodingRequest()
        #expect(
            try decoder.decode(kept.data, request: request) { false }.bitmap
                == decoder.decode(bulky.encoded, request: request) { false }.bitmap)
        #expect(try transform().restored(kept, for: key) == kept)
    }

    @Test("an image with alpha is stored as received by an encoder that doesn't say that it keeps alpha")
    func keepsAlpha() throws {
        let pixels: [[UInt8]] = [[1, 2, 3, 255], [1, 2, 3, 254], [1, 2, 3, 0]]
        let images = pixels.map { pixel in
            FakeImage(size, frames: [pixel], hasAlpha: true, colorProfile: Data(repeating: 7, count: 500)).encoded
        }
        for (index, image) in images.enumerated() {
            let kept = try transform(FakeEncoder(keepsAlpha: false)).stored(entry(image), for: key).data
            #expect((kept == image) == (index > 0))
            #expect(try transform(FakeEncoder()).stored(entry(image), for: key).data.count < image.count)
            #expect(try transform(SilentEncoder()).stored(entry(image), for: key).data == kept)
        }
    }

    @Test("a file that the decoder can't read is not stored")
    func unreadable() throws {
        let text = Data("text".utf8)
        for file in [text, Data(), FakeImage.encode(width: 1, height: 1)] {
            #expect(
                try transform(SilentEncoder(file: file)).stored(entry(bulky.encoded), for: key).data == bulky.encoded)
        }
    }

    @Test("keeps data that would become larger, is animated, damaged or not an image, or can't be encoded")
    func keeps() throws {
        let animated = FakeImage(
            size, frames: [[1, 2, 3, 255], [4, 5, 6, 255]], delays: [.milliseconds(100), .milliseconds(100)],
            colorProfile: Data(count: 500))
        let others = [
            FakeImage.encode(width: 2, height: 2), animated.encoded, bulky.encoded.dropLast(3), Data("text".utf8),
            Data(),
        ]
        for data in others { #expect(try transform().stored(entry(data), for: key) == entry(data)) }
        let failingEncoder = FakeEncoder(failure: .animationUnsupported(.fake))
        #expect(try transform(failingEncoder).stored(entry(bulky.encoded), for: key) == entry(bulky.encoded))
    }
}

/// An application's encoder, which doesn't say what it keeps.
private struct SilentEncoder: ImageEncoder {
    /// The file that it writes; nil for one of the fake encoder.
    var file: Data?
    var format: ImageFormat { .fake }

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data {
        if let file { return file }
        return try FakeEncoder().encode(bitmap, options: options)
    }
}
