import ISOBoxes
import ImageCore

extension ItemFile {
    /// Returns the file with other metadata. Throws `.unsupported` if that needs more room than what it replaces, or if the
    /// file has a layout that encoders don't write.
    ///
    /// Items that are there are overwritten, so that nothing moves. Others are added.
    func replacing(_ metadata: EmbeddedMetadata) throws(ImageDecodingError) -> Data {
        var rest = metadata
        var file = self.file
        for id in items.order where isExif(id) || isXMP(id) {
            let block = isExif(id) ? rest.exif.map { Data(count: 4) + $0 } : rest.xmp
            try overwrite(id, with: block ?? Data(), in: &file)
            if isExif(id) { rest.exif = nil } else { rest.xmp = nil }
        }
        if rest.keeping([.exif, .xmp]).blocks.isEmpty { return file }
        guard let changed = try ItemFile(file, format)?.adding(rest) else {
            throw .unsupported(format, "metadata in a file with this layout")
        }
        return changed
    }

    /// Returns the file with only the metadata of these blocks, and without boxes that are not needed to show the image.
    func onlyImage(with kept: EmbeddedMetadata) throws(ImageDecodingError) -> Data {
        if boxes.contains(where: { $0.name == "moov" }) { throw .unsupported(format, "private data of a sequence") }
        var kept = kept
        var file = self.file
        for id in items.order where isExif(id) || ["mime", "uri "].contains(items[id]?.type) {
            let block = isExif(id) ? kept.exif.map { Data(count: 4) + $0 } : isXMP(id) ? kept.xmp : nil
            try overwrite(id, with: block ?? Data(), in: &file)
            if isExif(id) { kept.exif = nil } else if isXMP(id) { kept.xmp = nil }
        }
        for box in boxes where !["ftyp", "meta", "mdat", "idat"].contains(box.name) {
            let end = min(box.content.upperBound, file.count)
            guard box.content.lowerBound <= end else { continue }
            file.replaceSubrange(box.offset + 4..<box.offset + 8, with: "free".utf8)
            file.resetBytes(in: box.content.lowerBound..<end)
        }
        return file
    }

    /// Overwrites the bytes of an item, also those that are left. XMP ends with spaces.
    private func overwrite(_ id: Int, with block: Data, in file: inout Data) throws(ImageDecodingError) {
        guard let ranges = ranges(of: id) else { throw .malformed(format, "the location of an item is invalid") }
        let room = ranges.reduce(0) { $0 + $1.count }
        guard block.count <= room else { throw .unsupported(format, "metadata in place of less") }
        var rest = block + Data(repeating: isXMP(id) ? 0x20 : 0, count: room - block.count)
        for range in ranges {
            file.replaceSubrange(range, with: rest.prefix(range.count))
            rest = rest.dropFirst(range.count)
        }
    }
}
