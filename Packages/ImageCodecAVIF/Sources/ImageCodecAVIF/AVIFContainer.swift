#if AVIF
    import CImageCodecAVIF
    import ISOBoxes
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The parts of a file's container that libavif doesn't report, or for which it would take too long.
    struct AVIFContainer {
        /// The file, with changes where libavif 0.11 refuses or misunderstands boxes: tracks that are neither color nor alpha
        /// are hidden, and the size of a box that extends to the end of the file is written.
        let data: Data
        /// Whether the file ends within a box, or before the box with the coded data.
        let isTruncated: Bool
        /// Whether an image is made of cells.
        let hasGrid: Bool
        /// The track that libavif decodes, if the file has one.
        let track: AVIFTrack?
        /// The items, or nil if a track is decoded.
        private let items: BoxItems?
        private let reader: BoxReader

        /// Reads the container. Throws `.malformed`, `.truncated`, or `.limitExceeded` if there are too many frames.
        init(of data: Data, limits: DecodingLimits) throws(DecodingFailure) {
            var reader = BoxReader(data, format: .avif)
            let boxes = try reader.fileBoxes()
            let end = boxes.last?.content.upperBound ?? 0
            if end > data.count, let name = boxes.last?.name, ["ftyp", "meta", "moov"].contains(name) {
                throw .truncated(.avif)
            }
            let (track, hidden) = try AVIFTrack.decoded(in: boxes, of: &reader, limits: limits)
            var items: BoxItems?
            if let meta = boxes.first(where: { $0.name == "meta" }) { items = try BoxItems(in: meta, &reader) }
            hasGrid = items.map { items in items.order.contains { items[$0]?.type == "grid" } } ?? false
            let hasData = items?.itemData != nil || boxes.contains { $0.name == "mdat" }
            isTruncated = end != data.count || !hasData
            let usesTrack = track != nil && reader.name(at: 8) == "avis"
            self.items = usesTrack ? nil : items
            self.track = track
            self.reader = reader
            self.data = reader.data(hiding: hidden, endingWith: boxes.last)
        }
    }

    extension AVIFContainer {
        /// The cells of the primary image if it is a grid.
        private var cells: [Int] {
            guard let items, let primary = items.primary, items[primary]?.type == "grid" else { return [] }
            return items.targets(of: primary, "dimg")
        }

        /// Throws `.unsupported` if libavif 0.11 would refuse the primary image for another reason, or exchange its cells.
        func checkItems() throws(DecodingFailure) {
            guard let items, let type = items.primary.flatMap({ items[$0]?.type }), !type.isEmpty else { return }
            guard type == "av01" || type == "grid" else {
                throw .unsupported(.avif, "an image of the type “\(type)”")
            }
            // libavif takes them in the order in which they are mentioned first.
            guard items.order.filter(Set(cells).contains) == cells else {
                throw .unsupported(.avif, "cells in another order than their items")
            }
        }

        /// Throws `.unsupported` if libavif 0.11 ignores the alpha or the color of cells.
        func checkCells(_ info: avif_info) throws(DecodingFailure) {
            guard let items, let primary = items.primary else { return }
            for image in info.has_alpha == 0 ? cells + [primary] : [] {
                for source in items.sources(of: image, "auxl") where try isAlpha(source) {
                    throw .unsupported(.avif, "cells with alpha of their own")
                }
            }
            guard properties(of: primary, "colr").isEmpty else { return }
            let boxes = cells.map { properties(of: $0, "colr") }
            guard let first = boxes.first(where: { !$0.isEmpty }) else { return }
            guard boxes.allSatisfy({ sameBytes($0, first) }),
                first.count == 1, let color = try codePoints(first[0])
            else { throw .unsupported(.avif, "cells with several color spaces or a profile") }
            let used = [info.primaries, info.transfer, info.matrix, info.is_full_range].map(Int.init)
            // 2 means that the color is that of the AV1 data.
            guard zip(color, used).allSatisfy({ $0 == 2 || $0 == $1 }) else {
                throw .unsupported(.avif, "cells with another color than that of their AV1 data")
            }
        }

        private func properties(of item: Int, _ name: String) -> [Box] {
            guard let items, let item = items[item] else { return [] }
            return item.properties.map { items.properties[$0.index] }.filter { $0.name == name }
        }

        private func sameBytes(_ first: [Box], _ second: [Box]) -> Bool {
            first.map { reader.bytes(in: $0.content) } == second.map { reader.bytes(in: $0.content) }
        }

        private func isAlpha(_ item: Int) throws(DecodingFailure) -> Bool {
            for property in properties(of: item, "auxC") {
                if BoxItems.alphaTypes.contains(try reader.auxiliaryType(in: property)) { return true }
            }
            return false
        }

        /// Returns the code points of a color (ITU-T H.273) and its range. Nil for a profile.
        private func codePoints(_ box: Box) throws(DecodingFailure) -> [Int]? {
            var fields = reader.fields(in: box.content)
            guard try fields.name() == "nclx" else { return nil }
            var points: [Int] = []
            for _ in 0..<3 { points.append(try fields.integer(2)) }
            return points + [try fields.integer(1) >> 7]
        }
    }

    extension AVIFContainer {
        /// Runs `body`. If the file is truncated, an error about malformed data becomes `.truncated`.
        func explainingTruncation<Value>(
            _ body: () throws(DecodingFailure) -> Value
        ) throws(DecodingFailure) -> Value {
            do throws(DecodingFailure) {
                return try body()
            } catch .malformed where isTruncated {
                throw .truncated(.avif)
            }
        }
    }

    extension BoxReader {
        /// Returns the type of an auxiliary image or track (ISO/IEC 23008-12, 6.5.8).
        func auxiliaryType(in box: Box) throws(DecodingFailure) -> String {
            var fields = fields(in: box.content)
            try fields.readVersion()
            return try fields.text()
        }

        /// Returns the file without the content of some boxes, and with the size of the last box if that is open.
        fileprivate func data(hiding boxes: [Box], endingWith last: Box?) -> Data {
            var data = data
            for box in boxes { data = data.replacing(at: box.offset + 4, with: Data("free".utf8)) }
            if let last, integer(at: last.offset, length: 4) == 0, let size = UInt32(exactly: data.count - last.offset)
            {
                data = data.replacing(at: last.offset, with: Data((0..<4).map { UInt8(size >> (24 - 8 * $0) & 255) }))
            }
            return data
        }
    }
#endif
