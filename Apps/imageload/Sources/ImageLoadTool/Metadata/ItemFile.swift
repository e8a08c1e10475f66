import Foundation

/// The items of an AVIF or HEIC file (ISO/IEC 14496-12, section 8.11; ISO/IEC 23008-12, annex A).
struct ItemFile {
    /// An item, and the kind of metadata that it is.
    struct Item {
        var id: Int
        var kind: MetadataKind?
    }

    /// Where the data of an item is.
    struct Location {
        var id: Int
        /// 0 for offsets in the file, 1 for those in the `idat` box. Nothing else is read.
        var construction: Int
        var extents: [(offset: Int, length: Int)] = []
    }

    let file: Data
    let boxes: [FileBox]
    /// Those of the `meta` box.
    let children: [FileBox]
    let items: [Item]
    let locations: [Location]

    /// Returns nil if there are no items, or if their table is damaged.
    init?(_ file: Data) {
        self.file = file.startIndex == 0 ? file : Data(file)
        boxes = FileBox.boxes(in: self.file)
        guard let meta = boxes.first(where: { $0.name == "meta" }).flatMap(BoxFields.init) else { return nil }
        children = FileBox.boxes(in: meta.rest)
        guard let names = children.first(where: { $0.name == "iinf" }).flatMap(BoxFields.init),
            let table = children.first(where: { $0.name == "iloc" }).flatMap(Self.locations)
        else { return nil }
        items = FileBox.boxes(in: names.rest.dropFirst(names.version == 0 ? 2 : 4)).compactMap(Self.item)
        locations = table
    }

    /// The Exif block and the XMP packet. Compressed ones count as missing.
    var metadata: ImageMetadata {
        ImageMetadata(exif: content(.exif).flatMap(ExifBlock.withoutOffset), xmp: content(.xmp))
    }

    private func content(_ kind: MetadataKind) -> Data? {
        guard let item = items.first(where: { $0.kind == kind }),
            let location = locations.first(where: { $0.id == item.id }), let source = source(of: location),
            // Extents can overlap.
            location.extents.reduce(0, { $0 + $1.length }) <= file.count
        else { return nil }
        let parts = location.extents.compactMap { source.part($0.offset, $0.length) }
        return parts.count == location.extents.count ? Data(parts.joined()) : nil
    }

    private func source(of location: Location) -> Data? {
        switch location.construction {
        case 0: file
        case 1: children.first { $0.name == "idat" }?.content
        default: nil
        }
    }

    /// Reads an entry of version 2 or 3 of the `iinf` box. The others have no type.
    private static func item(_ box: FileBox) -> Item? {
        guard box.name == "infe", var fields = BoxFields(box), fields.version == 2 || fields.version == 3,
            let id = fields.number(fields.version == 2 ? 2 : 4), let protection = fields.number(2),
            let type = fields.bytes(4)
        else { return nil }
        // A name, a media type and an encoding, which end with zeros.
        let texts = fields.rest.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false)
        let isXMP =
            texts.count > 1 && texts[1].elementsEqual("application/rdf+xml".utf8)
            && (texts.count == 2 || texts[2].isEmpty)
        switch String(decoding: type, as: UTF8.self) {
        case "Exif" where protection == 0: return Item(id: id, kind: .exif)
        case "mime" where protection == 0 && isXMP: return Item(id: id, kind: .xmp)
        default: return Item(id: id)
        }
    }
}

extension ItemFile {
    /// The lengths of the numbers in the `iloc` box, in bytes.
    private struct Lengths {
        var offset: Int
        var length: Int
        var base: Int
        var index: Int

        init?(_ fields: inout BoxFields) {
            guard let lengths = fields.number(2) else { return nil }
            offset = lengths >> 12
            length = lengths >> 8 & 15
            base = lengths >> 4 & 15
            index = fields.version == 0 ? 0 : lengths & 15
            guard [4, 8].contains(length), [offset, base, index].allSatisfy({ [0, 4, 8].contains($0) }) else {
                return nil
            }
        }
    }

    /// Reads the `iloc` box. Returns nil if it is damaged, or has more than 10,000 items or extents.
    private static func locations(_ box: FileBox) -> [Location]? {
        guard var fields = BoxFields(box), fields.version < 3, let lengths = Lengths(&fields),
            let count = fields.number(fields.version < 2 ? 2 : 4)
        else { return nil }
        var budget = 10_000 - count
        guard budget >= 0 else { return nil }
        var locations: [Location] = []
        for _ in 0..<count {
            guard let location = location(&fields, lengths, &budget) else { return nil }
            locations.append(location)
        }
        return locations
    }

    private static func location(_ fields: inout BoxFields, _ lengths: Lengths, _ budget: inout Int) -> Location? {
        guard let id = fields.number(fields.version < 2 ? 2 : 4),
            let construction = fields.version == 0 ? 0 : fields.number(2), let reference = fields.number(2),
            let start = fields.number(lengths.base), let count = fields.number(2)
        else { return nil }
        budget -= count
        guard budget >= 0 else { return nil }
        var location = Location(id: id, construction: reference == 0 ? construction & 15 : -1)
        for _ in 0..<count {
            guard fields.number(lengths.index) != nil, let offset = fields.number(lengths.offset),
                let length = fields.number(lengths.length), max(start, offset, length) <= UInt32.max
            else { return nil }
            location.extents.append((start + offset, length))
        }
        return location
    }
}
