#if AVIF
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The timing of the frames in a track.
    struct AVIFTrack {
        /// The number of times that the frames are played; 0 if forever.
        private(set) var loopCount = 0
        /// The durations of consecutive frames, in units of the media.
        private(set) var timings: [Timing] = []

        /// The duration of a number of frames (ISO/IEC 14496-12, 8.6.1.2).
        struct Timing: Hashable {
            var frameCount: Int
            var duration: Int
        }

        /// The maximum number of steps of libavif's searches in the tables of a track, whose times are quadratic.
        private static let maximumSearchSteps = 20_000_000.0

        /// Returns the track that libavif decodes: the first one with AV1 samples that isn't auxiliary. Also returns the
        /// boxes of tracks that are neither that kind nor its alpha. libavif would refuse sound, and take any other auxiliary
        /// track for alpha.
        ///
        /// Throws if there are too many frames, or if libavif would search too long in the tables of any track.
        static func decoded(
            in boxes: [Box], of bytes: BoxBytes, limits: DecodingLimits
        ) throws(DecodingFailure) -> (track: AVIFTrack?, others: [Box]) {
            guard let movie = boxes.first(where: { $0.type == "moov" }) else { return (nil, []) }
            var first: AVIFTrack?
            var others: [Box] = []
            for box in try bytes.children(of: movie.content) where box.type == "trak" {
                let parts = try bytes.children(of: box.content)
                _ = try bytes.itemBoxes(in: parts)
                let tables = try SampleTables(in: parts, of: bytes)
                let references = try bytes.referenceTypes(of: parts)
                let isAlpha = references.contains("auxl") && !tables.isOtherAuxiliary
                let isShown = isAlpha || references.isDisjoint(with: ["auxl", "vdep", "thmb"])
                if !box.isTruncated, !tables.hasAV1 || !isShown {
                    others.append(box)
                    continue
                }
                try limits.check(.frames, tables.frameCount)
                guard tables.searchSteps <= maximumSearchSteps else {
                    throw .unsupported(.avif, "too many different durations or chunks")
                }
                if first == nil, tables.hasAV1, tables.chunkCount > 0, isShown, !isAlpha {
                    first = AVIFTrack(loopCount: try bytes.loopCount(of: parts), timings: bytes.timings(in: tables))
                }
            }
            return (first, others)
        }

        /// Returns the durations of the first frames as they are played, for a media timescale in units per second.
        func delays(frameCount: Int, timescale: UInt64) -> [Duration] {
            var delays: [Duration] = []
            for timing in timings where delays.count < frameCount {
                let count = min(timing.frameCount, frameCount - delays.count)
                let delay = Duration.shown(timing.duration, timescale: timescale)
                delays += repeatElement(delay, count: count)
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
        var timingBoxes: [Box] = []
        var frameCount = 0
        var timingCount = 0
        var chunkCount = 0
        var runCount = 0

        init(in track: [Box], of bytes: BoxBytes) throws(DecodingFailure) {
            let media = track.filter { $0.type == "mdia" }
            let information = try bytes.children(of: media, type: "minf")
            for table in try bytes.children(of: information, type: "stbl") {
                for box in try bytes.children(of: table.content) { add(box, of: bytes) }
            }
        }

        /// Adds the counts of a box. They are declared ones, because libavif rejects tables that are too short.
        private mutating func add(_ box: Box, of bytes: BoxBytes) {
            let start = box.content.lowerBound
            let count = bytes.integer(at: start + 4, length: 4) ?? 0
            switch box.type {
            case "stsd":
                for entry in bytes.boxes(in: box.content.dropFirst(8)) ?? [] where entry.type == "av01" {
                    hasAV1 = true
                    isOtherAuxiliary = isOtherAuxiliary || bytes.isOtherAuxiliary(entry)
                }
            case "stts":
                timingBoxes.append(box)
                timingCount += count
            case "stsz": frameCount = max(frameCount, bytes.integer(at: start + 8, length: 4) ?? 0)
            case "stsc": runCount += count
            case "stco", "co64": chunkCount += count
            default: break
            }
        }

        /// The number of steps for one frame's time, and for the number of samples in each chunk. Not an integer, because
        /// the product of two declared counts may overflow.
        var searchSteps: Double { Double(frameCount) * Double(timingCount) + Double(chunkCount) * Double(runCount) }
    }

    extension BoxBytes {
        /// Returns how a track refers to others: for example, `auxl` as their alpha, `vdep` as their depth.
        fileprivate func referenceTypes(of track: [Box]) throws(DecodingFailure) -> Set<BoxType> {
            var types: Set<BoxType> = []
            for references in track where references.type == "tref" {
                types.formUnion(try children(of: references.content).map(\.type))
            }
            return types
        }

        /// Returns whether a sample entry has an auxiliary type other than alpha (ISO/IEC 23008-12, 7.5.3). The boxes of a
        /// visual sample entry follow 78 bytes.
        fileprivate func isOtherAuxiliary(_ entry: Box) -> Bool {
            (boxes(in: entry.content.dropFirst(78)) ?? []).contains { box in
                box.type == "auxi"
                    && !AVIFItems.alphaTypes.contains { hasText($0, at: box.content.dropFirst(4)) }
            }
        }

        fileprivate func timings(in tables: SampleTables) -> [AVIFTrack.Timing] {
            var timings: [AVIFTrack.Timing] = []
            for box in tables.timingBoxes {
                for offset in stride(from: box.content.lowerBound + 8, to: box.content.upperBound - 7, by: 8) {
                    guard let count = integer(at: offset, length: 4), let duration = integer(at: offset + 4, length: 4)
                    else { break }
                    timings.append(AVIFTrack.Timing(frameCount: count, duration: duration))
                }
            }
            return timings
        }

        /// Returns how often a track is played, from the duration of its edit list and that of the track.
        ///
        /// An edit list that is repeated has the flag 1 (ISO/IEC 23008-12, 9.6.1). A track without one loops forever,
        /// as in browsers.
        fileprivate func loopCount(of track: [Box]) throws(DecodingFailure) -> Int {
            guard let edits = try children(of: track.filter { $0.type == "edts" }, type: "elst").first,
                let header = track.first(where: { $0.type == "tkhd" }),
                let version = integer(at: edits.content.lowerBound, length: 1),
                let flags = integer(at: edits.content.lowerBound + 1, length: 3),
                let segment = duration(at: edits.content.lowerBound + 8, length: version == 1 ? 8 : 4)
            else { return 0 }
            if flags & 1 == 0 { return 1 }
            guard let total = trackDuration(in: header.content), total != .max, segment > 0 else { return 0 }
            let (count, rest) = total.quotientAndRemainder(dividingBy: segment)
            return count > Int32.max ? 0 : max(1, Int(count) + (rest == 0 ? 0 : 1))
        }

        /// Returns the duration in a track header box (ISO/IEC 14496-12, 8.3.2).
        private func trackDuration(in content: Range<Int>) -> UInt64? {
            let isLong = integer(at: content.lowerBound, length: 1) == 1
            return duration(at: content.lowerBound + (isLong ? 28 : 20), length: isLong ? 8 : 4)
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
