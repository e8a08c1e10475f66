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

    /// Returns nil if there are no items. Throws `.malformed` if their tables are damaged.
    init?(_ file: Data, _ format: ImageFormat) throws(ImageDecodingError) {
        self.file = file.startIndex == 0 ? file : Data(file)
        self.format = format
        var reader = BoxReader(self.file, format: format)
        boxes = try reader.fileBoxes()
        guard let meta = boxes.first(where: { $0.name == "meta" }), meta.content.count >= 4 else { return nil }
        self.meta = meta
        items = try BoxItems(in: meta, &reader)
        children = try reader.boxes(in: meta.content.dropFirst(4))
    }

    /// The Exif block and the XMP packet. Compressed ones count as missing.
    var metadata: EmbeddedMetadata {
        EmbeddedMetadata(
            exif: items.order.lazy.filter(isExif).compactMap { content(of: $0).flatMap(ExifBlock.withoutOffset) }.first,
            xmp: items.order.lazy.filter(isXMP).compactMap { content(of: $0) }.first { !$0.allSatisfy { $0 == 0x20 } })
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

    func content(of id: Int) -> Data? { ranges(of: id).map { Data($0.map { file[$0] }.joined()) } }
}
