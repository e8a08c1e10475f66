#if HEIF
    import ISOBoxes
    import ImageCore

    /// The tracks of an image sequence (ISO/IEC 23008-12, 7), without pixels.
    struct HEIFTracks {
        let reader: BoxReader
        /// The first track with HEVC that is neither alpha nor another auxiliary track.
        let color: HEIFTrack
        /// The alpha channel. It has as many frames as `color`, of the same size.
        let alpha: HEIFTrack?

        /// The major brands of files that show a sequence (ISO/IEC 23008-12, 10.2 and B.4). Others show their primary image, if they have
        /// one.
        private static let brands: Set = ["msf1", "hevc", "hevx"]

        /// Returns nil if the file shows an image. Throws `.truncated` if the file ends within the `moov` box.
        init?(of data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
            var reader = BoxReader(data, format: .heic)
            let boxes = try reader.fileBoxes()
            guard let movie = boxes.first(where: { $0.name == "moov" }),
                Self.brands.contains(reader.name(at: 8)) || !boxes.contains(where: { $0.name == "meta" })
            else { return nil }
            guard movie.content.upperBound <= data.count else { throw .truncated(.heic) }
            var tracks: [HEIFTrack] = []
            for box in try reader.boxes(in: [movie], named: "trak") {
                if let track = try HEIFTrack(box, &reader, limits: limits) { tracks.append(track) }
            }
            guard let color = tracks.first(where: { $0.references.isDisjoint(with: ["auxl", "vdep", "thmb"]) }) else {
                throw .unsupported(.heic, "a sequence without a track of HEVC")
            }
            alpha = tracks.first { $0.isAlpha && $0.alphaTarget == color.id }
            if let alpha, alpha.samples.count != color.samples.count || alpha.area != color.area {
                throw .unsupported(.heic, "alpha of another size or number of frames")
            }
            self.color = color
            self.reader = reader
        }
    }

    /// A track of HEVC pictures.
    struct HEIFTrack {
        let id: Int
        /// How the track refers to others: as their alpha or another auxiliary track, depth or thumbnail.
        let references: Set<String>
        /// The track of which this one is an auxiliary track.
        let alphaTarget: Int?
        /// Whether an auxiliary track is alpha.
        let isAlpha: Bool
        let configuration: HEVCConfiguration
        /// The part of each frame to show.
        let area: PixelArea
        let orientation: ImageOrientation
        let itemColor: ItemColor
        /// The ranges of the pictures in the file, in the order of decoding. They may be beyond its end.
        let samples: [Range<Int>]
        /// Whether each sample is decoded without those before it.
        let isStart: [Bool]
        let timing: HEIFTiming
        let loopCount: Int

        /// Returns nil if the track is not HEVC, or has samples of several kinds.
        init?(_ track: Box, _ reader: inout BoxReader, limits: DecodingLimits) throws(ImageDecodingError) {
            let parts = try reader.boxes(in: track.content)
            guard let container = parts.first(where: { $0.name == "mdia" }) else { return nil }
            let media = try reader.boxes(in: container.content)
            let information = try reader.boxes(in: media.filter { $0.name == "minf" }, named: "stbl")
            guard let table = information.first else { return nil }
            let tables = HEIFSampleTables(try reader.boxes(in: table.content), of: reader)
            guard let entry = try tables.entry(&reader) else { return nil }
            // The boxes of a visual sample entry follow 78 bytes (ISO/IEC 14496-12, 12.1.3).
            let boxes = try reader.boxes(in: entry.content.dropFirst(78))
            var properties: [HEIFProperty] = []
            for box in boxes { properties.append(try HEIFProperty(box, of: reader)) }
            let configuration = try HEVCConfiguration(properties, of: reader)
            self.configuration = configuration
            area = try properties.area(in: configuration.sequence.size)
            itemColor = ItemColor(properties)
            var kind: String?
            if let box = boxes.first(where: { $0.name == "auxi" }) { kind = try reader.auxiliaryType(in: box) }
            isAlpha = kind.map(BoxItems.alphaTypes.contains) ?? true
            (references, alphaTarget) = try Self.references(in: parts, &reader)
            (id, orientation) = try Self.header(in: parts, of: reader)
            try limits.check(configuration.sequence.size)
            samples = try tables.samples(limits: limits)
            isStart = samples.map { [reader] in configuration.isStart($0, of: reader) }
            timing = try HEIFTiming(tables, count: samples.count, timescale: try Self.timescale(in: media, of: reader))
            loopCount = try reader.loopCount(ofTrack: parts)
        }

        /// The last sample up to `sample` from which the sequence can be decoded.
        func start(of sample: Int) -> Int { isStart[...sample].lastIndex(of: true) ?? 0 }
    }

    extension HEIFTrack {
        private static func references(
            in parts: [Box], _ reader: inout BoxReader
        ) throws(ImageDecodingError) -> (names: Set<String>, auxiliary: Int?) {
            var names: Set<String> = []
            var target: Int?
            for part in parts where part.name == "tref" {
                for box in try reader.boxes(in: part.content) {
                    names.insert(box.name)
                    if box.name == "auxl" { target = reader.data.bigEndian(at: box.content.lowerBound, 4) }
                }
            }
            return (names, target)
        }

        /// Returns the number of the track and the rotation by its matrix (ISO/IEC 14496-12, 8.3.2).
        private static func header(
            in parts: [Box], of reader: BoxReader
        ) throws(ImageDecodingError) -> (id: Int, orientation: ImageOrientation) {
            guard let box = parts.first(where: { $0.name == "tkhd" }) else {
                throw .malformed(.heic, "a track has no header")
            }
            var fields = reader.fields(in: box.content)
            try fields.readVersion()
            _ = try fields.bytes(fields.version == 1 ? 16 : 8)
            let id = try fields.integer(4)
            _ = try fields.bytes((fields.version == 1 ? 12 : 8) + 16)
            var matrix: [Int] = []
            for _ in 0..<5 { matrix.append(Int(Int32(truncatingIfNeeded: try fields.integer(4)))) }
            // Numbers a, b, u, c and d, in units of 1/65536: a point x, y becomes ax + cy, bx + dy.
            let one = 1 << 16
            switch (matrix[0], matrix[1], matrix[3], matrix[4]) {
            case (one, 0, 0, one): return (id, .up)
            case (0, one, -one, 0): return (id, .right)
            case (-one, 0, 0, -one): return (id, .down)
            case (0, -one, one, 0): return (id, .left)
            default: throw .unsupported(.heic, "a sequence that is not rotated by quarter turns")
            }
        }

        /// Returns the units of time per second (8.4.2).
        private static func timescale(in media: [Box], of reader: BoxReader) throws(ImageDecodingError) -> UInt64 {
            guard let box = media.first(where: { $0.name == "mdhd" }) else {
                throw .malformed(.heic, "a track has no timescale")
            }
            var fields = reader.fields(in: box.content)
            try fields.readVersion()
            _ = try fields.bytes(fields.version == 1 ? 16 : 8)
            return UInt64(try fields.integer(4))
        }
    }

    /// When the samples of a track are shown.
    struct HEIFTiming {
        /// The sample of each frame.
        let order: [Int]
        /// The frame of each sample.
        let frames: [Int]
        let delays: [Duration]
        /// The largest number of pictures that are decoded before an earlier frame.
        let reorderedCount: Int

        /// The most reference pictures of HEVC (ITU-T H.265, A.4.2).
        static let mostReferences = 16

        init(_ tables: HEIFSampleTables, count: Int, timescale: UInt64) throws(ImageDecodingError) {
            guard let durations = try tables.runs("stts", count: count) else {
                throw .malformed(.heic, "a track has no durations")
            }
            var times = try tables.runs("ctts", count: count) ?? Array(repeating: 0, count: count)
            var time = 0
            for sample in 0..<count {
                times[sample] = time + Int(Int32(truncatingIfNeeded: times[sample]))
                time += durations[sample]
            }
            let order = (0..<count).sorted { (times[$0], $0) < (times[$1], $1) }
            let ends = order.dropFirst().map { times[$0] } + [times[order[count - 1]] + durations[order[count - 1]]]
            delays = zip(order, ends).map { .shown($1 - times[$0], timescale: timescale) }
            var frames = Array(repeating: 0, count: count)
            var (decoded, reordered) = (0, 0)
            for (frame, sample) in order.enumerated() {
                frames[sample] = frame
                decoded = max(decoded, sample + 1)
                reordered = max(reordered, decoded - frame - 1)
            }
            guard reordered <= Self.mostReferences else {
                throw .malformed(.heic, "frames are shown in another order than HEVC allows")
            }
            self.order = order
            self.frames = frames
            reorderedCount = reordered
        }
    }

    extension HEVCConfiguration {
        /// Returns the first one of the properties of a sample entry.
        fileprivate init(_ properties: [HEIFProperty], of reader: BoxReader) throws(ImageDecodingError) {
            for case .hevc(let range) in properties {
                self = try HEVCConfiguration(at: range, of: reader)
                return
            }
            throw .malformed(.heic, "a track has no coding")
        }
    }

    extension [HEIFProperty] {
        /// Returns the clean aperture, or the whole image.
        fileprivate func area(in size: PixelSize) throws(ImageDecodingError) -> PixelArea {
            for case .aperture(let aperture) in self {
                guard let area = aperture.area(in: size) else {
                    throw .malformed(.heic, "the clean aperture exceeds the image")
                }
                return area
            }
            return PixelArea(size: size)
        }
    }
#endif
