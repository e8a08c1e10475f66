#if AVIF
    import ISOBoxes
    import ImageCore

    /// Adds edit lists to an animation written by libavif, because versions before 1.0 don't write how often it
    /// repeats.
    ///
    /// Each track gets a box `edts` after its header. The durations of the movie and the tracks become those of all
    /// repetitions. The coded data comes after these boxes, so its offsets grow. The times of creation become 0, so that
    /// equal images have equal files.
    struct RepeatedAnimation {
        private var reader: BoxReader
        /// The duration of one repetition.
        private let duration: Int
        /// The duration of all repetitions. All bits are 1 if there is no end.
        private let total: UInt64
        /// The bytes of all edit lists.
        private let growth: Int

        /// Returns a file that plays a number of times, or forever for 0. A file that has edit lists isn't changed.
        static func file(_ file: Data, loopCount: Int) throws(ImageEncodingError) -> Data {
            do {
                var reader = BoxReader(file, format: .avif)
                let boxes = try reader.fileBoxes()
                let movie = boxes.filter { $0.name == "moov" }
                let tracks = try reader.boxes(in: movie, named: "trak")
                guard try reader.boxes(in: tracks, named: "edts").isEmpty else { return file }
                guard boxes.map(\.name) == ["ftyp", "meta", "moov", "mdat"],
                    let header = try reader.boxes(in: movie, named: "mvhd").first,
                    let duration = reader.data.bigEndian(at: header.content.lowerBound + 24, 8)
                else { throw unknownLayout }
                let (product, isTooLong) = UInt64(duration).multipliedReportingOverflow(by: UInt64(loopCount))
                var animation = Self(
                    reader: reader, duration: duration, total: loopCount == 0 || isTooLong ? .max : product,
                    growth: tracks.count * editList(duration).count)
                return try boxes.reduce(into: Data()) { file, box in file += try animation.changed(box) }
            } catch let failure as ImageEncodingError {
                throw failure
            } catch {
                throw unknownLayout
            }
        }

        private static let unknownLayout = ImageEncodingError.failed(.avif, "libavif wrote an unknown kind of file")

        private mutating func changed(_ box: Box) throws -> Data {
            var content = reader.bytes(in: box.content)
            switch box.name {
            case "moov", "trak", "mdia", "minf", "stbl", "meta":
                // The version of `meta` comes before its boxes.
                let start = box.content.lowerBound + (box.name == "meta" ? 4 : 0)
                var parts = reader.bytes(in: box.content.lowerBound..<start)
                for part in try reader.boxes(in: start..<box.content.upperBound) { parts += try changed(part) }
                return Self.box(box.name, parts)
            case "stco", "iloc":
                for place in try box.name == "stco" ? chunkPlaces(box) : itemPlaces(box) {
                    let offset = UInt64(reader.data.bigEndian(at: place, 4) ?? 0) + UInt64(growth)
                    content = content.replacing(at: place - box.content.lowerBound, with: offset.bytes.suffix(4))
                }
                return Self.box(box.name, content)
            case "mvhd" where content.first == 1:
                return Self.box(box.name, content.withoutTimes.replacing(at: 24, with: total.bytes))
            case "tkhd" where content.first == 1:
                let header = content.withoutTimes.replacing(at: 28, with: total.bytes)
                return Self.box(box.name, header) + Self.editList(duration)
            case "mdhd" where content.first == 1: return Self.box(box.name, content.withoutTimes)
            case "mvhd", "tkhd", "mdhd": throw Self.unknownLayout
            default: return Self.box(box.name, content)
            }
        }

        /// Returns the places of the offsets of chunks (ISO/IEC 14496-12, 8.7.5).
        private func chunkPlaces(_ box: Box) -> [Int] {
            Array(stride(from: box.content.lowerBound + 8, to: box.content.upperBound, by: 4))
        }

        /// Returns the places of the offsets of items (ISO/IEC 14496-12, 8.11.3), which libavif writes in version 0 with
        /// offsets and lengths of 4 bytes, and without base offsets.
        private func itemPlaces(_ box: Box) throws -> [Int] {
            var fields = reader.fields(in: box.content)
            guard try fields.bytes(6) == Data([0, 0, 0, 0, 0x44, 0]) else { throw Self.unknownLayout }
            var places: [Int] = []
            for _ in 0..<(try fields.integer(2)) {
                _ = try fields.bytes(4)
                for _ in 0..<(try fields.integer(2)) {
                    places.append(fields.rest.lowerBound)
                    _ = try fields.bytes(8)
                }
            }
            return places
        }

        /// Returns the boxes `edts` and `elst` (ISO/IEC 14496-12, 8.6.6) for a repeated segment.
        private static func editList(_ duration: Int) -> Data {
            // Version 1 and the flag for repetition; one entry: duration, media time 0, rate 1.0.
            let entry = UInt64(duration).bytes + Data(count: 8) + Data([0, 1, 0, 0])
            return box("edts", box("elst", Data([1, 0, 0, 1, 0, 0, 0, 1]) + entry))
        }

        private static func box(_ name: String, _ content: Data) -> Data {
            UInt64(content.count + 8).bytes.suffix(4) + Data(name.utf8) + content
        }
    }

    extension Data {
        /// The content of a header of version 1 (ISO/IEC 14496-12, 8.2.2, 8.3.2 and 8.4.2) without the times of creation
        /// and modification.
        fileprivate var withoutTimes: Data { replacing(at: 4, with: Data(count: 16)) }
    }

    extension UInt64 {
        fileprivate var bytes: Data { Data((0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * UInt64($0))) }) }
    }
#endif
