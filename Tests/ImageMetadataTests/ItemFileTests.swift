import Foundation
import GeneratedImages
import ImageCore
import Testing

@testable import ImageMetadata

@Suite("Items of HEIC files, without codecs") struct ItemFileTests {
    private static let block = GainMapJPEG.block.dropFirst(EmbeddedGainMap.identifier.count)

    /// Returns a file with an image and a map, which has a tile.
    ///
    /// - Parameter block: The data of the item `tmap`; nil for Apple's auxiliary image.
    private func file(_ block: Data?, channels: Int? = nil, idLength: Int = 2) -> Data {
        var builder = HEIFBuilder(idLength: idLength)
        let coded = builder.property(
            "colr", HEIFBuilder.color(primaries: 1, transfer: 13, matrix: 6, isFullRange: true))
        var properties = [builder.property("colr", Data("prof12345678".utf8))]
        if let channels { properties.append(builder.property("pixi", Data([0, 0, 0, 0, UInt8(channels)]))) }
        let type = Data("urn:com:apple:photo:2020:aux:hdrgainmap\0".utf8)
        if block == nil { properties.append(builder.property("auxC", Data(count: 4) + type)) }
        let image = builder.item("hvc1", Data("image".utf8))
        let map = builder.item("grid", Data("map".utf8), properties: properties)
        builder.reference("dimg", from: map, to: [builder.item("hvc1", Data("tile".utf8), properties: [coded])])
        if let block {
            builder.reference("dimg", from: builder.item("tmap", block), to: [image, map])
        } else {
            builder.reference("auxl", from: map, to: [image])
        }
        return builder.file()
    }

    @Test("a map is shown alone, without colors")
    func map() throws {
        let map = try #require(EmbeddedGainMap(of: file([0] + Self.block, channels: 1)))
        #expect(map.kinds == [.iso21496] && map.isGray)
        #expect(map.description == [JPEGFile.Segment(marker: 0xE2, body: GainMapJPEG.block)])
        #expect(map.file.firstRange(of: Data("pitm\0\0\0\0\0\u{2}".utf8)) != nil)
        #expect(map.file.firstRange(of: Data("prof".utf8)) == nil)
        #expect(map.file.firstRange(of: Data("nclx".utf8) + [0, 2, 0, 2, 0, 6]) != nil)
        let long = try #require(EmbeddedGainMap(of: file([0] + Self.block, channels: 1, idLength: 4)))
        #expect(long.file.firstRange(of: Data("pitm\u{1}\0\0\0\0\0\0\u{2}".utf8)) != nil && long.isGray)
        #expect(EmbeddedGainMap(of: file([1] + Self.block, channels: 1)) == nil)
        #expect(EmbeddedGainMap(of: file([0] + Self.block + Data(count: 65_535), channels: 1)) == nil)
        #expect(EmbeddedGainMap(of: file([0] + Self.block, channels: 3))?.isGray == false)
        let inOtherPrimaries: Data = [0] + Self.block.prefix(4) + [0] + Self.block.dropFirst(5)
        #expect(EmbeddedGainMap(of: file(inOtherPrimaries, channels: 3)) == nil)
        let apple = try #require(EmbeddedGainMap(of: file(nil)))
        #expect(apple.kinds == [.apple] && apple.isGray)
        #expect(EmbeddedGainMap(of: file(nil, channels: 3))?.isGray == false)
    }

    private let header = ImageHeader(
        format: .heic, storedSize: PixelSize(width: 1, height: 1), hasGainMap: true)

    @Test("how an item declares a map is told")
    func kinds() {
        #expect(EmbeddedGainMap.kinds(in: file([0] + Self.block), header: header) == [.iso21496])
        #expect(EmbeddedGainMap.kinds(in: file(nil), header: header) == [.apple])
    }

    private let metadata = EmbeddedMetadata(exif: TestExif().data, xmp: Data("<a>Ann</a>".utf8))

