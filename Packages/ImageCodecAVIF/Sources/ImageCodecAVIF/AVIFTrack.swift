#if AVIF
    import ISOBoxes
    import ImageCore

    /// The timing of the frames in a track.
    struct AVIFTrack {
        /// The number of times that the frames are played; 0 if forever.
        private(set) var loopCount = 0
        /// The number of consecutive frames and the duration of each, in units of the media (ISO/IEC 14496-12, 8.6.1.2).
        private var timings: [(frameCount: Int, duration: Int)] = []

        /// The maximum number of steps of libavif's searches in the tables of a track, whose times are quadratic.
        private static let maximumSearchSteps = 20_000_000.0

        /// Creates a track of frames without known durations.
        init() {}

        /// Returns the track that libavif decodes: the first one with AV1 samples that isn't auxiliary. Also returns the
        /// boxes of tracks that are neither that kind nor its alpha. libavif would refuse sound, and take any other auxiliary
        /// track for alpha.
        ///
        /// Throws if there are too many frames, or if libavif would search too long in the tables of any track.
        static func decoded(
            in boxes: [Box], of reader: inout BoxReader, limits: DecodingLimits
        ) throws(DecodingFailure) -> (track: AVIFTrack?, others: [Box]) {
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
                    first?.loopCount = try loopCount(of: parts, &reader)
                    first?.timings = try tables.timings(&reader)
                }
            }
            return (first, others)
        }

        /// Returns how often a track is played, from the duration of its edit list and that of the track.
        ///
        /// An edit list that is repeated has the flag 1 (ISO/IEC 23008-12, 9.6.1). A track without one loops forever, as in
        /// browsers.
        private static func loopCount(of parts: [Box], _ reader: inout BoxReader) throws(DecodingFailure) -> Int {
            guard let edits = try reader.boxes(in: parts.filter { $0.name == "edts" }, named: "elst").first,
                let header = parts.first(where: { $0.name == "tkhd" })
            else { return 0 }
            var fields = reader.fields(in: edits.content)
            try fields.readVersion()
            if fields.flags & 1 == 0 { return 1 }
            _ = try fields.integer(4)
            let segment = try fields.duration()
            fields = reader.fields(in: header.content)
            try fields.readVersion()
            // The times of creation and change, the number of the track, and a reserved one.
            _ = try fields.bytes(fields.version == 1 ? 24 : 16)
            guard let segment, segment > 0, let total = try fields.duration() else { return 0 }
            let count = (total - 1) / segment + 1
            return count > Int32.max ? 0 : max(1, count)
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

        init(in track: [Box], of reader: inout BoxReader) throws(DecodingFailure) {
            let media = track.filter { $0.name == "mdia" }
            let tables = try reader.boxes(in: reader.boxes(in: media, named: "minf"), named: "stbl")
            for table in tables {
                for box in try reader.boxes(in: table.content) { try add(box, of: &reader) }
            }
        }

        /// Adds the counts of a box. They are declared ones, because libavif rejects tables that are too short.
        private mutating func add(_ box: Box, of reader: inout BoxReader) throws(DecodingFailure) {
            let count = reader.integer(at: box.content.lowerBound + 4, length: 4) ?? 0
            switch box.name {
            case "stsd": try addDescriptions(in: box, of: &reader)
            case "stts":
                timingBoxes.append(box)
                timingCount += count
            case "stsz":
                frameCount = max(frameCount, reader.integer(at: box.content.lowerBound + 8, length: 4) ?? 0)
            case "stsc": runCount += count
            case "stco", "co64": chunkCount += count
            default: break
            }
        }

        private mutating func addDescriptions(in box: Box, of reader: inout BoxReader) throws(DecodingFailure) {
            for entry in try reader.boxes(in: box.content.dropFirst(8)) where entry.name == "av01" {
                hasAV1 = true
                // The boxes of a visual sample entry follow 78 bytes (ISO/IEC 23008-12, 7.5.3).
                for box in try reader.boxes(in: entry.content.dropFirst(78)) where box.name == "auxi" {
                    if !BoxItems.alphaTypes.contains(try reader.auxiliaryType(in: box)) { isOtherAuxiliary = true }
                }
            }
        }

        /// The number of steps for one frame's time, and for the number of samples in each chunk. Not an integer, because
        /// the product of two declared counts may overflow.
        var searchSteps: Double { Double(frameCount) * Double(timingCount) + Double(chunkCount) * Double(runCount) }

        func timings(_ reader: inout BoxReader) throws(DecodingFailure) -> [(frameCount: Int, duration: Int)] {
            var timings: [(frameCount: Int, duration: Int)] = []
            for box in timingBoxes {
                var fields = reader.fields(in: box.content.dropFirst(8))
                while fields.rest.count >= 8 { timings.append((try fields.integer(4), try fields.integer(4))) }
            }
            return timings
        }
    }

    extension BoxFields {
        /// Reads a duration, which is longer from version 1 on. Returns nil if it is unknown, that is, if all bits are 1.
        fileprivate mutating func duration() throws(DecodingFailure) -> Int? {
            let first = try integer(4)
            guard version == 1 else { return first == 0xFFFF_FFFF ? nil : first }
            let second = try integer(4)
            return first > Int32.max ? nil : first << 32 | second
        }
    }

    extension Duration {
        /// Returns the time for which a frame is shown. As in browsers, up to 10 ms become 100 ms.
        fileprivate static func shown(_ units: Int, timescale: UInt64) -> Duration {
            guard timescale > 0 else { return .milliseconds(100) }
            let (seconds, rest) = UInt64(units).quotientAndRemainder(dividingBy: timescale)
            let attoseconds = timescale.dividingFullWidth(rest.multipliedFullWidth(by: 1_000_000_000_000_000_000))
            let delay = Duration(
                secondsComponent: Int64(seconds), attosecondsComponent: Int64(attoseconds.quotient))
            return delay <= .milliseconds(10) ? .milliseconds(100) : delay
        }
    }
#endif
