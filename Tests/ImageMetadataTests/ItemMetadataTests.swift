import Foundation
import ImageCore
import Testing

@testable import ImageMetadata

@Suite("Metadata in items and boxes") struct ItemMetadataTests {
    private static let exif = Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0])
    private static let xmp = Data("<x:xmpmeta/>".utf8)
    /// The `idat` box of test files: an offset, Exif and XMP.
    private static let data = Data(count: 4) + exif + xmp
    private static let exifLength = UInt8(4 + exif.count)
    private static let isRead = EmbeddedMetadata(exif: exif, xmp: xmp)

    /// Returns a box of bytes, texts and other boxes.
    private func box(_ name: String, _ parts: Data...) -> Data { Data(box: name, Data(parts.joined())) }

    private func text(_ text: String) -> Data { Data(text.utf8) }

    /// Returns an entry of a table of items: a number, and where its data is.
    private func entry(_ item: UInt8, construction: UInt8 = 1, reference: UInt8 = 0, _ extents: [UInt8]...) -> Data {
        Data([0, item, 0, construction, 0, reference, UInt8(extents.count >> 8), UInt8(extents.count & 255)])
            + Data(extents.joined())
    }

    /// Returns a file with the items 1, of a type, and 2, which has a media type and an encoding.
    private func file(_ locations: Data, item: String = "Exif", type: String = "application/rdf+xml\0") -> Data {
        let items = [
            box("infe", Data([2, 0, 0, 0, 0, 4, 0, 0]), text("mime\0text/plain\0")),
            box("infe", Data([2, 0, 0, 0, 0, 1, 0, 0]), text(item + "\0")),
            box("infe", Data([2, 0, 0, 0, 0, 2, 0, 0]), text("mime\0" + type)),
        ]
        let meta = box(
            "meta", Data(count: 4), box("pitm", Data([0, 0, 0, 0, 0, 9])),
            box("iinf", Data([0, 0, 0, 0, 0, 3]), Data(items.joined())), box("iloc", locations), box("idat", Self.data))
        return box("ftyp", text("avif\0\0\0\0avif")) + meta
    }

    private func metadata(_ file: Data) -> EmbeddedMetadata { EmbeddedMetadata(of: file) }

    @Test("reads several extents of idat, with bases, indices and numbers of 8 bytes")
    func locations() throws {
        let (length, rest) = (Self.exifLength, UInt8(Self.xmp.count))
        var short = Data([1, 0, 0, 0, 0x44, 0, 0, 2])
        short += entry(1, [0, 0, 0, 0, 0, 0, 0, 5], [0, 0, 0, 5, 0, 0, 0, length - 5])
        short += entry(2, [0, 0, 0, length, 0, 0, 0, rest])
        #expect(metadata(file(short)) == Self.isRead)
        #expect(metadata(box("ftyp", text("heic\0\0\0\0heic")) + file(short).dropFirst(20)) == Self.isRead)
        #expect(try metadata(Self.isRead.embedded(in: file(short))) == Self.isRead)
        for (item, block) in [(UInt8(1), \EmbeddedMetadata.exif), (2, \.xmp)] {
            var protected = file(short)
            let entry = try #require(protected.firstRange(of: Data([2, 0, 0, 0, 0, item, 0, 0])))
            protected[entry.upperBound - 1] = 1
            #expect(metadata(protected)[keyPath: block] == nil)
        }
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
        func item(_ id: UInt8, _ extents: Int) -> Data {
            [0, id, 0, 1, 0, 0, UInt8(extents >> 8), UInt8(extents & 255)]
                + Data(repeatElement(whole, count: extents).joined())
        }
        func table(_ extents: Int) -> Data { header + item(2, extents) }
        #expect(metadata(file(table(1))).xmp?.count == 30)
        for count in [60, 10_000] { #expect(metadata(file(table(count))).xmp == nil) }
        // Two items that have more bytes than the file together.
        let both = file(Data([1, 0, 0, 0, 0x44, 0, 0, 2]) + item(1, 12) + item(2, 12))
        #expect(metadata(both).blocks == [.exif])
        #expect(throws: ImageDecodingError.malformed(.avif, "items overlap")) {
            try EmbeddedMetadata.removingPrivateData(from: both)
        }
        for extent: [UInt8] in [
            [0, 0, 0, 1, 0, 0, 0, 30], [0, 0, 0, 0, 255, 255, 255, 255], [UInt8](repeating: 255, count: 8),
        ] { #expect(metadata(file(header + entry(2, extent))).xmp == nil) }
        #expect(metadata(file(header + entry(2, construction: 2, whole))).xmp == nil)
        #expect(metadata(file(header + entry(2, reference: 1, whole))).xmp == nil)
        let endless = Data([2, 0, 0, 0, 0x44, 0, 255, 255, 255, 255]) + Data(count: 200_000)
        let negative = Data([1, 0, 0, 0, 0x88, 0x80, 0, 1, 0, 2, 0, 1, 0, 0]) + Data(repeating: 255, count: 1_000)
        let withoutLengths = Data([1, 0, 0, 0, 0, 0, 255, 255]) + Data(repeating: 255, count: 1_000)
        for table in [endless, negative, withoutLengths, Data()] {
            #expect(metadata(file(table)) == EmbeddedMetadata())
        }
    }

    @Test("reads damaged items, boxes and records within their bounds")
    func damaged() throws {
        let table =
            Data([1, 0, 0, 0, 0x44, 0, 0, 2]) + entry(1, [0, 0, 0, 0, 0, 0, 0, Self.exifLength])
            + entry(2, [0, 0, 0, 4, 0, 0, 0, 9])
        let items = file(table)
        let image = file(table, item: "av01", type: "text/plain")
        #expect(try metadata(Self.isRead.embedded(in: image)) == Self.isRead)
        let boxes = try Self.isRead.embedded(in: Data([0xFF, 0x0A, 1, 2, 3]))
        #expect(metadata(boxes) == Self.isRead)
        for file in [items, image, boxes] {
            for count in 0..<file.count { _ = metadata(file.prefix(count)) }
            for index in 0..<file.count {
                for byte: UInt8 in [0, 1, 0x7F, 0xFF] {
                    var changed = file
                    changed[index] = byte
                    _ = metadata(changed)
                    _ = try? Self.isRead.embedded(in: changed)
                    _ = try? EmbeddedMetadata.removingPrivateData(from: changed)
                }
            }
        }
        #expect(try EmbeddedMetadata(xmp: Self.xmp).embedded(in: boxes).firstRange(of: Data("Exif".utf8)) == nil)
        let other = boxes + box("jxli", text("index")) + box("prvt", text("Paris"))
        let clean = try EmbeddedMetadata.removingPrivateData(from: other)
        #expect(clean.firstRange(of: text("index")) != nil && clean.firstRange(of: text("Paris")) == nil)
        #expect(throws: ImageDecodingError.malformed(.jpegXL, "a box has no name")) {
            try Self.isRead.embedded(in: boxes + Data([0, 0, 0, 8, 0xC0, 0xC1, 65, 65]))
        }
        let start = box("JXL ", Data([0x0D, 0x0A, 0x87, 0x0A]))
        #expect(metadata(start + box("Exif", Data([0, 0, 0, 2, 9, 9]) + Self.exif)).exif == Self.exif)
        #expect(metadata(start + box("Exif", Data(count: 4) + text("text without tags"))).exif == nil)
        var compressed = boxes
        compressed.replaceSubrange(try #require(compressed.firstRange(of: Data("Exif".utf8))), with: Data("brob".utf8))
        #expect(metadata(compressed) == EmbeddedMetadata(xmp: Self.xmp))
    }

    @Test("private data is not removed from a file whose items are outside of its media data")
    func outside() {
        func file(xmpAt offset: Int) -> Data {
            let place = [0, 0, UInt8(offset >> 8), UInt8(offset & 255), 0, 0, 0, UInt8(Self.xmp.count)]
            let table = Data([1, 0, 0, 0, 0x44, 0, 0, 1]) + entry(2, construction: 0, place)
            return self.file(table) + box("uuid", Self.xmp)
        }
        let file = file(xmpAt: file(xmpAt: 0).count - Self.xmp.count)
        #expect(metadata(file).xmp == Self.xmp)
        #expect(throws: ImageDecodingError.unsupported(.avif, "items outside of the media data")) {
            try EmbeddedMetadata.removingPrivateData(from: file)
        }
    }

    @Test("metadata whose bytes are tables of the file is not overwritten", arguments: [UInt8(0), 8, 24, 60])
    func overTables(offset: UInt8) {
        let table =
            Data([1, 0, 0, 0, 0x44, 0, 0, 3]) + entry(1, [0, 0, 0, 0, 0, 0, 0, Self.exifLength])
            + entry(4, [0, 0, 0, 0, 0, 0, 0, 1])
            + entry(2, construction: 0, [0, 0, 0, offset, 0, 0, 0, UInt8(Self.xmp.count)])
        for change in [
            { try EmbeddedMetadata.removingPrivateData(from: $0) }, { try EmbeddedMetadata().embedded(in: $0) },
        ] {
            #expect(throws: ImageDecodingError.unsupported(.avif, "items outside of the media data")) {
                try change(file(table))
            }
        }
    }

    @Test("items that are there are overwritten if there is room")
    func overwritten() throws {
        let table =
            Data([1, 0, 0, 0, 0x44, 0, 0, 2]) + entry(1, [0, 0, 0, 0, 0, 0, 0, Self.exifLength])
            + entry(2, [0, 0, 0, Self.exifLength, 0, 0, 0, UInt8(Self.xmp.count)])
        let items = file(table)
        #expect(metadata(items) == Self.isRead)
        let shorter = EmbeddedMetadata(exif: Self.exif, xmp: Data("<a/>".utf8))
        let changed = try shorter.embedded(in: items)
        #expect(changed.count == items.count && metadata(changed).exif == Self.exif)
        #expect(metadata(changed).xmp?.starts(with: "<a/> ".utf8) == true)
        #expect(try metadata(EmbeddedMetadata().embedded(in: items)) == EmbeddedMetadata())
        #expect(throws: ImageDecodingError.unsupported(.avif, "more metadata than there is space for")) {
            try EmbeddedMetadata(xmp: Self.xmp + Self.xmp).embedded(in: items)
        }
    }
}
