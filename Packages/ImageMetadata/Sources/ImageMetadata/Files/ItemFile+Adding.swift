import ISOBoxes
import ImageCore

extension ItemFile {
    /// An item to add.
    private struct NewItem {
        var id: Int
        /// The type, the name and the media type.
        var type: Data
        var data: Data
    }

    /// The place of an item in the `iloc` box.
    private struct Location {
        var id: Int
        var construction: Int
        var extents: [Range<Int>]
    }

    /// Returns the file with metadata. Returns nil if it is no still image, or has a layout that encoders don't write.
    ///
    /// The data is appended in a second `mdat` box. The `meta` box grows, so that what follows it moves.
    func adding(_ metadata: EmbeddedMetadata) -> Data? {
        guard !boxes.contains(where: { $0.name == "moov" }), let last = boxes.last,
            last.content.upperBound == file.count,
            // A last box without a size would contain what is appended.
            file.bigEndian(at: last.offset, 4) != 0
        else { return nil }
        let added = newItems(metadata)
        guard let unmoved = newMeta(adding: added, shift: 0),
            let newMeta = newMeta(adding: added, shift: unmoved.count - (meta.content.upperBound - meta.offset))
        else { return nil }
        var result = file
        result.replaceSubrange(meta.offset..<meta.content.upperBound, with: newMeta)
        result.append(box: "mdat", Data(added.map(\.data).joined()))
        return result
    }

    private func newItems(_ metadata: EmbeddedMetadata) -> [NewItem] {
        var next = 1 + items.order.reduce(0, max)
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
    private func newMeta(adding items: [NewItem], shift: Int) -> Data? {
        guard let table = table(adding: items, shift: shift), let references = references(of: items) else { return nil }
        var content = file[meta.content].prefix(4)
        for child in children where child.name != "iref" {
            switch child.name {
            case "iloc": content.append(box: "iloc", table)
            case "iinf":
                guard let names = names(in: child, adding: items) else { return nil }
                content.append(box: "iinf", names)
            default: content += file[child.offset..<child.content.upperBound]
            }
        }
        content.append(box: "iref", references)
        return Data(box: "meta", content)
    }

    /// Returns the content of an `iref` box in which the new items describe the image. Returns nil if items have 32-bit
    /// numbers.
    private func references(of items: [NewItem]) -> Data? {
        let old = children.first { $0.name == "iref" }.map { Data(file[$0.content]) } ?? Data(count: 4)
        guard old.first == 0, let image = self.items.primary, image <= UInt16.max else { return nil }
        return items.reduce(into: old) { content, item in
            var reference = Data()
            for number in [item.id, 1, image] { reference.append(bigEndian: UInt16(number)) }
            content.append(box: "cdsc", reference)
        }
    }

    /// Returns the content of an `iinf` box with more entries. Returns nil for more than 65,535.
    private func names(in box: Box, adding items: [NewItem]) -> Data? {
        let old = Data(file[box.content])
        let countLength = old.first == 0 ? 2 : 4
        guard let count = old.bigEndian(at: 4, countLength).flatMap({ UInt16(exactly: $0 + items.count) }) else {
            return nil
        }
        var content = Data(count: 4)
        content.append(bigEndian: count)
        content += old.dropFirst(4 + countLength)
        for item in items {
            var entry = Data([2, 0, 0, 0])
            entry.append(bigEndian: UInt16(item.id))
            content.append(box: "infe", entry + [0, 0] + item.type)
        }
        return content
    }

    /// Returns the content of an `iloc` box for a file in which what follows the `meta` box moves. The data of the new
    /// items is at the end.
    private func table(adding items: [NewItem], shift: Int) -> Data? {
        var end = file.count + shift + 8
        var all = self.items.order.compactMap { moved($0, by: shift) }
        for item in items {
            all.append(Location(id: item.id, construction: 0, extents: [end..<end + item.data.count]))
            end += item.data.count
        }
        // Without a length, the data would end with the file.
        guard end <= UInt32.max, all.allSatisfy({ $0.id <= UInt16.max && 0...1 ~= $0.construction }),
            all.allSatisfy({ $0.extents.allSatisfy { !$0.isEmpty && $0.upperBound <= end } })
        else { return nil }
        var content = Data([1, 0, 0, 0, 0x44, 0])
        content.append(bigEndian: UInt16(all.count))
        for location in all {
            for number in [location.id, location.construction, 0, location.extents.count] {
                content.append(bigEndian: UInt16(number))
            }
            for extent in location.extents {
                content.append(bigEndian: UInt32(extent.lowerBound))
                content.append(bigEndian: UInt32(extent.count))
            }
        }
        return content
    }

    /// Returns the place of an item in a file in which what follows the `meta` box moves. Nil if it has no data.
    private func moved(_ id: Int, by shift: Int) -> Location? {
        guard let item = items[id], !item.extents.isEmpty else { return nil }
        let extents = item.extents.map { extent in
            let offset = item.construction == 0 && extent.lowerBound >= meta.content.upperBound ? shift : 0
            return extent.lowerBound + offset..<extent.upperBound + offset
        }
        return Location(id: id, construction: item.construction, extents: extents)
    }
}
