import Foundation
import GeneratedImages
import ISOBoxes
import ImageCore
import Testing

@Suite("Items of the ISO base media file format")
struct BoxItemsTests {
    private func number(_ value: Int, _ length: Int) -> Data { HEIFBuilder.number(value, length) }

    private func box(_ name: String, version: Int = 0, flags: Int = 0, _ fields: Data...) -> Data {
        HEIFBuilder.box(name, number(version << 24 | flags, 4) + Data(fields.joined()))
    }

    private func meta(_ boxes: Data..., version: Int = 0) throws -> (items: BoxItems, reader: BoxReader) {
        let data = HEIFBuilder.box("meta", number(version << 24, 4) + Data(boxes.joined()))
        var reader = BoxReader(data, format: .heic)
        let meta = try #require(try reader.fileBoxes().first)
        return (try BoxItems(in: meta, &reader), reader)
    }

    @Test("another version of the items is malformed")
    func version() {
        #expect(throws: ImageDecodingError.malformed(.heic, "the meta box is invalid")) { try meta(version: 1) }
    }

    @Test("the numbers of items have 2 or 4 bytes, by the version of each box", arguments: [2, 4])
    func lengths(length: Int) throws {
        let id = length == 2 ? 7 : 70_000
        let isLong = length == 4
        let entry = box("infe", version: isLong ? 3 : 2, number(id, length), number(1, 2), Data("hvc1".utf8), Data([0]))
        let (items, _) = try meta(
            box("pitm", version: isLong ? 1 : 0, number(id, length)),
            box("iinf", version: isLong ? 1 : 0, number(1, length), entry),
            box(
                "iloc", version: isLong ? 2 : 1, number(0x4400, 2), number(1, length), number(id, length),
                number(1, 2), number(0, 2), number(1, 2), number(5, 4), number(6, 4)),
            box(
                "iref", version: isLong ? 1 : 0,
                HEIFBuilder.box("dimg", number(id, length) + number(2, 2) + number(3, length) + number(id, length))
                    + HEIFBuilder.box("dimg", number(5, length) + number(1, 2) + number(6, length))),
            HEIFBuilder.box(
                "iprp",
                HEIFBuilder.box("ipco", HEIFBuilder.box("irot", Data([1])))
                    + box("ipma", version: isLong ? 1 : 0, number(1, 4), number(id, length), Data([1, 0x81]))))
        #expect(items.primary == id)
        let item = try #require(items[id])
        #expect(item.type == "hvc1")
        #expect(item.isProtected)
        #expect(item.extents == [5..<11])
        #expect(item.construction == 1)
        #expect(item.properties.map(\.index) == [0])
        #expect(item.properties.map(\.isEssential) == [true])
        #expect(items.targets(of: id, "dimg") == [3, id])
        #expect(items.sources(of: 3, "dimg") == [id])
        #expect(items.sources(of: 3, "thmb") == [])
        #expect(items.propertyBoxes(of: id).map(\.name) == ["irot"])
        #expect(items.order == [id, 5])
    }

    @Test("entries of the first versions have no type")
    func oldEntries() throws {
        let entry = box("infe", version: 1, number(7, 2), number(0, 2), Data("hvc1".utf8), Data([0]))
        #expect(try meta(box("iinf", number(1, 2), entry)).items[7] == nil)
    }

