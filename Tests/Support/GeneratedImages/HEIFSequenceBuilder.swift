public import Foundation
public import ImageCore

/// Builds valid and invalid files with image sequences (ISO/IEC 14496-12, 8; ISO/IEC 23008-12, 7).
public struct HEIFSequenceBuilder {
    /// A track of pictures.
    public struct Track: Sendable {
        public var size: PixelSize
        /// The content of the `hvcC` box.
        public var configuration: Data
        /// The pictures in the order of decoding: NAL units, each after its length.
        public var samples: [Data]
        /// Boxes that follow the configuration in the sample entry.
        public var entryBoxes = Data()
        /// A box `tref`, or nothing.
        public var reference = Data()
        /// The runs of durations, each a count and a number of milliseconds.
        public var durations: [(count: Int, value: Int)]
        /// How much later than decoded each sample is shown, in milliseconds. Without, the box is missing.
        public var delays: [Int] = []
        /// The numbers a, b, c and d of the matrix.
        public var matrix = [1, 0, 0, 1]
        /// The flags of an edit list and the duration of its segment and of the track. Without, the box is missing.
        public var edits: (flags: Int, segment: Int, total: Int)?
        public var samplesPerChunk = 1
        public var hasLargeOffsets = false
        /// Whether times have 64 bits.
        public var hasLargeTimes = false

        public init(size: PixelSize, configuration: Data, samples: [Data], duration: Int = 40) {
            self.size = size
            self.configuration = configuration
            self.samples = samples
            durations = [(samples.count, duration)]
        }

        /// Creates a track of pictures that are decoded without others.
        public init(_ images: [HEIFBuilder.Coded]) {
            self.init(size: images[0].size, configuration: images[0].configuration, samples: images.map(\.data))
        }
    }

    public var brand = "hevc"
    /// A box `meta`, or nothing.
    public var items = Data()
    public var tracks: [Track]

    public init(_ tracks: Track...) { self.tracks = tracks }

    /// Returns the file, with the data of the tracks one after the other at its end.
    public func file() -> Data {
        let type = HEIFBuilder.box("ftyp", Data(brand.utf8) + Data(count: 4) + Data("msf1hevc".utf8)) + items
        // The length of the movie does not depend on the offset of the data.
        let data = HEIFBuilder.box("mdat", Data(tracks.flatMap(\.samples).joined()))
        return type + movie(offset: type.count + movie(offset: 0).count + 8) + data
    }

    private func movie(offset: Int) -> Data {
        var (boxes, offset) = (Data(), offset)
        for (index, track) in tracks.enumerated() {
            boxes += track.box(id: index + 1, offset: offset)
            offset += track.samples.reduce(0) { $0 + $1.count }
        }
        return HEIFBuilder.box("moov", boxes)
    }
}

extension HEIFSequenceBuilder.Track {
    fileprivate func box(id: Int, offset: Int) -> Data {
        let (a, b, c, d) = (matrix[0], matrix[1], matrix[2], matrix[3])
        let places = [a, b, 0, c, d, 0, 0, 0, 0].map { HEIFBuilder.number($0 << 16) }
        let header = times + HEIFBuilder.number(id) + Data(count: 4) + time(edits?.total ?? 0)
        let list = edits.map { edits in
            Self.numbers([version | edits.flags, 1]) + time(edits.segment) + time(0) + HEIFBuilder.number(1 << 16)
        }
        return HEIFBuilder.box(
            "trak",
            HEIFBuilder.box("tkhd", header + Data(count: 16) + Data(places.joined()) + Data(count: 8)) + reference
                + (list.map { HEIFBuilder.box("edts", HEIFBuilder.box("elst", $0)) } ?? Data())
                + HEIFBuilder.box("mdia", media(offset: offset)))
    }

    private var version: Int { hasLargeTimes ? 1 << 24 : 0 }

    private func time(_ value: Int) -> Data { HEIFBuilder.number(value, hasLargeTimes ? 8 : 4) }

    /// The version of a header, and the times of creation and change.
    private var times: Data { HEIFBuilder.number(version) + time(0) + time(0) }

    private func media(offset: Int) -> Data {
        let entry = HEIFBuilder.box(
            "hvc1", Data(count: 78) + HEIFBuilder.box("hvcC", configuration) + entryBoxes)
        var tables = HEIFBuilder.box("stsd", Self.numbers([0, 1]) + entry)
        tables += table("stts", durations.map { [$0.count, $0.value] })
        if !delays.isEmpty { tables += table("ctts", delays.map { [1, $0] }) }
        tables += HEIFBuilder.box("stsz", Self.numbers([0, 0, samples.count] + samples.map(\.count)))
        tables += table("stsc", [[1, samplesPerChunk, 1]])
        let chunks = stride(from: 0, to: samples.count, by: samplesPerChunk).map { first in
            offset + samples.prefix(first).reduce(0) { $0 + $1.count }
        }
        let places = Data(chunks.map { HEIFBuilder.number($0, hasLargeOffsets ? 8 : 4) }.joined())
        tables += HEIFBuilder.box(hasLargeOffsets ? "co64" : "stco", Self.numbers([0, chunks.count]) + places)
        return HEIFBuilder.box("mdhd", times + HEIFBuilder.number(1000) + Data(count: 8))
            + HEIFBuilder.box("minf", HEIFBuilder.box("stbl", tables))
    }

    private func table(_ name: String, _ rows: [[Int]]) -> Data {
        HEIFBuilder.box(name, Self.numbers([0, rows.count] + rows.joined()))
    }

    private static func numbers(_ numbers: [Int]) -> Data { Data(numbers.map { HEIFBuilder.number($0) }.joined()) }
}
