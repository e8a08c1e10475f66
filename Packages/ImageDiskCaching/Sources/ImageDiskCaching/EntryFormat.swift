package import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How an entry lies in its file.
///
/// ```text
/// payload | key, UTF-8 | metadata | trailer of 40 bytes, little-endian:
///   createdAt        8  seconds since 2001-01-01 UTC, IEEE 754 double
///   payload length   8
///   key length       4
///   metadata length  4
///   checksum         8  XXH64 of key, metadata and the 24 bytes above, its seed the XXH64 of the payload
///   version          4  1
///   magic            4  "SILe"
/// ```
/// The payload comes first so that it is read into the buffer that the caller gets, without a copy, so that it can be streamed
/// to the file before its length is known, and so that other programs can open the file as the picture it is.
/// Version and magic end the file in every version; the rest may change with the version.
package enum EntryFormat {
    package static let trailerSize = 40
    private static let version: UInt32 = 1
    private static let magic = UInt32(littleEndian: 0x6549_4C53)

    /// Where things are in a file that is whole.
    package struct Layout {
        var payload: Range<Int>
        var key: Range<Int>
        var metadata: Range<Int>
        var createdAt: Date
    }

    package enum Verdict {
        case whole(Layout)
        /// Written by an older or newer version of this room: not ours to judge, nor to remove.
        case otherVersion
        case damaged
    }

    /// What follows the payload. Nil when the key or the metadata is 4 GiB or longer.
    package static func tail(of entry: DataCacheEntry, for key: DataCacheKey) -> [UInt8]? {
        let name = Array(key.source.utf8)
        guard let keyLength = UInt32(exactly: name.count), let metadataLength = UInt32(exactly: entry.metadata.count)
        else { return nil }
        var tail = name
        tail.reserveCapacity(name.count + entry.metadata.count + trailerSize)
        tail.append(contentsOf: entry.metadata)
        append(entry.createdAt.timeIntervalSinceReferenceDate.bitPattern, to: &tail)
        append(UInt64(entry.data.count), to: &tail)
        append(keyLength, to: &tail)
        append(metadataLength, to: &tail)
        // Bytes are bytes: no padding can show.
        let sum = unsafe checksum(payload: entry.data.bytes, rest: tail.span.bytes)
        append(sum, to: &tail)
        append(version, to: &tail)
        append(magic, to: &tail)
        return tail
    }

    /// Judges the bytes of a whole file. Never traps, whatever they are.
    package static func judge(_ file: RawSpan) -> Verdict {
        guard file.byteCount >= trailerSize else { return .damaged }
        let end = file.byteCount
        guard number(file, end - 4, UInt32.self) == magic else { return .damaged }
        guard number(file, end - 8, UInt32.self) == version else { return .otherVersion }
        guard let layout = layout(of: file, trailer: end - trailerSize) else { return .damaged }
        let sum = checksum(
            payload: file.extracting(layout.payload), rest: file.extracting(layout.key.lowerBound..<end - 16))
        return sum == number(file, end - 16, UInt64.self) ? .whole(layout) : .damaged
    }

    /// Nil when the lengths don't add up to the file's.
    private static func layout(of file: RawSpan, trailer: Int) -> Layout? {
        let keyLength = Int(number(file, trailer + 16, UInt32.self))
        let metadataLength = Int(number(file, trailer + 20, UInt32.self))
        let beforeTrailer = trailer - keyLength - metadataLength
        guard beforeTrailer >= 0, UInt64(beforeTrailer) == number(file, trailer + 8, UInt64.self) else { return nil }
        let seconds = Double(bitPattern: number(file, trailer, UInt64.self))
        return Layout(
            payload: 0..<beforeTrailer, key: beforeTrailer..<beforeTrailer + keyLength,
            metadata: beforeTrailer + keyLength..<trailer, createdAt: Date(timeIntervalSinceReferenceDate: seconds))
    }

    private static func checksum(payload: RawSpan, rest: RawSpan) -> UInt64 {
        XXH64.checksum(of: rest, seed: XXH64.checksum(of: payload))
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        for index in 0..<number.bitWidth / 8 { bytes.append(UInt8(truncatingIfNeeded: number >> (index * 8))) }
    }

    private static func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: RawSpan, _ offset: Int, _ type: Number.Type
    ) -> Number {
        // Any bytes are a valid integer; the span checks the bounds.
        Number(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }
}