    @Test("indices of properties have 7 or 15 bits, and 0 is none", arguments: [1, 2])
    func indices(length: Int) throws {
        let properties = Data(repeatElement(HEIFBuilder.box("irot", Data([1])), count: 200).joined())
        let essential = 1 << (8 * length - 1)
        func associated(_ values: Int...) throws -> [BoxItems.Property] {
            let indices = Data(values.map { number($0, length) }.joined())
            let associations = box(
                "ipma", flags: length - 1, number(1, 4), number(7, 2), number(values.count, 1), indices)
            let container = HEIFBuilder.box("iprp", HEIFBuilder.box("ipco", properties) + associations)
            return try meta(container).items[7]?.properties ?? []
        }
        let largest = length == 1 ? 127 : 200
        let found = try associated(0, essential | 3, largest)
        #expect(found.map(\.index) == [2, largest - 1])
        #expect(found.map(\.isEssential) == [true, false])
        guard length == 2 else { return }
        #expect(throws: ImageDecodingError.malformed(.heic, "an item refers to a missing property")) {
            try associated(201)
        }
    }

    @Test("an item has several extents from a base, and the last location applies")
    func extents() throws {
        // Offsets of 4 bytes, lengths of 2, a base of 8, and an index of 1 that is ignored.
        func location(_ id: Int, construction: Int, file: Int = 0, base: Int, _ extents: (Int, Int)...) -> Data {
            number(id, 2) + number(construction, 2) + number(file, 2) + number(base, 8) + number(extents.count, 2)
                + Data(extents.map { Data([9]) + number($0, 4) + number($1, 2) }.joined())
        }
        func items(_ locations: Data...) throws -> BoxItems {
            let count = number(locations.count, 2)
            return try meta(box("iloc", version: 1, number(0x4281, 2), count, Data(locations.joined()))).items
        }
        let found = try items(
            location(1, construction: 0, base: 0, (1, 1)),
            location(1, construction: 0xFFF1, base: 100, (5, 6), (50, 0)),
            location(2, construction: 0, file: 1, base: 0, (1, 1)))
        #expect(found[1]?.extents == [105..<111, 150..<150])
        #expect(found[1]?.construction == 1)
        #expect(found[2]?.construction == -1)
        let invalid = ImageDecodingError.malformed(.heic, "the location of an item is invalid")
        for (offset, length) in [(1, 0), (0, 1)] {
            #expect(throws: invalid) { try items(location(1, construction: 0, base: .max, (offset, length))) }
        }
        #expect(try items(location(1, construction: 0, base: .max - 1, (0, 1)))[1]?.extents.first?.count == 1)
    }

    @Test("lengths of numbers above 8 bytes are malformed", arguments: [0x9000, 0x0900, 0x0090, 0x0009])
    func invalidLengths(sizes: Int) throws {
        let invalid = ImageDecodingError.malformed(.heic, "the locations of items have an invalid format")
        #expect(throws: invalid) { try meta(box("iloc", version: 1, number(sizes, 2), number(0, 2))) }
        // The first version has no index.
        if sizes == 9 { _ = try meta(box("iloc", number(sizes, 2), number(0, 2))) }
    }

    @Test("references and extents count for the limit of 10,000", arguments: [9_997, 9_998])
    func budget(count: Int) throws {
        let targets = Data(count: 2 * count)
        let references = box("iref", HEIFBuilder.box("dimg", number(1, 2) + number(count, 2) + targets))
        let locations = box(
            "iloc", version: 1, number(0, 2), number(1, 2), number(1, 2), number(0, 4), number(count, 2))
        for boxes in [references, locations] {
            let found = Result { () throws(ImageDecodingError) in
                var reader = BoxReader(HEIFBuilder.box("meta", number(0, 4) + boxes), format: .heic)
                guard let meta = try reader.fileBoxes().first else { return }
                _ = try BoxItems(in: meta, &reader)
            }
            let isRefused = if case .failure = found { true } else { false }
            #expect(isRefused == (count == 9_998))
        }
    }

    @Test("a text has a media type, unless it is compressed")
    func mediaType() throws {
        func type(_ texts: String, _ name: String = "mime") throws -> String? {
            let entry = box("infe", version: 2, number(7, 2), number(0, 2), Data(name.utf8), Data(texts.utf8))
            return try meta(box("iinf", number(1, 2), entry)).items[7]?.mediaType
        }
        #expect(try type("name\0application/rdf+xml\0") == "application/rdf+xml")
        #expect(try type("\0text/plain") == "text/plain")
        #expect(try type("\0text/plain\0\0") == "text/plain")
        #expect(try type("\0text/plain\0deflate\0") == nil)
        #expect(try type("\0text/plain\0", "Exif") == nil)
        #expect(try type("name") == nil)
    }

    @Test("a tone map is one whose base is the primary image, and not the map of another")
    func toneMap() throws {
        func map(_ type: String, targets: [Int]) throws -> Int? {
            let entry = box("infe", version: 2, number(9, 2), number(0, 2), Data(type.utf8), Data([0]))
            let references = Data(targets.map { number($0, 2) }.joined())
            let (items, reader) = try meta(
                box("pitm", number(1, 2)), box("iinf", number(1, 2), entry),
                box("iref", HEIFBuilder.box("dimg", number(9, 2) + number(targets.count, 2) + references)))
            #expect(items.hasGainMap(reader) == (items.toneMap != nil))
            return items.toneMap
        }
        #expect(try map("tmap", targets: [1, 2]) == 9)
        #expect(try map("tmap", targets: [2, 1]) == nil)
        #expect(try map("grid", targets: [1, 2]) == nil)
    }

    @Test("luminances are those of the content and of the mastering display of the primary image")
    func luminances() throws {
        let properties =
            HEIFBuilder.box("mdcv", Data(count: 16) + number(40_000_000, 4) + number(50, 4))
            + HEIFBuilder.box("clli", number(1200, 2) + number(400, 2))
        let associations = box("ipma", number(1, 4), number(7, 2), Data([2, 1, 2]))
        let (items, reader) = try meta(
            box("pitm", number(7, 2)),
            HEIFBuilder.box("iprp", HEIFBuilder.box("ipco", properties) + associations))
        let peak = items.peakLuminance(reader)
        #expect(peak.content == 1200)
        #expect(peak.mastering == 4000)
    }

    @Test("logarithmic transfer functions are unsupported, unknown ones are those of sRGB", arguments: [9, 10])
    func transfer(code: Int) throws {
        #expect(throws: ImageDecodingError.unsupported(.heic, "the transfer function \(code)")) {
            try SourceColor(primaries: 1, transfer: code, format: .heic)
        }
        #expect(try SourceColor(primaries: 99, transfer: 99, format: .heic) == .sRGB)
    }
}
