import ISOBoxes
import ImageCore

extension ItemFile {
    /// Returns the file with other metadata. Throws `.unsupported` if that needs more space than what it replaces, or if the
    /// file has a layout that encoders don't write.
    ///
    /// Items that are there are overwritten, so that nothing moves. Others are added.
    func replacing(_ metadata: EmbeddedMetadata) throws(ImageDecodingError) -> Data {
        let (file, rest) = try overwriting(items.order.filter { isExif($0) || isXMP($0) }, of: file, with: metadata)
        let isDone = rest.keeping([.exif, .xmp]).blocks.isEmpty
        // In a layout that encoders don't write, what is added can be out of reach.
        guard let changed = isDone ? file : try ItemFile(file, format)?.adding(rest),
            try ItemFile(changed, format)?.metadata(upTo: .max).isWritten(metadata) == true
        else { throw .unsupported(format, "metadata in a file with this layout") }
        return changed
    }

    /// Returns the file with only the metadata of these blocks, and without boxes and items that are not needed to show
    /// the image.
    func onlyImage(with kept: EmbeddedMetadata) throws(ImageDecodingError) -> Data {
        if boxes.contains(where: { $0.name == "moov" }) { throw .unsupported(format, "private data of a sequence") }
        // A property `udes` has a title, a description and keywords.
        let removed =
            boxes.filter { !["ftyp", "meta", "mdat", "idat"].contains($0.name) }
            + items.properties.filter { $0.name == "udes" }
        let used = items.order.flatMap { ranges(of: $0) ?? [] }
        let isUsed = removed.contains { box in used.contains { $0.overlaps(box.offset..<box.content.upperBound) } }
        if isUsed { throw .unsupported(format, "items outside of the media data") }
        let replaced = items.order.filter { isExif($0) || ["mime", "uri "].contains(items[$0]?.type) }
        var file = try overwriting(replaced, of: withoutOtherItems(than: replaced), with: kept).file
        for box in removed {
            let end = min(box.content.upperBound, file.count)
            guard box.content.lowerBound <= end else { continue }
            file.replaceSubrange(box.offset + 4..<box.offset + 8, with: "free".utf8)
            file.resetBytes(in: box.content.lowerBound..<end)
        }
        return file
    }

    /// Returns the file with these items overwritten, each block in the first item of its kind, and the blocks without one.
    private func overwriting(
        _ ids: [Int], of file: Data, with metadata: EmbeddedMetadata
    ) throws(ImageDecodingError) -> (file: Data, rest: EmbeddedMetadata) {
        // Overwriting all of the file many times would take hours.
        guard ids.reduce(0, { $0 + byteCount(of: $1) }) <= file.count else { throw .malformed(format, "items overlap") }
        var (file, rest) = (file, metadata)
        for id in ids {
            let block = isExif(id) ? rest.exif.map { Data(count: 4) + $0 } : isXMP(id) ? rest.xmp : nil
            try overwrite(id, with: block ?? Data(), in: &file)
            if isExif(id) { rest.exif = nil } else if isXMP(id) { rest.xmp = nil }
        }
        return (file, rest)
    }

    /// Whether bytes belong to no table of the file.
    private func isMediaData(_ range: Range<Int>) -> Bool {
        let places = boxes.filter { $0.name == "mdat" }.map(\.content) + [items.itemData].compactMap(\.self)
        return places.contains { range.clamped(to: $0) == range }
    }

    /// Returns the ranges of an item. Throws if they are invalid, or belong to a table of the file.
    func mediaRanges(of id: Int) throws(ImageDecodingError) -> [Range<Int>] {
        guard let ranges = ranges(of: id) else { throw .malformed(format, "the location of an item is invalid") }
        guard ranges.allSatisfy(isMediaData) else { throw .unsupported(format, "items outside of the media data") }
        return ranges
    }

    /// Overwrites the bytes of an item, also those that are left. XMP ends with spaces.
    private func overwrite(_ id: Int, with block: Data, in file: inout Data) throws(ImageDecodingError) {
        let ranges = try mediaRanges(of: id)
        let space = ranges.reduce(0) { $0 + $1.count }
        guard block.count <= space else { throw .unsupported(format, "more metadata than there is space for") }
        var rest = block + Data(repeating: isXMP(id) ? 0x20 : 0, count: space - block.count)
        for range in ranges {
            file.replaceSubrange(range, with: rest.prefix(range.count))
            rest = rest.dropFirst(range.count)
        }
    }
}

extension EmbeddedMetadata {
    /// Whether Exif and XMP are those of other metadata, apart from the zeros or spaces that fill the space of longer ones.
    fileprivate func isWritten(_ other: EmbeddedMetadata) -> Bool {
        [Block.exif, .xmp].allSatisfy { block in
            guard let found = self[block], let wanted = other[block] else { return self[block] == other[block] }
            return found.starts(with: wanted) && found.dropFirst(wanted.count).allSatisfy { [0, 0x20].contains($0) }
        }
    }
}
