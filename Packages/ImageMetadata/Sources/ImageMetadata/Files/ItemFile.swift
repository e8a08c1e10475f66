import ISOBoxes
import ImageCore

/// The items of an AVIF or HEIC file (ISO/IEC 14496-12, section 8.11; ISO/IEC 23008-12, annex A).
struct ItemFile {
    let file: Data
    let format: ImageFormat
    let boxes: [Box]
    let meta: Box
    /// The boxes of the `meta` box.
    let children: [Box]
    let items: BoxItems

    /// Returns nil if there are no items. Throws `.malformed` if their tables are damaged or cut off.
    init?(_ file: Data, _ format: ImageFormat) throws(ImageDecodingError) {
        self.file = file.startIndex == 0 ? file : Data(file)
        self.format = format
        var reader = BoxReader(self.file, format: format)
        boxes = try reader.fileBoxes()
        guard let meta = boxes.first(where: { $0.name == "meta" }), meta.content.count >= 4 else { return nil }
        guard meta.content.upperBound <= self.file.count else { throw .malformed(format, "the items are cut off") }
        self.meta = meta
        items = try BoxItems(in: meta, &reader)
        children = try reader.boxes(in: meta.content.dropFirst(4))
    }

    /// Returns the Exif block and the XMP packet. Compressed ones, and those in larger items than this, count as missing.
    ///
    /// Items can overlap: reads no more bytes than the file has.
    func metadata(upTo byteCount: Int) -> EmbeddedMetadata {
        var rest = file.count
        func first(where isWanted: (Int) -> Bool, _ block: (Data) -> Data?) -> Data? {
            for id in items.order where isWanted(id) {
                let count = self.byteCount(of: id)
                guard count <= min(byteCount, rest), let content = content(of: id) else { continue }
                rest -= count
                if let block = block(content) { return block }
            }
            return nil
        }
        return EmbeddedMetadata(
            exif: first(where: isExif, ExifBlock.withoutOffset),
            xmp: first(where: isXMP) { $0.allSatisfy { $0 == 0x20 } ? nil : $0 })
    }

    func isExif(_ id: Int) -> Bool { items[id]?.type == "Exif" && items[id]?.isProtected == false }

    func isXMP(_ id: Int) -> Bool {
        items[id]?.mediaType == "application/rdf+xml" && items[id]?.isProtected == false
    }

    /// Returns the ranges of an item in the file, or nil beyond its end. Extents can overlap: nil also if they have more
    /// bytes than the file.
    func ranges(of id: Int) -> [Range<Int>]? {
        guard let item = items[id], !item.extents.isEmpty else { return nil }
        let source = item.construction == 0 ? 0..<file.count : item.construction == 1 ? items.itemData : nil
        guard let source, source.upperBound <= file.count,
            item.extents.allSatisfy({ $0.upperBound <= source.count }),
            item.extents.reduce(0, { $0 + $1.count }) <= file.count
        else { return nil }
        return item.extents.map { source.lowerBound + $0.lowerBound..<source.lowerBound + $0.upperBound }
    }

    /// The number of bytes of an item; 0 without valid ranges.
    func byteCount(of id: Int) -> Int { ranges(of: id)?.reduce(0) { $0 + $1.count } ?? 0 }

    func content(of id: Int) -> Data? { ranges(of: id).map { Data($0.map { file[$0] }.joined()) } }
}
