import Foundation
import ImageCore
import Testing

@testable import ImageServerKit

@Suite("Metadata in items, boxes and IPTC records") struct ItemMetadataTests {
    private static let exif = Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0])
    private static let xmp = Data("<x:xmpmeta/>".utf8)
    /// The `idat` box of test files: an offset, Exif and XMP.
    private static let data = Data(count: 4) + exif + xmp
    private static let exifLength = UInt8(4 + exif.count)
    private static let isRead = ImageMetadata(exif: exif, xmp: xmp)

    /// Returns a box of bytes, texts and other boxes.
    private func box(_ name: String, _ parts: Data...) -> Data { FileBox(name, Data(parts.joined())).data }

    private func text(_ text: String) -> Data { Data(text.utf8) }

    /// Returns an entry of a table of items: a number, and where its data is.
    private func entry(_ item: UInt8, construction: UInt8 = 1, reference: UInt8 = 0, _ extents: [UInt8]...) -> Data {
        Data([0, item, 0, construction, 0, reference, UInt8(extents.count >> 8), UInt8(extents.count & 255)])
            + Data(extents.joined())
    }

    /// Returns a file with the items 1, of a type, and 2, which has a media type and an encoding.
    private func file(_ locations: Data, item: String = "Exif", type: String = "application/rdf+xml\0") -> Data {
        let items = [
            box("infe", Data([2, 0, 0, 0, 0, 3, 0, 0]), text("mime\0text/plain\0")),
            box("infe", Data([2, 0, 0, 0, 0, 1, 0, 0]), text(item + "\0")),
            box("infe", Data([2, 0, 0, 0, 0, 2, 0, 0]), text("mime\0" + type)),
        ]
        let meta = box(
            "meta", Data(count: 4), box("pitm", Data([0, 0, 0, 0, 0, 9])),
            box("iinf", Data([0, 0, 0, 0, 0, 3]), Data(items.joined())), box("iloc", locations), box("idat", Self.data))
        return box("ftyp", text("avif")) + meta
    }

    private func metadata(_ file: Data) -> ImageMetadata { ImageMetadata(of: file, .avif) }

    @Test("reads several extents of idat, with bases, indices and numbers of 8 bytes")
    func locations() {
        let (length, rest) = (Self.exifLength, UInt8(Self.xmp.count))
        var short = Data([1, 0, 0, 0, 0x44, 0, 0, 2])
        short += entry(1, [0, 0, 0, 0, 0, 0, 0, 5], [0, 0, 0, 5, 0, 0, 0, length - 5])
        short += entry(2, [0, 0, 0, length, 0, 0, 0, rest])
        #expect(metadata(file(short)) == Self.isRead)
        let zeros = Data(count: 7)
        var long = Data([2, 0, 0, 0, 0x88, 0x84, 0, 0, 0, 2])
        for (item, base, offset, length) in [(UInt8(1), UInt8(0), UInt8(0), length), (2, length - 1, 1, rest)] {
            long += Data([0, 0, 0, item, 0, 1, 0, 0]) + zeros + [base, 0, 1]
            long += Data([0, 0, 0, 7]) + zeros + [offset] + zeros + [length]
        }
        #expect(metadata(file(long)) == Self.isRead)
    }

    @Test(
        "takes no other media type and no encoded XMP",
        arguments: ["text/plain\0", "application/rdf+xml\0deflate\0", "application/rdf+xml2\0", ""])
    func types(type: String) {
        let table = Data([1, 0, 0, 0, 0x44, 0, 0, 1]) + entry(2, [0, 0, 0, 0, 0, 0, 0, 9])
        #expect(metadata(file(table)).xmp?.count == 9)
        #expect(metadata(file(table, type: "application/rdf+xml\0\0")).xmp?.count == 9)
        #expect(metadata(file(table, type: type)).xmp == nil)
    }

    @Test("counts overlapping, distant and endless data, and tables with too many entries, as missing")
    func hostile() {
        let header = Data([1, 0, 0, 0, 0x44, 0, 0, 1])
        let whole: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 30]
        func table(_ extents: Int) -> Data {
            header + [0, 2, 0, 1, 0, 0, UInt8(extents >> 8), UInt8(extents & 255)]
                + Data(repeatElement(whole, count: extents).joined())
        }
        #expect(metadata(file(table(1))).xmp?.count == 30)
        for count in [60, 10_000] { #expect(metadata(file(table(count))).xmp == nil) }
        for extent: [UInt8] in [
            [0, 0, 0, 1, 0, 0, 0, 30], [0, 0, 0, 0, 255, 255, 255, 255], [UInt8](repeating: 255, count: 8),
        ] { #expect(metadata(file(header + entry(2, extent))).xmp == nil) }
        #expect(metadata(file(header + entry(2, construction: 2, whole))).xmp == nil)
        #expect(metadata(file(header + entry(2, reference: 1, whole))).xmp == nil)
        let endless = Data([2, 0, 0, 0, 0x44, 0, 255, 255, 255, 255]) + Data(count: 200_000)
        let negative = Data([1, 0, 0, 0, 0x88, 0x80, 0, 1, 0, 2, 0, 1, 0, 0]) + Data(repeating: 255, count: 1_000)
        let withoutLengths = Data([1, 0, 0, 0, 0, 0, 255, 255]) + Data(repeating: 255, count: 1_000)
        for table in [endless, negative, withoutLengths, Data()] { #expect(metadata(file(table)) == ImageMetadata()) }
    }

    @Test("reads damaged items, boxes and records within their bounds")
    func damaged() throws {
        let table =
            Data([1, 0, 0, 0, 0x44, 0, 0, 2]) + entry(1, [0, 0, 0, 0, 0, 0, 0, Self.exifLength])
            + entry(2, [0, 0, 0, 4, 0, 0, 0, 9])
        let items = file(table)
        let image = file(table, item: "av01", type: "text/plain")
        #expect(metadata(Self.isRead.added(to: image, format: .avif)) == Self.isRead)
        let boxes = JXLFile.adding(Self.isRead, to: Data([0xFF, 0x0A, 1, 2, 3]))
        #expect(ImageMetadata(of: boxes, .jpegXL) == Self.isRead)
        for (file, format) in [(items, ImageFormat.heic), (image, .avif), (boxes, .jpegXL)] {
            for count in 0..<file.count { _ = ImageMetadata(of: file.prefix(count), format) }
            for index in 0..<file.count {
                for byte: UInt8 in [0, 1, 0x7F, 0xFF] {
                    var changed = file
                    changed[index] = byte
                    _ = ImageMetadata(of: changed, format)
                    _ = Self.isRead.added(to: changed, format: format)
                }
            }
        }
        var compressed = boxes
        compressed.replaceSubrange(try #require(compressed.firstRange(of: Data("Exif".utf8))), with: Data("brob".utf8))
        #expect(ImageMetadata(of: compressed, .jpegXL) == ImageMetadata(xmp: Self.xmp))
    }
}

extension ItemMetadataTests {
    private static func dataSet(_ record: UInt8, _ number: UInt8, _ text: String) -> Data {
        Data([0x1C, record, number, 0, UInt8(text.utf8.count)]) + Data(text.utf8)
    }

    private static let records =
        Data([0x1C, 1, 90, 0, 3, 0x1B, 0x25, 0x47]) + dataSet(2, 0, "\0\u{4}") + dataSet(2, 25, "Holiday")
        + dataSet(2, 80, "Ann B.") + dataSet(2, 116, "(c) Ann") + dataSet(2, 120, "Caption")

    private func rendered(_ source: Data, _ text: String) throws -> Data {
        let url = try ImageURLParser(signature: nil).parse("/_/\(text)/plain/http://a/b", now: .distantPast)
        return try ImageRenderer(
            decoder: SampleImages.decoder(), limits: RenderingLimits(), clock: ContinuousClock()
        ).render(source, url.options, accepted: AcceptedFormats(accept: nil)).data
    }

    /// Returns a JPEG with segments of Photoshop.
    private func photograph(_ segments: [Data]) throws -> Data {
        var file = try #require(JPEGFile(SampleImages.jpeg()))
        file.segments += segments.map { JPEGFile.Segment(marker: 0xED, body: Data("Photoshop 3.0\0".utf8) + $0) }
        return file.data
    }

    @Test("IPTC stays in JPEG: all of it, or what is about rights and people")
    func records() throws {
        let thumbnail = Data("8BIM".utf8) + [0x04, 0x0C, 1, 65, 0, 0, 0, 3, 1, 2, 3, 0]
        let resource = IPTCRecords.segment(Self.records).dropFirst(14)
        let kept = try #require(IPTCRecords.copyright(Self.records))
        #expect(kept.count == Self.records.count - 24)
        for segments in [[thumbnail + resource], [thumbnail + resource.prefix(40), resource.dropFirst(40)]] {
            let source = try photograph(segments)
            #expect(try ImageMetadata(of: rendered(source, "f:jpg/sm:0"), .jpeg).iptc == Self.records)
            #expect(try ImageMetadata(of: rendered(source, "f:jpg"), .jpeg).iptc == kept)
            for text in ["f:jpg/kcr:0", "f:png/sm:0", "f:webp"] {
                #expect(try rendered(source, text).firstRange(of: Data("Ann".utf8)) == nil)
            }
        }
    }

    @Test("damaged IPTC counts as missing, and what doesn't fit into a segment is left out")
    func damagedRecords() throws {
        let segment = IPTCRecords.segment(Self.records)
        for count in 0..<segment.count {
            let isWhole = segment.count - count <= Self.records.count % 2
            #expect((IPTCRecords.read([segment.prefix(count)]) == nil) == !isWhole)
        }
        for index in 0..<segment.count {
            var changed = segment
            changed[index] = 0xFF
            _ = IPTCRecords.read([changed]).flatMap(IPTCRecords.copyright)
        }
        for count in 0..<Self.records.count {
            let kept = IPTCRecords.copyright(Self.records.prefix(count)) ?? Data()
            #expect(kept.isEmpty || kept.firstRange(of: Data("Ann B.".utf8)) != nil)
        }
        #expect(IPTCRecords.copyright(Data([0x1C, 2, 116, 0x80, 4, 0xFF, 0xFF, 0xFF, 0xFF, 65])) == nil)
        #expect(IPTCRecords.copyright(Data([0x1C, 2, 116, 0x7F, 0xFF, 65])) == nil)
        let many = Data((0..<1_001).flatMap { _ in Data("8BIM".utf8) + [0x04, 0x0C, 0, 0, 0, 0, 0, 0] })
        #expect(IPTCRecords.read([Data("Photoshop 3.0\0".utf8) + many + segment.dropFirst(14)]) == nil)
        let large = ImageMetadata(iptc: Data(count: 65_530))
        let jpeg = try SampleImages.jpeg()
        #expect(large.added(to: jpeg, format: .jpeg) == jpeg)
    }
}
