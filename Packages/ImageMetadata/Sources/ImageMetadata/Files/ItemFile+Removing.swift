import ISOBoxes
import ImageCore

extension ItemFile {
    /// Returns the file without items that the primary image doesn't need, such as thumbnails, gain maps and depth maps.
    ///
    /// Their bytes become zeros, unless they are also those of the image, and their type one that nobody knows, so that
    /// nothing moves. Throws as `replacing(_:)` does.
    ///
    /// - Parameter replaced: The items that are overwritten later.
    func withoutOtherItems(than replaced: [Int]) throws(ImageDecodingError) -> Data {
        let shown = shownItems
        let kept = shown.union(replaced)
        let removed = items.order.filter { !kept.contains($0) }
        var (file, ranges) = (file, [Range<Int>]())
        for id in removed where items[id]?.extents.contains(where: { !$0.isEmpty }) == true {
            ranges += try mediaRanges(of: id)
        }
        for range in ranges.merged { file.resetBytes(in: range) }
        for range in shown.flatMap({ self.ranges(of: $0) ?? [] }).merged {
            file.replaceSubrange(range, with: self.file[range])
        }
        for offset in try nameOffsets(of: Set(removed)) { file.replaceSubrange(offset..<offset + 4, with: "free".utf8) }
        return file
    }

    /// The primary image, the images of which it is made, and their alpha (ISO/IEC 23008-12, 6.4 and 6.6).
    private var shownItems: Set<Int> {
        var (shown, rest) = (Set<Int>(), [items.primary].compactMap(\.self))
        while let id = rest.popLast() {
            guard shown.insert(id).inserted else { continue }
            rest += ["dimg", "exbl", "iloc", "pred", "tbas"].flatMap { items.targets(of: id, $0) }
            rest += items.sources(of: id, "auxl").filter(isAlpha)
        }
        return shown
    }

    private func isAlpha(_ id: Int) -> Bool {
        items.propertyBoxes(of: id).contains { box in
            var fields = BoxReader(file, format: format).fields(in: box.content)
            guard box.name == "auxC", (try? fields.readVersion()) != nil, let type = try? fields.text() else {
                return false
            }
            return BoxItems.alphaTypes.contains(type)
        }
    }

    /// Returns the offsets of the types of items in `iinf`, and of the names of their references in `iref`.
    private func nameOffsets(of ids: Set<Int>) throws(ImageDecodingError) -> [Int] {
        var (offsets, reader) = ([Int](), BoxReader(file, format: format))
        for table in children where ["iinf", "iref"].contains(table.name) {
            var header = reader.fields(in: table.content)
            try header.readVersion()
            if table.name == "iinf" { _ = try header.integer(header.version == 0 ? 2 : 4) }
            for box in try reader.boxes(in: header.rest) {
                var fields = reader.fields(in: box.content)
                var idLength = header.version == 0 ? 2 : 4
                if box.name == "infe" {
                    try fields.readVersion()
                    idLength = fields.version == 2 ? 2 : 4
                    if fields.version < 2 { continue }  // not for images
                }
                guard ids.contains(try fields.integer(idLength)) else { continue }
                // In an entry, a number of 2 bytes precedes the type.
                offsets.append(box.name == "infe" ? fields.rest.lowerBound + 2 : box.offset + 4)
            }
        }
        return offsets
    }
}

extension [Range<Int>] {
    /// The same bytes in ascending ranges that don't overlap.
    fileprivate var merged: [Range<Int>] {
        sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, range in
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
    }
}
