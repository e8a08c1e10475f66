#if AVIF
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The parts of a file's container that libavif doesn't report, or for which it would take too long.
    ///
    /// Reads the boxes of ISO/IEC 14496-12 and 23008-12 in time linear in their size, without decoding pixels.
    struct AVIFContainer {
        /// The file, with changes where libavif 0.11 refuses or misunderstands boxes: tracks that are neither color nor alpha
        /// are hidden, and the size of a box that extends to the end of the file is written.
        let data: Data
        /// The items, or nil if a track is decoded.
        let items: AVIFItems?
        /// Whether the file ends within a box, or before the box with the coded data.
        let isTruncated: Bool
        /// Whether an image is made of cells.
        let hasGrid: Bool
        /// The track that libavif decodes, if the file has one.
        let track: AVIFTrack?

        /// Reads the container. Throws `.malformed`, `.unsupported`, or `.limitExceeded` if there are too many frames.
        init(of data: Data, limits: DecodingLimits) throws(DecodingFailure) {
            let bytes = BoxBytes(data)
            let boxes = try bytes.children(of: 0..<data.count)
            let items = try bytes.itemBoxes(in: boxes)
            hasGrid = items.contains { $0.type == "iinf" && bytes.hasGrid(in: $0.content) }
            let (track, others) = try AVIFTrack.decoded(in: boxes, of: bytes, limits: limits)
            self.track = track
            let usesTrack = track != nil && bytes.hasText("avis", at: 8..<data.count)
            self.items = usesTrack ? nil : try AVIFItems(in: items, of: bytes)
            self.data = bytes.data(hiding: others, endingWith: boxes.last)
            let isCut = boxes.last.map { $0.isTruncated || $0.content.upperBound < data.count } ?? true
            isTruncated = isCut || !(boxes + items).contains { $0.type == "mdat" || $0.type == "idat" }
        }
    }

    extension BoxBytes {
        /// Returns the boxes in a range. Throws if there are very many.
        func children(of range: Range<Int>, limit: Int = 1000) throws(DecodingFailure) -> [Box] {
            guard let boxes = boxes(in: range, limit: limit) else { throw .malformed(.avif, "too many boxes") }
            return boxes
        }

        /// Returns the boxes of one type in all parents.
        func children(of parents: [Box], type: BoxType) throws(DecodingFailure) -> [Box] {
            var found: [Box] = []
            for parent in parents { found += try children(of: parent.content).filter { $0.type == type } }
            return found
        }

        /// Returns the boxes in the meta boxes of a file or track (ISO/IEC 14496-12, 8.11.1).
        ///
        /// Throws if their tables are so large that libavif would search for too long: it searches all items for each
        /// entry.
        func itemBoxes(in boxes: [Box]) throws(DecodingFailure) -> [Box] {
            var found: [Box] = []
            for meta in boxes where meta.type == "meta" && meta.content.count > 4 {
                // The content starts with a version and flags.
                found += try children(of: meta.content.dropFirst(4))
            }
            let tables = found.filter { ["iinf", "iloc", "iref"].contains($0.type) }
            let associations = try children(of: found.filter { $0.type == "iprp" }, type: "ipma")
            let size = (tables + associations).reduce(0) { $0 + $1.content.count }
            guard size <= Self.maximumItemTableSize else { throw .unsupported(.avif, "too many items") }
            return found
        }

        /// The maximum size in bytes of the tables about items, enough for 1,000 cells of a grid.
        private static let maximumItemTableSize = 64 << 10

        /// Returns the file without the content of some boxes, and with the size of the last box if that is open.
        fileprivate func data(hiding boxes: [Box], endingWith last: Box?) -> Data {
            var data = bytes
            for box in boxes { data.replace(at: box.offset + 4, with: Data("free".utf8)) }
            if let last, integer(at: last.offset, length: 4) == 0, let size = UInt32(exactly: count - last.offset) {
                data.replace(at: last.offset, with: Data((0..<4).map { UInt8(size >> (24 - 8 * $0) & 255) }))
            }
            return data
        }

        /// Returns whether an item information box has an item of the type `grid` (ISO/IEC 23008-12, 6.6.2.3).
        fileprivate func hasGrid(in content: Range<Int>) -> Bool {
            let version = integer(at: content.lowerBound, length: 1)
            let entries = boxes(in: content.dropFirst(version == 0 ? 6 : 8), limit: 10_000) ?? []
            // Each entry is a box: version and flags, item_ID of 2 or 4 bytes, protection index of 2 bytes, type.
            return entries.contains { entry in
                let version = integer(at: entry.content.lowerBound, length: 1)
                let offset = entry.content.lowerBound + (version == 3 ? 10 : 8)
                let type = offset + 4 <= entry.content.upperBound ? integer(at: offset, length: 4) : nil
                return type == ("grid" as BoxType).rawValue
            }
        }
    }

    extension Data {
        fileprivate mutating func replace(at offset: Int, with bytes: Data) {
            let start = startIndex + offset
            replaceSubrange(start..<start + bytes.count, with: bytes)
        }
    }
#endif
