import Foundation
import ImageCore
import ImageDecoding
import Testing

@testable import ImageTesting

@Suite("ReencodingTransform")
struct ReencodingTransformTests {
    private let size = PixelSize(width: 2, height: 2)
    private let key = DataCacheKey(identifier: "a")

    private func entry(_ data: Data) -> DataCacheEntry {
        DataCacheEntry(data: data, metadata: Data("head".utf8), creationDate: Date(timeIntervalSinceReferenceDate: 1))
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
        #expect(kept.creationDate == entry(Data()).creationDate)
        let decoder = FakeSizedImageDecoder()
        let request = DecodingRequest()
        #expect(
            try decoder.decode(kept.data, request: request).bitmap
                == decoder.decode(bulky.encoded, request: request).bitmap)
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

    @Test("a file is stored as it was completed, and the source as received if that is impossible")
    func completes() throws {
        func stored(_ complete: @escaping @Sendable () throws -> Data?) throws -> Data {
            let transform = ReencodingTransform(
                decoder: FakeSizedImageDecoder(), complete: { _, _, _ in try complete() },
                encoder: { _ in FakeEncoder() })
            return try transform.stored(entry(bulky.encoded), for: key).data
        }
        let completed = FakeImage(size, frames: [[9, 9, 9, 255]]).encoded
        #expect(try stored { completed } == completed)
        #expect(try stored { nil } == bulky.encoded)
        #expect(try stored { throw CancellationError() } == bulky.encoded)
    }

    @Test("a file that the decoder can't read is not stored")
    func unreadable() throws {
        let text = Data("text".utf8)
        for file in [text, Data(), FakeImage.encode(width: 1, height: 1)] {
            #expect(
                try transform(SilentEncoder(file: file)).stored(entry(bulky.encoded), for: key).data == bulky.encoded)
        }
    }

    @Test("an image with a gain map or in HDR is stored as received")
    func keepsWhatIsLost() throws {
        func stored(_ data: Data, _ change: (inout ImageHeader) -> Void = { _ in }) throws -> Data {
            var decoder = AnyFileDecoder(size: size)
            change(&decoder.header)
            let transform = ReencodingTransform(decoder: decoder) { _ in SilentEncoder(file: Data([1])) }
            return try transform.stored(entry(data), for: key).data
        }
        #expect(try stored(bulky.encoded) == Data([1]))
        #expect(try stored(Data([7])) == Data([7]))
        #expect(try stored(bulky.encoded) { $0.hasGainMap = true } == bulky.encoded)
        #expect(try stored(bulky.encoded) { $0.color.transfer = .pq } == bulky.encoded)
        #expect(try stored(bulky.encoded) { $0.color.transfer = .hlg } == bulky.encoded)
    }

    @Test("the options reach the encoder")
    func options() throws {
        for isProgressive in [true, false] {
            let transform = ReencodingTransform(
                decoder: AnyFileDecoder(size: size), options: EncodingOptions(isProgressive: isProgressive)
            ) { _ in ProgressiveEncoder() }
            #expect(try (transform.stored(entry(bulky.encoded), for: key).data.count == 1) == isProgressive)
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

/// Decodes any file as an image with this header, in the color space of the file.
private struct AnyFileDecoder: SizedImageDecoder {
    var header: ImageHeader

    init(size: PixelSize) { header = ImageHeader(format: .fake, storedSize: size) }

    func header(of data: Data) throws(ImageDecodingError) -> ImageHeader { header }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        if request.color != .automatic { throw .unknownFormat }
        let pixels = [UInt8](repeating: 255, count: header.storedSize.area * 4)
        return DecodedImage(bitmap: Bitmap(size: header.storedSize, pixels: pixels, isOpaque: true), header: header)
    }
}

/// An application's encoder, which doesn't say what it keeps.
private struct SilentEncoder: ImageEncoder {
    /// The file that it writes; nil for one of the fake encoder.
    var file: Data?
    var format: ImageFormat { .fake }

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
        if let file { return file }
        return try FakeEncoder().encode(bitmap, options: options)
    }
}

/// Writes small files only if they are progressive.
private struct ProgressiveEncoder: ImageEncoder {
    var format: ImageFormat { .fake }

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
        Data(count: options.isProgressive ? 1 : 10_000)
    }
}

@Suite("AdaptiveEncoderChoice")
struct AdaptiveEncoderChoiceTests {
    private static let choice = AdaptiveEncoderChoice(
        transparent: FakeEncoder(format: .webP), photograph: FakeEncoder(format: .jpeg),
        drawing: FakeEncoder(format: .png))
    private static let size = PixelSize(width: 32, height: 8)

    @Test("selects the encoder for transparency if a pixel is transparent")
    func transparent() {
        let bitmap = Bitmap(size: Self.size, pixels: [UInt8](repeating: 9, count: 1024), isOpaque: false)
        #expect(Self.choice.encoder(for: bitmap).format == .webP)
    }

    @Test("treats an image as a drawing if most neighbors are equal", arguments: [1, 2, 3, 8])
    func content(_ run: Int) {
        let pixels = (0..<Self.size.area).flatMap { index -> [UInt8] in
            [UInt8(truncatingIfNeeded: index % 32 / run * 37), 7, 9, 255]
        }
        let bitmap = Bitmap(size: Self.size, pixels: pixels, isOpaque: true)
        // With runs of 2, 16 of 31 neighbors are equal.
        #expect(Self.choice.encoder(for: bitmap).format == (run == 1 ? .jpeg : .png))
    }

    @Test("compares each color channel", arguments: 0..<3)
    func channels(_ channel: Int) {
        var pixels = [UInt8](repeating: 255, count: 1024)
        for index in 0..<256 { pixels[index * 4 + channel] = UInt8(truncatingIfNeeded: index * 37) }
        let bitmap = Bitmap(size: Self.size, pixels: pixels, isOpaque: true)
        #expect(Self.choice.encoder(for: bitmap).format == .jpeg)
    }

    @Test("uses the encoder for transparency if there is none for drawings")
    func withoutDrawing() {
        let choice = AdaptiveEncoderChoice(
            transparent: FakeEncoder(format: .png), photograph: FakeEncoder(format: .jpeg))
        let plain = Bitmap(size: Self.size, pixels: [UInt8](repeating: 255, count: 1024), isOpaque: true)
        #expect(choice.encoder(for: plain).format == .png)
        let single = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [1, 2, 3, 255], isOpaque: true)
        #expect(choice.encoder(for: single).format == .png)
    }
}
