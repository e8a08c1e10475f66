#if AVIF
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Adds edit lists to an animation written by libavif, because versions before 1.0 don't write how often it repeats.
    ///
    /// Each track gets a box `edts` after its header. The durations of the movie and the tracks become those of all
    /// repetitions, and the offsets of the coded data, which follows the boxes, grow by the length of the edit lists.
    struct RepeatedAnimation {
        private let source: BoxBytes
        private var file: Data
        private let boxes: [Box]

        /// - Parameter file: A file whose boxes `meta` and `moov` precede the coded data.
        init(file: Data) {
            self.file = file
            source = BoxBytes(file)
            boxes = source.boxes(in: 0..<file.count) ?? []
        }

        /// Returns the file with a loop count, 0 for forever. A file that has edit lists isn't changed.
        func file(loopCount: Int) throws(EncodingFailure) -> Data {
            guard let movie = boxes.first(where: { $0.type == "moov" }),
                let movieHeader = source.boxes(in: movie.content)?.first(where: { $0.type == "mvhd" }),
                let duration = duration(in: movieHeader, at: 24)
            else { throw Self.unknownLayout }
            let tracks = source.boxes(in: movie.content)?.filter { $0.type == "trak" } ?? []
            if tracks.contains(where: hasEdits) { return file }
            let (product, isTooLong) = duration.multipliedReportingOverflow(by: UInt64(loopCount))
            let total = loopCount == 0 || isTooLong ? UInt64.max : product
            var copy = self
            copy.write(total, at: movieHeader.content.lowerBound + 24)
            let edits = Self.editList(duration: duration)
            let growth = edits.count * tracks.count
            try copy.moveData(by: growth, tracks: tracks)
            copy.grow(movie, by: growth)
            for track in tracks { copy.grow(track, by: edits.count) }
            for track in tracks.reversed() { try copy.insert(edits, in: track, total: total) }
            return copy.file
        }

        private static let unknownLayout = EncodingFailure.failed(.avif, "libavif wrote an unknown kind of file")

        private func hasEdits(_ track: Box) -> Bool {
            source.boxes(in: track.content)?.contains { $0.type == "edts" } ?? false
        }

        /// Returns the duration of 8 bytes at an offset in a box of version 1.
        private func duration(in box: Box, at offset: Int) -> UInt64? {
            guard source.integer(at: box.content.lowerBound, length: 1) == 1 else { return nil }
            return source.duration(at: box.content.lowerBound + offset, length: 8)
        }

        /// Returns the boxes `edts` and `elst` (ISO/IEC 14496-12, 8.6.6) for a repeated segment of this duration.
        private static func editList(duration: UInt64) -> [UInt8] {
            let types = [Array("edts".utf8), Array("elst".utf8)]
            // Version 1 and the flag for repetition; one entry: duration, media time 0, rate 1.0.
            let entry = bytes(duration, count: 8) + bytes(0, count: 8) + [0, 1, 0, 0]
            let content = [1, 0, 0, 1, 0, 0, 0, 1] + entry
            return bytes(UInt64(content.count + 16), count: 4) + types[0] + bytes(UInt64(content.count + 8), count: 4)
                + types[1] + content
        }

        private static func bytes(_ value: UInt64, count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
        }

        private mutating func write(_ value: UInt64, count: Int = 8, at offset: Int) {
            file.replaceSubrange(offset..<offset + count, with: Self.bytes(value, count: count))
        }

        /// Adds to the size of a box with a header of 8 bytes.
        private mutating func grow(_ box: Box, by growth: Int) {
            write(UInt64(box.content.count + 8 + growth), count: 4, at: box.content.lowerBound - 8)
        }

        /// Writes the duration of a track, and the edit list after its header.
        private mutating func insert(_ edits: [UInt8], in track: Box, total: UInt64) throws(EncodingFailure) {
            guard let header = source.boxes(in: track.content)?.first(where: { $0.type == "tkhd" }),
                source.integer(at: header.content.lowerBound, length: 1) == 1
            else { throw Self.unknownLayout }
            write(total, at: header.content.lowerBound + 28)
            file.replaceSubrange(header.content.upperBound..<header.content.upperBound, with: edits)
        }

        /// Adds to the offsets of chunks in tracks, and of items.
        private mutating func moveData(by growth: Int, tracks: [Box]) throws(EncodingFailure) {
            for track in tracks { try moveChunks(in: track, by: growth) }
            if let meta = boxes.first(where: { $0.type == "meta" }) {
                for box in source.boxes(in: meta.content.dropFirst(4)) ?? [] where box.type == "iloc" {
                    try moveItems(in: box, by: growth)
                }
            }
        }

        private mutating func moveChunks(in track: Box, by growth: Int) throws(EncodingFailure) {
            var box = track
            for type in ["mdia", "minf", "stbl", "stco"] as [BoxType] {
                guard let child = source.boxes(in: box.content)?.first(where: { $0.type == type }) else {
                    throw Self.unknownLayout
                }
                box = child
            }
            for offset in stride(from: box.content.lowerBound + 8, to: box.content.upperBound, by: 4) {
                try move(at: offset, by: growth)
            }
        }

        /// Adds to the offsets in an item location box of version 0 with offsets and lengths of 4 bytes and without base
        /// offsets (ISO/IEC 14496-12, 8.11.3).
        private mutating func moveItems(in box: Box, by growth: Int) throws(EncodingFailure) {
            let start = box.content.lowerBound
            guard source.integer(at: start, length: 1) == 0, source.integer(at: start + 4, length: 2) == 0x4400,
                let itemCount = source.integer(at: start + 6, length: 2)
            else { throw Self.unknownLayout }
            var offset = start + 8
            for _ in 0..<itemCount {
                guard let extentCount = source.integer(at: offset + 4, length: 2) else { throw Self.unknownLayout }
                offset += 6
                for _ in 0..<extentCount {
                    try move(at: offset, by: growth)
                    offset += 8
                }
            }
        }

        /// Adds to the offset of 4 bytes at a position.
        private mutating func move(at position: Int, by growth: Int) throws(EncodingFailure) {
            guard let offset = source.integer(at: position, length: 4) else { throw Self.unknownLayout }
            write(UInt64(offset + growth), count: 4, at: position)
        }
    }
#endif
