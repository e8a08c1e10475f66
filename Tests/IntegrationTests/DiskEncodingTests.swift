import Foundation
import ImageCodecAVIF
import ImageCodecPNG
import ImageCore
import ImageDecoding
import ImageMetadata
import ImageTesting
import Testing

@testable import ImageLoaderKit

@Suite("Format of images in the disk cache")
struct DiskEncodingTests {
    private let key = DataCacheKey(identifier: "https://images.test/1")

    /// Returns a PNG of gradients with noise, which is far larger than the same image as JPEG.
    private static func png() throws -> Data {
        var random = SeededRandom(seed: 3)
        let size = PixelSize(width: 64, height: 64)
        let pixels = (0..<size.area).flatMap { index -> [UInt8] in
            let noise = UInt8.random(in: 0..<8, using: &random)
            return [UInt8(index % 64 * 3) + noise, UInt8(index / 64 * 3) + noise, 100 + noise, 255]
        }
        let bitmap = Bitmap(size: size, pixels: pixels, isOpaque: true)
        return try PNGEncoder().encode(bitmap, options: EncodingOptions())
    }

    private func encoded(_ encoding: DiskEncoding) throws -> Data {
        let entry = DataCacheEntry(data: try Self.png(), creationDate: Date(timeIntervalSinceReferenceDate: 0))
        guard let transform = encoding.makeTransform() else { return entry.data }
        return try transform.stored(entry, for: key).data
    }

    @Test(
        "a PNG photograph is stored as a smaller JPEG or WebP with the same pixel size",
        arguments: [DiskEncoding.format(.jpeg), .format(.webP), .adaptive()])
    func reencodes(_ encoding: DiskEncoding) throws {
        let encoded = try encoded(encoding)
        #expect(try encoded.count < Self.png().count)
        let header = try DownsamplingDecoder.standard().header(of: encoded)
        #expect(header.format == (encoding == .format(.webP) ? .webP : .jpeg))
        #expect(header.size == PixelSize(width: 64, height: 64))
    }

    @Test("originals are stored unchanged, as are images in formats without an encoder")
    func keepsOriginal() throws {
        #expect(try encoded(.original) == Self.png())
        #expect(try encoded(.format(ImageFormat(rawValue: "unknown"))) == Self.png())
    }

    @Test("metadata is kept, and an image that would lose it, its depth map or content credentials is stored unchanged")
    func keepsContents() throws {
        let place = Data("<x:RDF><x:Description a:Place='Ulm'/></x:RDF>".utf8)
        let depth = Data("<x:RDF><x:Description Semantic=\"Depth\"/></x:RDF>".utf8)
        func stored(_ data: Data, _ format: ImageFormat) throws -> Data {
            let entry = DataCacheEntry(data: data, creationDate: Date(timeIntervalSinceReferenceDate: 0))
            return try #require(DiskEncoding.format(format).makeTransform()).stored(entry, for: key).data
        }
        let photo = try EmbeddedMetadata(xmp: place).embedded(in: Self.png())
        for format in [ImageFormat.jpeg, .webP] {
            let result = try stored(photo, format)
            #expect(result != photo && EmbeddedMetadata(of: result).xmp == place)
        }
        #expect(try stored(photo, .gif) == photo)
        let portrait = try EmbeddedMetadata(xmp: depth).embedded(in: Self.png())
        // A chunk of C2PA before the pixels.
        var signed = try Self.png()
        signed.insert(contentsOf: Data([0, 0, 0, 0]) + Data("caBX".utf8) + [0xE6, 0x3D, 0xD2, 0xA7], at: 33)
        for file in [portrait, signed] { #expect(try stored(file, .jpeg) == file) }
    }

    #if AVIF
        @Test("with an encoder for AVIF, a photograph is stored as AVIF, and a drawing as PNG")
        func adaptiveAVIF() throws {
            let size = PixelSize(width: 32, height: 32)
            let plain = Bitmap(size: size, pixels: [UInt8](repeating: 200, count: size.area * 4), isOpaque: true)
            let choice = AdaptiveEncoderChoice.standard(among: .standard + [AVIFEncoder()])
            let photograph = try DownsamplingDecoder.standard().decode(Self.png())
            #expect(choice.encoder(for: photograph.bitmap).format == .avif)
            #expect(choice.encoder(for: plain).format == .png)
            let transform = DiskEncoding.adaptive().makeTransform(
                decoders: .standard + [AVIFDecoder()], encoders: .standard + [AVIFEncoder()])
            let entry = DataCacheEntry(data: try Self.png(), creationDate: Date(timeIntervalSinceReferenceDate: 0))
            let stored = try #require(transform).stored(entry, for: key)
            #expect(
                try DownsamplingDecoder.standard(.standard + [AVIFDecoder()]).header(of: stored.data).format == .avif)
        }
    #endif
}
