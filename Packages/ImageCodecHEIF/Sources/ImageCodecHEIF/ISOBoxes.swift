#if HEIF
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// A box of the ISO base media file format (ISO/IEC 14496-12, 4.2).
    struct ISOBox {
        /// The four characters of its type.
        var name: String
        /// The range of its content in the file.
        var payload: Range<Int>
    }

    /// Reads boxes and numbers of a file. All functions check bounds.
    struct ISOReader {
        /// The file. Its indices start at 0.
        let data: Data
        /// The number of boxes, items, properties, references and extents that may still be read.
        ///
        /// Each takes a few bytes of the file but several times as much memory.
        private var budget = 10_000

        init(_ data: Data) { self.data = data }

        /// Counts entries of the file. Throws `.malformed` if there are more than 10,000.
        mutating func spend(_ count: Int = 1) throws(DecodingFailure) {
            budget -= count
            if budget < 0 { throw .malformed(.heic, "too many boxes, items or references") }
        }

        /// Returns a big-endian number, or nil beyond the end of the file or above `Int.max`.
        func integer(at offset: Int, length: Int) -> Int? {
            guard offset >= 0, length <= data.count, offset <= data.count - length else { return nil }
            let start = data.startIndex + offset
            let value = data[start..<start + length].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Int(exactly: value)
        }

        /// Returns four characters, or an empty string beyond the end of the file.
        func name(at offset: Int) -> String {
            guard offset >= 0, offset <= data.count - 4 else { return "" }
            let start = data.startIndex + offset
            return String(decoding: data[start..<start + 4], as: UTF8.self)
        }

        /// Returns the box at an offset, whose end may be beyond `end`. Returns nil if its header is incomplete or wrong.
        func box(at offset: Int, end: Int) -> ISOBox? {
            guard offset <= end - 8, let size = integer(at: offset, length: 4) else { return nil }
            var (header, length) = (8, size)
            if size == 1 {
                guard offset <= end - 16, let large = integer(at: offset + 8, length: 8) else { return nil }
                (header, length) = (16, large)
            } else if size == 0 {
                length = end - offset
            }
            guard length >= header, length <= Int.max - offset else { return nil }
            return ISOBox(name: name(at: offset + 4), payload: offset + header..<offset + length)
        }

        /// Returns the boxes in a range. Throws `.malformed` if a box exceeds it.
        mutating func boxes(in range: Range<Int>) throws(DecodingFailure) -> [ISOBox] {
            var boxes: [ISOBox] = []
            var offset = range.lowerBound
            while offset < range.upperBound {
                try spend()
                guard let box = box(at: offset, end: range.upperBound), box.payload.upperBound <= range.upperBound
                else {
                    throw .malformed(.heic, "a box has an invalid size")
                }
                boxes.append(box)
                offset = box.payload.upperBound
            }
            return boxes
        }
    }

    /// Reads consecutive fields of a box.
    struct ISOFields {
        private let reader: ISOReader
        private(set) var offset: Int
        private let end: Int
        /// The version of a full box; 0 before `readVersion`.
        private(set) var version = 0
        /// The flags of a full box.
        private(set) var flags = 0

        init(_ reader: ISOReader, in range: Range<Int>) {
            self.reader = reader
            (offset, end) = (range.lowerBound, range.upperBound)
        }

        /// The number of bytes that remain.
        var remaining: Int { end - offset }

        /// Reads a big-endian number of 0 to 8 bytes. Throws `.malformed` at the end of the box.
        mutating func integer(_ length: Int) throws(DecodingFailure) -> Int {
            guard length <= remaining, let value = reader.integer(at: offset, length: length) else {
                throw .malformed(.heic, "a box ends too early")
            }
            offset += length
            return value
        }

        /// Reads bytes. Throws `.malformed` at the end of the box.
        mutating func bytes(_ count: Int) throws(DecodingFailure) -> Data {
            guard count <= remaining else { throw .malformed(.heic, "a box ends too early") }
            defer { offset += count }
            return reader.data.dropFirst(offset).prefix(count)
        }

        /// Reads four characters.
        mutating func name() throws(DecodingFailure) -> String {
            let name = reader.name(at: offset)
            _ = try integer(4)
            return name
        }

        /// Reads a string up to the next zero byte, which must be within the first 100 bytes.
        mutating func text() throws(DecodingFailure) -> String {
            var bytes: [UInt8] = []
            while bytes.count < 100 {
                let byte = try integer(1)
                if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
                bytes.append(UInt8(byte))
            }
            return ""
        }

        /// Reads the version and flags of a full box (ISO/IEC 14496-12, 4.2.2).
        mutating func readVersion() throws(DecodingFailure) {
            version = try integer(1)
            flags = try integer(3)
        }
    }
#endif
