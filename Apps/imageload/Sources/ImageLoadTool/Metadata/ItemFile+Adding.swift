import Foundation

extension ItemFile {
    /// An item to add.
    private struct NewItem {
        var id: Int
        /// The type, the name and the media type.
        var type: Data
        var data: Data
    }

    /// Returns the file with metadata. Returns nil if it has metadata, is no still image, or has a layout that encoders
    /// don't write.
    ///
    /// The data is appended in a second `mdat` box. The `meta` box grows, so that what follows it moves.
    func adding(_ metadata: ImageMetadata) -> Data? {
        guard let index = boxes.firstIndex(where: { $0.name == "meta" }), items.allSatisfy({ $0.kind == nil }),
            !boxes.contains(where: { $0.name == "moov" }), boxes.reduce(0, { $0 + $1.data.count }) == file.count,
            // A last box without a size would contain what is appended.
            boxes.last?.data.bigEndian(at: 0, 4) != 0
        else { return nil }
        let added = newItems(metadata)
        guard let unmoved = meta(adding: added, shift: 0),
            let meta = meta(adding: added, shift: unmoved.data.count - boxes[index].data.count)
        else { return nil }
        var result = boxes.map(\.data)
        result[index] = meta.data
        result.append(FileBox("mdat", Data(added.map(\.data).joined())).data)
        return Data(result.joined())
    }

    private func newItems(_ metadata: ImageMetadata) -> [NewItem] {
        var next = 1 + (items.map(\.id) + locations.map(\.id)).reduce(0, max)
        func item(_ type: String, _ data: Data?) -> NewItem? {
            guard let data else { return nil }
            defer { next += 1 }
            return NewItem(id: next, type: Data(type.utf8), data: data)
        }
        return [
            // The block follows the offset at which it starts.
            item("Exif\0", metadata.exif.map { Data(count: 4) + $0 }),
            item("mime\0application/rdf+xml\0", metadata.xmp),
        ].compactMap(\.self)
    }

    /// Returns the `meta` box with more items, for a file in which what follows it moves.
    private func meta(adding items: [NewItem], shift: Int) -> FileBox? {
        guard let old = boxes.first(where: { $0.name == "meta" }),
            let table = table(adding: items, after: old.data.endIndex, shift: shift),
            let references = references(of: items)
        else { return nil }
        var content = Data(old.content.prefix(4))
        for child in children where child.name != "iref" {
            switch child.name {
            case "iloc": content += table.data
            case "iinf": content += FileBox("iinf", names(in: child, adding: items)).data
            default: content += child.data
            }
        }
        return FileBox("meta", content + references.data)
    }

    /// Returns an `iref` box in which the new items describe the image. Returns nil if items have 32-bit numbers.
    private func references(of items: [NewItem]) -> FileBox? {
        let old = children.first { $0.name == "iref" } ?? FileBox("iref", Data(count: 4))
        guard BoxFields(old)?.version == 0,
            var fields = children.first(where: { $0.name == "pitm" }).flatMap(BoxFields.init), fields.version == 0,
            let image = fields.number(2)
        else { return nil }
        var content = Data(old.content)
        for item in items {
            var reference = Data()
            for number in [item.id, 1, image] { reference.append(bigEndian: UInt16(number)) }
            content += FileBox("cdsc", reference).data
        }
        return FileBox("iref", content)
    }

    private func names(in box: FileBox, adding items: [NewItem]) -> Data {
        let old = box.content.dropFirst(BoxFields(box)?.version == 0 ? 6 : 8)
        var content = Data(count: 4)
        content.append(bigEndian: UInt16(FileBox.boxes(in: old).count + items.count))
        content += old
        for item in items {
            var entry = Data([2, 0, 0, 0])
            entry.append(bigEndian: UInt16(item.id))
            content += FileBox("infe", entry + [0, 0] + item.type).data
        }
        return content
    }

    /// Returns an `iloc` box for a file in which what follows the `meta` box moves. The data of the new items is at the
    /// end.
    private func table(adding items: [NewItem], after metaEnd: Int, shift: Int) -> FileBox? {
        var all = locations
        for index in all.indices where all[index].construction == 0 {
            for extent in all[index].extents.indices where all[index].extents[extent].offset >= metaEnd {
                all[index].extents[extent].offset += shift
            }
        }
        var end = file.count + shift + 8
        for item in items {
            all.append(Location(id: item.id, construction: 0, extents: [(end, item.data.count)]))
            end += item.data.count
        }
        // Without a length, the data would end with the file.
        guard end <= UInt32.max, all.allSatisfy({ $0.id <= UInt16.max && 0...1 ~= $0.construction }),
            all.allSatisfy({ $0.extents.allSatisfy { 0 < $0.length && 0...end ~= $0.offset } })
        else { return nil }
        var content = Data([1, 0, 0, 0, 0x44, 0])
        content.append(bigEndian: UInt16(all.count))
        for location in all {
            for number in [location.id, location.construction, 0, location.extents.count] {
                content.append(bigEndian: UInt16(number))
            }
            for extent in location.extents {
                content.append(bigEndian: UInt32(extent.offset))
                content.append(bigEndian: UInt32(extent.length))
            }
        }
        return FileBox("iloc", content)
    }
}
