#if HEIF
    import CTestHEIF
    import Foundation
    import GeneratedImages
    import ImageCodecHEIF
    import ImageCore
    import ImageTesting

    /// Gray pictures, encoded as a sequence in which pictures refer to others.
    struct TestSequence {
        let size = PixelSize(width: 64, height: 64)
        /// The pixels of each decoded frame.
        private(set) var frames: [[UInt8]] = []
        /// The frame of each sample.
        private(set) var order: [Int] = []
        var track: HEIFSequenceBuilder.Track

        /// x265 isn't safe when its first encoders are opened on several threads.
        private static let setUp = Result { _ = try HEIFEncoder().encode(Scene.bitmap(64, 64), options: .init()) }

        /// - Parameter options: The parameters of x265, as `name=value:name=value`. The decoded pictures that it returns are not filtered if
        ///   they have one row of blocks (`ctu`).
        init(count: Int, options: String) throws {
            try Self.setUp.get()
            let planes = TestPlanes(size: size, chroma: 0, bitDepth: 8)
            var samples: [UInt8] = []
            for frame in 0..<count {
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        samples.append(UInt8(planes.sample(0, x + 3 * frame, y) / 2 + (x * y + 7 * frame) % 40))
                    }
                }
            }
            let (stream, sets, lengths, order) = Self.encode(&samples, size, count: count, options)
            var (coded, rest) = ([Data](), stream.dropFirst(sets))
            for length in lengths {
                coded.append(Data(rest.prefix(length)))
                rest = rest.dropFirst(length)
            }
            self.order = order
            let area = size.area
            frames = (0..<count).map { Array(samples[$0 * area..<($0 + 1) * area]) }
            let configuration = try Self.configuration(of: stream.prefix(sets))
            track = HEIFSequenceBuilder.Track(size: size, configuration: configuration, samples: coded)
            track.delays = order.enumerated().map { 40 * ($1 - $0 + count) }
            let color = HEIFBuilder.color(primaries: 1, transfer: 13, matrix: 6, isFullRange: true)
            track.entryBoxes = HEIFBuilder.box("colr", color)
        }

        /// Returns up to 250 frames that depend on those before them, in the order in which they are shown.
        static func chain(count: Int) throws -> TestSequence {
            try TestSequence(count: count, options: "bframes=0:scenecut=0:qp=40:ctu=16")
        }

        private static func encode(
            _ samples: inout [UInt8], _ size: PixelSize, count: Int, _ options: String
        ) -> (stream: Data, sets: Int, lengths: [Int], order: [Int]) {
            var (sets, length) = (0, 0)
            var (lengths, order) = (Array(repeating: 0, count: count), Array(repeating: CInt(0), count: count))
            let bytes = unsafe test_heif_encode_sequence(
                &samples, CInt(size.width), CInt(size.height), CInt(count), options, &sets, &lengths, &order, &length)
            defer { unsafe free(bytes) }
            let stream = unsafe bytes.map { unsafe Data(bytes: $0, count: length) } ?? Data()
            return (stream, sets, lengths, order.map(Int.init))
        }

        /// Returns the content of an `hvcC` box with parameter sets, each after its length.
        private static func configuration(of sets: Data) throws -> Data {
            var (rest, arrays) = (Data(sets), [Data]())
            while rest.count > 4 {
                let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                let unit = Data(rest.dropFirst(4).prefix(length))
                arrays.append(Data([unit[0] >> 1, 0, 1]) + HEIFBuilder.number(length, 2) + unit)
                rest = Data(rest.dropFirst(4 + length))
            }
            return Data([1]) + Data(count: 20) + Data([0xFF, UInt8(arrays.count)]) + Data(arrays.joined())
        }

        /// Returns the file, changed.
        func file(_ change: (inout HEIFSequenceBuilder) -> Void = { _ in }) -> Data {
            var builder = HEIFSequenceBuilder(track)
            change(&builder)
            return builder.file()
        }
    }
#endif
