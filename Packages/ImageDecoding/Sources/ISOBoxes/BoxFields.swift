package import ImageCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Reads consecutive fields of a box. Functions throw `.malformed` at the end of the box.
package struct BoxFields {
    private let reader: BoxReader
    private var offset: Int
    private let end: Int
    /// The version of a full box; 0 before `readVersion`.
    package private(set) var version = 0
    /// The flags of a full box.
    package private(set) var flags = 0

    init(_ reader: BoxReader, in range: Range<Int>) {
        self.reader = reader
        offset = range.lowerBound
        end = range.upperBound
    }

    /// The part of the box that was not read.
    package var rest: Range<Int> { offset..<end }

    /// Reads a big-endian number of 0 to 8 bytes.
    package mutating func integer(_ length: Int) throws(DecodingFailure) -> Int {
        guard length <= end - offset, let value = reader.integer(at: offset, length: length) else {
            throw .malformed(reader.format, "a box ends too early")
        }
        offset += length
        return value
    }

    /// Reads bytes.
    package mutating func bytes(_ count: Int) throws(DecodingFailure) -> Data {
        guard count <= end - offset else { throw .malformed(reader.format, "a box ends too early") }
        defer { offset += count }
        return reader.bytes(in: offset..<offset + count)
    }

    /// Reads four characters.
    package mutating func name() throws(DecodingFailure) -> String { String(decoding: try bytes(4), as: UTF8.self) }

    /// Reads a string up to the next zero byte, which must be within the first 100 bytes.
    package mutating func text() throws(DecodingFailure) -> String {
        var bytes: [UInt8] = []
        while bytes.count < 100 {
            let byte = try integer(1)
            if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(UInt8(byte))
        }
        return ""
    }

    /// Reads the version and flags of a full box (ISO/IEC 14496-12, 4.2.2).
    package mutating func readVersion() throws(DecodingFailure) {
        version = try integer(1)
        flags = try integer(3)
    }
}
