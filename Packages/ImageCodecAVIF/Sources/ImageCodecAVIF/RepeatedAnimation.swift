#if AVIF
    import ISOBoxes
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Adds edit lists to an animation written by libavif, because versions before 1.0 don't write how often it repeats.
    ///
    /// Each track gets a box `edts` after its header. The durations of the movie and the tracks become those of all
    /// repetitions. The changed box `moov` is appended, and the original one is marked as free, so that no offset changes.
    struct RepeatedAnimation {
        private var reader: BoxReader
        /// The duration of one repetition.
        private let duration: Int
        private let total: UInt64

        /// Returns a file with a loop count above 0. A file that has edit lists isn't changed.
        static func file(_ file: Data, loopCount: Int) throws(EncodingFailure) -> Data {
            do {
                var reader = BoxReader(file, format: .avif)
                guard let movie = try reader.fileBoxes().first(where: { $0.name == "moov" }),
                    let header = try reader.boxes(in: movie.content).first(where: { $0.name == "mvhd" }),
                    let duration = reader.integer(at: header.content.lowerBound + 24, length: 8)
                else { throw unknownLayout }
                let tracks = try reader.boxes(in: [movie], named: "trak")
                guard try reader.boxes(in: tracks, named: "edts").isEmpty else { return file }
                let (product, isTooLong) = UInt64(duration).multipliedReportingOverflow(by: UInt64(loopCount))
                var animation = Self(reader: reader, duration: duration, total: isTooLong ? .max : product)
                let changed = try animation.changed(movie)
                return file.replacing(at: movie.offset + 4, with: Data("free".utf8)) + changed
            } catch let failure as EncodingFailure {
                throw failure
            } catch {
                throw unknownLayout
            }
        }

        private static let unknownLayout = EncodingFailure.failed(.avif, "libavif wrote an unknown kind of file")

        private mutating func changed(_ box: Box) throws -> Data {
            let content = reader.bytes(in: box.content)
            switch box.name {
            case "moov", "trak":
                var parts = Data()
                for part in try reader.boxes(in: box.content) { parts += try changed(part) }
                return Self.box(box.name, parts)
            case "mvhd" where content.first == 1:
                return Self.box(box.name, content.replacing(at: 24, with: total.bytes))
            case "tkhd" where content.first == 1:
                return Self.box(box.name, content.replacing(at: 28, with: total.bytes)) + editList
            case "mvhd", "tkhd": throw Self.unknownLayout
            default: return Self.box(box.name, content)
            }
        }

        /// The boxes `edts` and `elst` (ISO/IEC 14496-12, 8.6.6) for a repeated segment.
        private var editList: Data {
            // Version 1 and the flag for repetition; one entry: duration, media time 0, rate 1.0.
            let entry = UInt64(duration).bytes + Data(count: 8) + Data([0, 1, 0, 0])
            return Self.box("edts", Self.box("elst", Data([1, 0, 0, 1, 0, 0, 0, 1]) + entry))
        }

        private static func box(_ name: String, _ content: Data) -> Data {
            UInt64(content.count + 8).bytes.suffix(4) + Data(name.utf8) + content
        }
    }

    extension UInt64 {
        fileprivate var bytes: Data { Data((0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * UInt64($0))) }) }
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
#endif