    @Test("metadata that is added describes the image, whose data moves")
    func added() throws {
        var builder = HEIFBuilder()
        builder.item("hvc1", Data("other".utf8))
        builder.primary = builder.item("hvc1", Data("image".utf8))
        let file = try metadata.embedded(in: builder.file())
        #expect(EmbeddedMetadata(of: file) == metadata)
        let items = try #require(try ItemFile(file, .heic))
        #expect(items.content(of: 2) == Data("image".utf8))
        for id: UInt8 in [3, 4] { #expect(file.firstRange(of: Data("cdsc".utf8) + [0, id, 0, 1, 0, 2]) != nil) }
        var open = builder.file()
        let media = try #require(open.firstRange(of: Data("mdat".utf8)))
        open.replaceSubrange(media.lowerBound - 4..<media.lowerBound, with: Data(count: 4))
        for file in [open, builder.file() + Data(box: "moov", Data())] {
            #expect(throws: ImageDecodingError.unsupported(.heic, "metadata in a file with this layout")) {
                try metadata.embedded(in: file)
            }
        }
    }

    @Test("metadata is added to items with numbers of 4 bytes up to 65,535, if there are no references")
    func addedToLongNumbers() throws {
        let files = [
            (1, 1, false, true), (1, 1, true, false), (65_535, 65_535, false, false), (1, 65_536, false, false),
        ]
        for (firstID, primary, refers, isAdded) in files {
            var builder = HEIFBuilder(firstID: firstID, idLength: 4)
            builder.primary = primary
            let image = builder.item("hvc1", Data("image".utf8))
            if refers { builder.reference("thmb", from: image, to: [image]) }
            let file = builder.file()
            #expect(try ItemFile(file, .heic)?.content(of: firstID) == Data("image".utf8))
            if isAdded {
                #expect(try EmbeddedMetadata(of: metadata.embedded(in: file)) == metadata)
            } else {
                #expect(throws: ImageDecodingError.unsupported(.heic, "metadata in a file with this layout")) {
                    try metadata.embedded(in: file)
                }
            }
        }
    }

    @Test("without private data, a file has neither other boxes nor items, and is refused if these have its image")
    func removed() throws {
        var builder = HEIFBuilder()
        builder.item("hvc1", Data("image".utf8))
        for _ in 0..<2 { builder.item("mime", Data("<dc:creator>Ann</dc:creator>".utf8) + Data(count: 900)) }
        builder.item("uri ", Data("Paris".utf8))
        _ = builder.property("udes", Data(count: 4) + Data("\0Paris\0\0\0".utf8))
        let file = builder.file()
        let clean = try EmbeddedMetadata.removingPrivateData(from: file + Data(box: "uuid", Data("Paris".utf8)))
        #expect(clean.firstRange(of: Data("Paris".utf8)) == nil && clean.firstRange(of: Data("free".utf8)) != nil)
        #expect(clean.firstRange(of: Data("uuid".utf8)) == nil && EmbeddedMetadata(of: clean).creator == "Ann")
        #expect(try ItemFile(clean, .heic)?.content(of: 3)?.allSatisfy { $0 == 0x20 } == true)
        #expect(throws: ImageDecodingError.unsupported(.heic, "private data of a sequence")) {
            try EmbeddedMetadata.removingPrivateData(from: file + Data(box: "moov", Data()))
        }
        var image = HEIFBuilder()
        image.item("hvc1", Data("image".utf8))
        var outside = image.file()
        outside.replaceSubrange(try #require(outside.firstRange(of: Data("mdat".utf8))), with: Data("uuid".utf8))
        #expect(throws: ImageDecodingError.unsupported(.heic, "items outside of the media data")) {
            try EmbeddedMetadata.removingPrivateData(from: outside)
        }
    }

    @Test("without private data, the image keeps its tiles and alpha, and thumbnails, maps and other images are gone")
    func otherImages() throws {
        var builder = HEIFBuilder()
        let image = builder.item("grid", Data("image".utf8))
        let tile = builder.item("hvc1", Data("tile1".utf8))
        builder.reference("dimg", from: image, to: [tile])
        // Alpha, depth and gains.
        for type in ["mpeg:hevc:2015:auxid:1", "mpeg:hevc:2015:auxid:2", "com:apple:photo:2020:aux:hdrgainmap"] {
            let property = builder.property("auxC", Data(count: 4) + Data("urn:\(type)\0".utf8))
            builder.reference("auxl", from: builder.item("hvc1", Data("aux".utf8), properties: [property]), to: [image])
        }
        let alpha = tile + 1
        builder.reference("dimg", from: builder.item("tmap", [0] + Self.block), to: [image, alpha + 2])
        let thumbnail = builder.item("hvc1", Data("small".utf8))
        builder.reference("thmb", from: thumbnail, to: [image])
        builder.item("hvc1", Data("other".utf8))
        let file = builder.file()
        let items = try #require(try ItemFile(file, .heic))
        let clean = try EmbeddedMetadata.removingPrivateData(from: file)
        let cleanItems = try #require(try ItemFile(clean, .heic))
        for id in image...thumbnail + 1 {
            let content = try #require(items.content(of: id))
            #expect(cleanItems.content(of: id) == (id <= alpha ? content : Data(count: content.count)), "item \(id)")
        }
        for (name, count) in [("hvc1", 2), ("auxl", 1), ("dimg", 1), ("tmap", 0), ("thmb", 0)] {
            #expect(clean.ranges(of: Data(name.utf8)).count == count, "\(name)")
        }
        #expect(EmbeddedGainMap.kinds(in: file, header: header) == [.iso21496, .apple])
        #expect(EmbeddedGainMap.kinds(in: clean, header: header) == [])
        #expect(try EmbeddedMetadata.removingPrivateData(from: clean) == clean)
        // Bytes of the image stay.
        let places = try [tile, thumbnail].map { id in
            let extent = try #require(items.ranges(of: id)?.first)
            return HEIFBuilder.number(extent.lowerBound) + HEIFBuilder.number(extent.count)
        }
        var shared = file
        shared.replaceSubrange(try #require(shared.firstRange(of: places[1])), with: places[0])
        let kept = try ItemFile(EmbeddedMetadata.removingPrivateData(from: shared), .heic)
        #expect(kept?.content(of: tile) == Data("tile1".utf8))
        var distant = file
        distant.replaceSubrange(try #require(distant.firstRange(of: places[1])), with: Data(repeating: 1, count: 8))
        #expect(throws: ImageDecodingError.malformed(.heic, "the location of an item is invalid")) {
            try EmbeddedMetadata.removingPrivateData(from: distant)
        }
    }

    @Test("items above the limit are skipped, and a file whose items are cut off has none")
    func limits() throws {
        var builder = HEIFBuilder()
        builder.item("hvc1", Data("image".utf8))
        builder.item("mime", Data(repeating: 0x61, count: 111))
        builder.item("mime", Data(repeating: 0x62, count: 100))
        let limits = DecodingLimits(metadataByteLimit: 100)
        #expect(EmbeddedMetadata(of: builder.file(), limits: limits).xmp == Data(repeating: 0x62, count: 100))
        // The last box of the items is longer than the file.
        let meta = try #require(builder.file().firstRange(of: Data("mdat".utf8))).lowerBound - 4
        var open = builder.file().prefix(meta) + [0, 0, 1, 0] + Data("free".utf8)
        let start = try #require(open.firstRange(of: Data("meta".utf8))).lowerBound - 4
        open.replaceSubrange(start..<start + 4, with: HEIFBuilder.number(meta - start + 256))
        #expect(throws: ImageDecodingError.malformed(.heic, "the items are cut off")) { try ItemFile(open, .heic) }
        #expect(ConversionLoss.possible(in: open, header: header) == [.gainMap])
        let signed = builder.file() + Data(box: "uuid", Data(count: 100)).prefix(10)
        #expect(ConversionLoss.possible(in: signed, header: header) == [.gainMap])
    }
}
