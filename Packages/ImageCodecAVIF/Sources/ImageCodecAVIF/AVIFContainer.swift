#if AVIF
    import CImageCodecAVIF
    import ISOBoxes
    import ImageCore

    /// The parts of a file's container that libavif doesn't report, or for which it would take too long.
    struct AVIFContainer {
        /// The file, with changes where libavif 0.11 refuses or misunderstands boxes: tracks that are neither color nor
        /// alpha are hidden, and the size of a box that extends to the end of the file is written.
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
        init(of data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
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
        var hasGainMap: Bool { items?.hasGainMap(reader) ?? false }

        /// The luminance of the brightest pixel, and that of the display on which the image was made, in cd/m².
        var peakLuminance: (content: Double?, mastering: Double?) { items?.peakLuminance(reader) ?? (nil, nil) }

        /// The cells of the primary image if it is a grid.
        private var cells: [Int] {
            guard let items, let primary = items.primary, items[primary]?.type == "grid" else { return [] }
            return items.targets(of: primary, "dimg")
        }

        /// Throws `.unsupported` if libavif 0.11 would refuse the primary image for another reason, or exchange its
        /// cells.
        func checkItems() throws(ImageDecodingError) {
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
        func checkCells(_ info: avif_info) throws(ImageDecodingError) {
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
            items?.propertyBoxes(of: item).filter { $0.name == name } ?? []
        }

        private func sameBytes(_ first: [Box], _ second: [Box]) -> Bool {
            first.map { reader.bytes(in: $0.content) } == second.map { reader.bytes(in: $0.content) }
        }

        private func isAlpha(_ item: Int) throws(ImageDecodingError) -> Bool {
            for property in properties(of: item, "auxC") {
                if BoxItems.alphaTypes.contains(try reader.auxiliaryType(in: property)) { return true }
            }
            return false
        }

        /// Returns the code points of a color (ITU-T H.273) and its range. Nil for a profile.
        private func codePoints(_ box: Box) throws(ImageDecodingError) -> [Int]? {
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
            _ body: () throws(ImageDecodingError) -> Value
        ) throws(ImageDecodingError) -> Value {
            do throws(ImageDecodingError) {
                return try body()
            } catch .malformed where isTruncated {
                throw .truncated(.avif)
            }
        }
    }

    extension BoxReader {
        /// Returns the file without the content of some boxes, and with the size of the last box if that is open.
        fileprivate func data(hiding boxes: [Box], endingWith last: Box?) -> Data {
            var data = data
            for box in boxes { data = data.replacing(at: box.offset + 4, with: Data("free".utf8)) }
            if let last, data.bigEndian(at: last.offset, 4) == 0, let size = UInt32(exactly: data.count - last.offset) {
                data = data.replacing(at: last.offset, with: Data(Int(size).bigEndianBytes))
            }
            return data
        }
    }

    extension Data {
        /// Returns a copy with other bytes at an offset.
        func replacing(at offset: Int, with bytes: Data) -> Data {
            var copy = self
            let start = startIndex + offset
            copy.replaceSubrange(start..<start + bytes.count, with: bytes)
            return copy
        }
    }

    /// The timing of the frames in a track.
    struct AVIFTrack {
        /// The number of times that the frames are played; 0 if forever.
        private(set) var loopCount = 0
        /// The number of consecutive frames and the duration of each, in units of the media (ISO/IEC 14496-12,
        /// 8.6.1.2).
        private var timings: [(frameCount: Int, duration: Int)] = []

        /// The maximum number of steps of libavif's searches in the tables of a track, whose times are quadratic.
        private static let maximumSearchSteps = 20_000_000.0

        /// Creates a track of frames without known durations.
        init() {}

        /// Returns the track that libavif decodes: the first one with AV1 samples that isn't auxiliary. Also returns
        /// the boxes of tracks that are neither that kind nor its alpha. libavif would refuse sound, and take any other
        /// auxiliary track for alpha.
        ///
        /// Throws if there are too many frames, or if libavif would search too long in the tables of any track.
        static func decoded(
            in boxes: [Box], of reader: inout BoxReader, limits: DecodingLimits
        ) throws(ImageDecodingError) -> (track: AVIFTrack?, others: [Box]) {
            guard let movie = boxes.first(where: { $0.name == "moov" }) else { return (nil, []) }
            var first: AVIFTrack?
            var others: [Box] = []
            for box in try reader.boxes(in: [movie], named: "trak") {
                let parts = try reader.boxes(in: box.content)
                let tables = try SampleTables(in: parts, of: &reader)
                // How the track refers to others: as their alpha or another auxiliary track, depth or thumbnail.
                var references: Set<String> = []
                for part in parts where part.name == "tref" {
                    references.formUnion(try reader.boxes(in: part.content).map(\.name))
                }
                let isAlpha = references.contains("auxl") && !tables.isOtherAuxiliary
                let isShown = isAlpha || references.isDisjoint(with: ["auxl", "vdep", "thmb"])
                guard tables.hasAV1, isShown else {
                    others.append(box)
                    continue
                }
                // libavif reads them, too.
                for part in parts where part.name == "meta" { _ = try BoxItems(in: part, &reader) }
                try limits.check(.frames, tables.frameCount)
                guard tables.searchSteps <= maximumSearchSteps else {
                    throw .unsupported(.avif, "too many different durations or chunks")
                }
                if first == nil, tables.chunkCount > 0, !isAlpha {
                    first = AVIFTrack()
                    first?.loopCount = try reader.loopCount(ofTrack: parts)
                    first?.timings = try tables.timings(&reader)
                }
            }
            return (first, others)
        }

        /// Returns the durations of the first frames as they are played, for a media timescale in units per second.
        func delays(frameCount: Int, timescale: UInt64) -> [Duration] {
            var delays: [Duration] = []
            for timing in timings where delays.count < frameCount {
                let count = min(timing.frameCount, frameCount - delays.count)
                delays += repeatElement(Duration.shown(timing.duration, timescale: timescale), count: count)
            }
            // As in libavif, the last duration applies to all other frames, and 1 if there is none.
            let last = Duration.shown(timings.last?.duration ?? 1, timescale: timescale)
            return delays + repeatElement(last, count: frameCount - delays.count)
        }
    }

    /// The tables that describe the samples of a track (ISO/IEC 14496-12, 8.5 to 8.7).
    private struct SampleTables {
        var hasAV1 = false
        /// Whether the samples are declared as auxiliary, but not as alpha.
        var isOtherAuxiliary = false
        var frameCount = 0
        var chunkCount = 0
        private var timingBoxes: [Box] = []
        private var timingCount = 0
        private var runCount = 0

        init(in track: [Box], of reader: inout BoxReader) throws(ImageDecodingError) {
            let media = track.filter { $0.name == "mdia" }
            let tables = try reader.boxes(in: reader.boxes(in: media, named: "minf"), named: "stbl")
            for table in tables {
                for box in try reader.boxes(in: table.content) { try add(box, of: &reader) }
            }
        }

        /// Adds the counts of a box. They are declared ones, because libavif rejects tables that are too short.
        private mutating func add(_ box: Box, of reader: inout BoxReader) throws(ImageDecodingError) {
            let count = reader.data.bigEndian(at: box.content.lowerBound + 4, 4) ?? 0
            switch box.name {
            case "stsd": try addDescriptions(in: box, of: &reader)
            case "stts":
                timingBoxes.append(box)
                timingCount += count
            case "stsz":
                frameCount = max(frameCount, reader.data.bigEndian(at: box.content.lowerBound + 8, 4) ?? 0)
            case "stsc": runCount += count
            case "stco", "co64": chunkCount += count
            default: break
            }
        }

        private mutating func addDescriptions(in box: Box, of reader: inout BoxReader) throws(ImageDecodingError) {
            for entry in try reader.boxes(in: box.content.dropFirst(8)) where entry.name == "av01" {
                hasAV1 = true
                // The boxes of a visual sample entry follow 78 bytes (ISO/IEC 23008-12, 7.5.3).
                for box in try reader.boxes(in: entry.content.dropFirst(78)) where box.name == "auxi" {
                    if !BoxItems.alphaTypes.contains(try reader.auxiliaryType(in: box)) { isOtherAuxiliary = true }
                }
            }
        }

        /// The number of steps for one frame's time, and for the number of samples in each chunk. Not an integer,
        /// because the product of two declared counts may overflow.
        var searchSteps: Double { Double(frameCount) * Double(timingCount) + Double(chunkCount) * Double(runCount) }

        func timings(_ reader: inout BoxReader) throws(ImageDecodingError) -> [(frameCount: Int, duration: Int)] {
            var timings: [(frameCount: Int, duration: Int)] = []
            for box in timingBoxes {
                var fields = reader.fields(in: box.content.dropFirst(8))
                while fields.rest.count >= 8 { timings.append((try fields.integer(4), try fields.integer(4))) }
            }
            return timings
        }
    }
#endif
