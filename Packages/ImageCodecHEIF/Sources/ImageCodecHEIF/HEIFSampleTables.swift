#if HEIF
    import ISOBoxes
    import ImageCore

    /// The tables that describe the samples of a track (ISO/IEC 14496-12, 8.5 to 8.7). Memory is needed only for as many samples as the
    /// file has sizes.
    struct HEIFSampleTables {
        private let boxes: [String: Box]
        private let reader: BoxReader

        /// - Parameter boxes: The content of an `stbl` box.
        init(_ boxes: [Box], of reader: BoxReader) {
            self.boxes = Dictionary(boxes.map { ($0.name, $0) }) { first, _ in first }
            self.reader = reader
        }

        /// Returns the sample entry, nil unless it is the only one and of HEVC with its parameter sets.
        func entry(_ reader: inout BoxReader) throws(ImageDecodingError) -> Box? {
            guard let box = boxes["stsd"] else { return nil }
            let entries = try reader.boxes(in: box.content.dropFirst(8))
            return entries.count == 1 && entries[0].name == "hvc1" ? entries[0] : nil
        }

        /// Returns the ranges of the samples in the file.
        func samples(limits: DecodingLimits) throws(ImageDecodingError) -> [Range<Int>] {
            let sizes = try sizes(limits: limits)
            let samples = try ranges(of: sizes)
            let total = samples.reduce(0) { $1.upperBound <= reader.data.count ? $0 + $1.count : $0 }
            guard total <= reader.data.count else { throw .malformed(.heic, "the samples of a track overlap") }
            return samples
        }

        /// Returns a number for each sample from a table of runs, each a count and a number. The last number is that of all other samples.
        /// Nil if there is no such table.
        func runs(_ name: String, count: Int) throws(ImageDecodingError) -> [Int]? {
            guard boxes[name] != nil else { return nil }
            var (numbers, last): ([Int], Int) = ([], 0)
            var fields = try fields(name)
            var runCount = try fields.integer(4)
            while runCount > 0, numbers.count < count {
                let length = try fields.integer(4)
                last = try fields.integer(4)
                numbers += repeatElement(last, count: min(length, count - numbers.count))
                runCount -= 1
            }
            return numbers + repeatElement(last, count: count - numbers.count)
        }

        /// Returns the fields of a table after its version.
        private func fields(_ name: String) throws(ImageDecodingError) -> BoxFields {
            guard let box = boxes[name] else { throw .malformed(.heic, "a track has no box \(name)") }
            var fields = reader.fields(in: box.content)
            try fields.readVersion()
            return fields
        }

        private func sizes(limits: DecodingLimits) throws(ImageDecodingError) -> [Int] {
            var fields = try fields("stsz")
            let (size, count) = (try fields.integer(4), try fields.integer(4))
            try limits.check(.frames, count)
            guard count > 0 else { throw .malformed(.heic, "a track has no samples") }
            if size > 0 { return Array(repeating: size, count: count) }
            guard fields.rest.count / 4 >= count else { throw .malformed(.heic, "a table of sizes is too short") }
            var sizes: [Int] = []
            for _ in 0..<count { sizes.append(try fields.integer(4)) }
            return sizes
        }

        /// Returns the ranges of samples of these sizes, which follow each other in chunks.
        private func ranges(of sizes: [Int]) throws(ImageDecodingError) -> [Range<Int>] {
            let isLarge = boxes["stco"] == nil
            var chunks = try fields(isLarge ? "co64" : "stco")
            var chunkRuns = try ChunkRuns(try fields("stsc"))
            let chunkCount = try chunks.integer(4)
            var ranges: [Range<Int>] = []
            var chunk = 0
            while ranges.count < sizes.count {
                chunk += 1
                guard chunk <= chunkCount else { throw .malformed(.heic, "a track has samples without data") }
                var offset = try chunks.integer(isLarge ? 8 : 4)
                for size in sizes.dropFirst(ranges.count).prefix(try chunkRuns.sampleCount(of: chunk)) {
                    guard offset <= Int.max - size else { throw .malformed(.heic, "a sample has an invalid position") }
                    ranges.append(offset..<offset + size)
                    offset += size
                }
            }
            return ranges
        }
    }

    /// The numbers of samples in chunks (8.7.4), read in the order of the chunks.
    private struct ChunkRuns {
        private var fields: BoxFields
        private var left: Int
        private var sampleCount = 0
        /// The first chunk of the next run, and its number of samples.
        private var next: (chunk: Int, sampleCount: Int)?

        init(_ fields: BoxFields) throws(ImageDecodingError) {
            self.fields = fields
            left = try self.fields.integer(4)
            try readNext()
        }

        mutating func sampleCount(of chunk: Int) throws(ImageDecodingError) -> Int {
            while let run = next, run.chunk <= chunk {
                sampleCount = run.sampleCount
                try readNext()
            }
            return sampleCount
        }

        private mutating func readNext() throws(ImageDecodingError) {
            next = nil
            guard left > 0 else { return }
            left -= 1
            next = (try fields.integer(4), try fields.integer(4))
            guard try fields.integer(4) == 1 else { throw .malformed(.heic, "a sample has no description") }
        }
    }
#endif
