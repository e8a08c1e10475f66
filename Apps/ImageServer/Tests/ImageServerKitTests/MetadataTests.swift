import Foundation
import ImageCodecJPEG
import ImageCodecPNG
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageMetadata
import ImageTesting
import Testing

@testable import ImageServerKit

@Suite struct MetadataTests {
    /// The formats of results that have metadata, in this build.
    private static var results: [ImageFormat] {
        [.jpeg, .png, .webP, .avif, .jpegXL].filter { OutputFormats.output(for: $0) != nil }
    }

    private static var sources: [ImageFormat] {
        [any ImageEncoder].all.contains { $0.format == .heic } ? results + [.heic] : results
    }

    /// A TIFF file with a maker, an orientation, an artist, a copyright and a reference to a thumbnail.
    private static func exif(littleEndian: Bool) -> Data {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(value >> (8 * $0) & 255) }
            return littleEndian ? bytes : bytes.reversed()
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + value
        }
        let start = 8 + 2 + 4 * 12 + 4
        var bytes: [UInt8] =
            (littleEndian ? [0x49, 0x49] : [0x4D, 0x4D]) + number(42, 2) + number(8, 4) + number(4, 2)
        bytes += entry(0x010F, 2, 7, number(start, 4))
        bytes += entry(0x0112, 3, 1, number(6, 2) + [0, 0])
        bytes += entry(0x013B, 2, 4, Array("Ann\0".utf8))
        bytes += entry(0x8298, 2, 11, number(start + 7, 4))
        bytes += number(99, 4)
        return Data(bytes + Array("Maker1\0(c) Ann B.\0".utf8))
    }

    private static let gainMap = #" xmlns:h="http://ns.adobe.com/hdr-gain-map/1.0/" h:Version="1.0""#

    private static func xmp(_ attributes: String = "") -> Data {
        Data(
            """
            <x:xmpmeta><rdf:RDF><rdf:Description xmp:Rating="5"\(attributes)><dc:rights><rdf:Alt><rdf:li xml:lang="x-default">All\
             rights</rdf:li></rdf:Alt></dc:rights><photoshop:City>Paris</photoshop:City></rdf:Description></rdf:RDF>\
            </x:xmpmeta>
            """.utf8)
    }

    private func source(_ format: ImageFormat, littleEndian: Bool = false) throws -> Data {
        let metadata = EmbeddedMetadata(exif: Self.exif(littleEndian: littleEndian), xmp: Self.xmp(Self.gainMap))
        let encoder = try #require([any ImageEncoder].all.first { $0.format == format })
        let file = try encoder.encode(SampleImages.bitmap(80, 40), options: EncodingOptions())
        return try metadata.embedded(in: file)
    }

    /// The size of a result of the width 20. The Exif orientation does not apply to files of boxes.
    private func size(of format: ImageFormat) -> PixelSize {
        [.avif, .heic, .jpegXL].contains(format) ? PixelSize(width: 20, height: 10) : PixelSize(width: 20, height: 40)
    }

    private func rendered(_ source: Data, _ text: String) throws -> Data { try renderImage(source, text).data }

    private func contains(_ data: Data, _ text: String) -> Bool { data.firstRange(of: Data(text.utf8)) != nil }

    @Test("keeps the copyright and nothing else by default", arguments: sources, results)
    func copyright(from: ImageFormat, to: ImageFormat) throws {
        for littleEndian in [false, true] {
            let result = try rendered(source(from, littleEndian: littleEndian), "w:20/f:\(to.rawValue)")
            #expect(contains(result, "(c) Ann B.") && contains(result, "Ann\0") && contains(result, "All rights"))
            #expect(!contains(result, "Maker1") && !contains(result, "Paris") && !contains(result, "Rating"))
            #expect(try SampleImages.decoder().header(of: result).size == size(of: from))
            #expect(try SampleImages.decoder().header(of: result).orientation == .up)
        }
    }

    @Test("keeps all metadata with sm:0, of an upright image without a gain map", arguments: sources, results)
    func all(from: ImageFormat, to: ImageFormat) throws {
        let result = try rendered(source(from), "w:20/sm:0/f:\(to.rawValue)")
        let source = EmbeddedMetadata(exif: Self.exif(littleEndian: false), xmp: Self.xmp(Self.gainMap))
        #expect(EmbeddedMetadata(of: result) == source.forUprightImage)
        #expect(source.forUprightImage.xmp == Self.xmp())
        let header = try SampleImages.decoder().header(of: result)
        #expect(header.orientation == .up && header.size == size(of: from))
        _ = try SampleImages.decoder().decode(result)
    }

    @Test("keeps nothing with kcr:0, and in formats that can't hold it")
    func nothing() throws {
        for source in try Self.sources.map({ try source($0) }) {
            for text in ["f:gif", "kcr:0/f:png"] + Self.results.map({ "sm:1/kcr:0/f:\($0.rawValue)" }) {
                let result = try rendered(source, "w:20/" + text)
                #expect(!contains(result, "Ann") && !contains(result, "All rights"))
            }
        }
        let plain = try rendered(SampleImages.jpeg(), "w:20/f:jpg")
        #expect(try rendered(SampleImages.jpeg(), "w:20/f:jpg/sm:0") == plain)
    }

    @Test("keeps max_bytes, and the profile of WebP")
    func limits() throws {
        let bare = try rendered(source(.jpeg), "w:20/kcr:0/f:jpg")
        #expect(try rendered(source(.jpeg), "w:20/f:jpg/mb:\(bare.count)").count <= bare.count)
        let limits = RenderingLimits(resultBytes: bare.count)
        for text in ["w:20/f:jpg", "w:20/f:jpg/mb:\(9 * bare.count)"] {
            #expect(try renderImage(source(.jpeg), text, limits: limits).data.count <= bare.count)
        }
        let bitmap = SampleImages.bitmap(20, 10)
        let wide = Bitmap(size: bitmap.size, pixels: bitmap.pixels, isOpaque: true, colorSpace: .displayP3)
        let png = try PNGEncoder().encode(wide, options: EncodingOptions())
        let source = try EmbeddedMetadata(exif: Self.exif(littleEndian: true)).embedded(in: png)
        let result = try rendered(source, "scp:0/f:webp")
        #expect(contains(result, "(c) Ann B."))
        #expect(try SampleImages.decoder().header(of: result).colorProfile == ColorSpace.displayP3.profile)
    }

    @Test("IPTC stays in JPEG: all of it, or what is about rights and people")
    func records() throws {
        let author = Data([0x1C, 2, 80, 0, 6]) + Data("Ann B.".utf8)
        let records = Data([0x1C, 2, 25, 0, 7]) + Data("Holiday".utf8) + author
        let source = try EmbeddedMetadata(iptc: records).embedded(in: SampleImages.jpeg())
        #expect(try EmbeddedMetadata(of: rendered(source, "f:jpg/sm:0")).iptc == records)
        #expect(try EmbeddedMetadata(of: rendered(source, "f:jpg")).iptc == author)
        for text in ["f:jpg/kcr:0", "f:png/sm:0", "f:webp"] { #expect(try !contains(rendered(source, text), "Ann")) }
    }
}
