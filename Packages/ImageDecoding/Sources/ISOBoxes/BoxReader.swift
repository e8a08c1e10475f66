package import ImageCore

/// A box of the ISO base media file format (ISO/IEC 14496-12, 4.2).
package struct Box: Hashable {
    /// The four characters of its type.
    package var name: String
    /// The offset of its header in the file.
    package var offset: Int
    /// The range of its content in the file.
    package var content: Range<Int>
}

/// Reads boxes and big-endian numbers of a file. All functions check bounds.
package struct BoxReader {
    /// The file.
    package let data: Data
    /// The format that errors name.
    let format: ImageFormat
    /// The number of boxes, items, properties, references and extents that may still be read.
    ///
    /// Each takes a few bytes of the file but several times as much memory. The time of libavif grows with their
    /// square.
    private var budget = 10_000

    package init(_ data: Data, format: ImageFormat) {
        self.data = data
        self.format = format
    }

    /// Counts entries of the file. Throws `.malformed` if there are more than 10,000.
    mutating func spend(_ count: Int = 1) throws(ImageDecodingError) {
        budget -= count
        if budget < 0 { throw .malformed(format, "too many boxes, items or references") }
    }

    /// Returns the bytes in a range, as far as the file has them.
    package func bytes(in range: Range<Int>) -> Data { data.dropFirst(range.lowerBound).prefix(range.count) }

    /// Returns four characters, or fewer at the end of the file.
    package func name(at offset: Int) -> String {
        String(decoding: bytes(in: offset..<offset + 4), as: UTF8.self)
    }

    /// Returns the fields of a box.
    package func fields(in content: Range<Int>) -> BoxFields { BoxFields(self, in: content) }

    /// Returns the box at an offset, whose end may be beyond `end`. Returns nil if its header is incomplete or wrong.
    private func box(at offset: Int, end: Int) -> Box? {
        guard offset <= end - 8, let size = data.bigEndian(at: offset, 4) else { return nil }
        var (header, length) = (8, size)
        if size == 1 {
            guard offset <= end - 16, let large = data.bigEndian(at: offset + 8, 8) else { return nil }
            (header, length) = (16, large)
        } else if size == 0 {
            length = end - offset
        }
        guard length >= header, length <= Int.max - offset else { return nil }
        return Box(name: name(at: offset + 4), offset: offset, content: offset + header..<offset + length)
    }

    /// Returns the boxes of the file up to an invalid header. The content of the last one may exceed the file.
    package mutating func fileBoxes() throws(ImageDecodingError) -> [Box] {
        var boxes: [Box] = []
        while let box = box(at: boxes.last?.content.upperBound ?? 0, end: data.count) {
            try spend()
            boxes.append(box)
        }
        return boxes
    }

    /// Returns the boxes in a range. Throws `.malformed` if a box exceeds it.
    package mutating func boxes(in range: Range<Int>) throws(ImageDecodingError) -> [Box] {
        var boxes: [Box] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            try spend()
            guard let box = box(at: offset, end: range.upperBound), box.content.upperBound <= range.upperBound else {
                throw .malformed(format, "a box has an invalid size")
            }
            boxes.append(box)
            offset = box.content.upperBound
        }
        return boxes
    }

    /// Returns the boxes of one type in all parents.
    package mutating func boxes(in parents: [Box], named name: String) throws(ImageDecodingError) -> [Box] {
        var found: [Box] = []
        for parent in parents { found += try boxes(in: parent.content).filter { $0.name == name } }
        return found
    }
}

/// Reads consecutive fields of a box. Functions throw `.malformed` at the end of the box.
package struct BoxFields {
    private let reader: BoxReader
    private var offset: Int
    private let end: Int
    /// The version of a full box; 0 before `readVersion`.
    package private(set) var version = 0
    /// The flags of a full box.
    private(set) var flags = 0

    init(_ reader: BoxReader, in range: Range<Int>) {
        self.reader = reader
        offset = range.lowerBound
        end = range.upperBound
    }

    /// The part of the box that was not read.
    package var rest: Range<Int> { offset..<end }

    /// Reads a big-endian number of 0 to 8 bytes.
    package mutating func integer(_ length: Int) throws(ImageDecodingError) -> Int {
        guard length <= end - offset, let value = reader.data.bigEndian(at: offset, length) else {
            throw .malformed(reader.format, "a box ends too early")
        }
        offset += length
        return value
    }

    /// Reads bytes.
    package mutating func bytes(_ count: Int) throws(ImageDecodingError) -> Data {
        guard count <= end - offset else { throw .malformed(reader.format, "a box ends too early") }
        defer { offset += count }
        return reader.bytes(in: offset..<offset + count)
    }

    /// Reads four characters.
    package mutating func name() throws(ImageDecodingError) -> String { String(decoding: try bytes(4), as: UTF8.self) }

    /// Reads a string up to the next zero byte, which must be within the first 100 bytes.
    package mutating func text() throws(ImageDecodingError) -> String {
        var bytes: [UInt8] = []
        while bytes.count < 100 {
            let byte = try integer(1)
            if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(UInt8(byte))
        }
        return ""
    }

    /// Reads the version and flags of a full box (ISO/IEC 14496-12, 4.2.2).
    package mutating func readVersion() throws(ImageDecodingError) {
        version = try integer(1)
        flags = try integer(3)
    }
}
