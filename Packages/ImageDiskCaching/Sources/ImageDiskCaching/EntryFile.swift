import CImageDiskCaching
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The format of the file of an entry.
///
/// ```text
/// payload
/// key, UTF-8
/// metadata
/// trailer of 48 bytes, little-endian:
///   createdAt        8  seconds since 2001-01-01 UTC, IEEE 754 double
///   payload length   8
///   key length       4
///   metadata length  4
///   version          4  3
///   magic            4  "SILe"
///   checksum        16  two sums of all bytes before it, see EntryChecksum
/// ```
/// The payload is first, so that it can be written before its length is known, and other programs can open the file.
/// The modification time of the file is the time of the last use.
struct EntryFile {
    static let trailerSize = 48
    private static let version: UInt32 = 3
    private static let magic: UInt32 = 0x654C_4953

    let createdAt: Date
    let payload: Range<Int>
    let key: Range<Int>
    let metadata: Range<Int>
    let checksum: EntryChecksum

    /// Returns the length of the file of an entry.
    static func byteCount(of entry: DataCacheEntry, for key: DataCacheKey) -> Int {
        entry.data.count + key.source.utf8.count + entry.metadata.count + trailerSize
    }

    /// Parses a trailer. Returns nil unless the lengths add up to that of the file.
    init?(trailer: Data, fileSize: Int) {
        guard trailer.count == Self.trailerSize else { return nil }
        let bytes = [UInt8](trailer)
        func number(_ offset: Int, _ byteCount: Int) -> UInt64 {
            bytes[offset..<offset + byteCount].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard number(24, 4) == Self.version, number(28, 4) == Self.magic,
            let payloadLength = Int(exactly: number(8, 8)), payloadLength <= fileSize
        else { return nil }
        let keyEnd = payloadLength + Int(number(16, 4))
        let metadataEnd = keyEnd + Int(number(20, 4))
        guard metadataEnd + Self.trailerSize == fileSize else { return nil }
        createdAt = Date(timeIntervalSinceReferenceDate: Double(bitPattern: number(0, 8)))
        payload = 0..<payloadLength
        key = payloadLength..<keyEnd
        metadata = keyEnd..<metadataEnd
        checksum = EntryChecksum(first: number(32, 8), second: number(40, 8))
    }

    /// Parses a whole file. Returns nil if it is truncated, altered, or of another version.
    init?(_ file: Data) {
        self.init(trailer: file.suffix(Self.trailerSize), fileSize: file.count)
        var sum = EntryChecksum()
        sum.add(file.dropLast(EntryChecksum.byteCount))
        if sum != checksum { return nil }
    }

    /// Returns the parts of a file after the payload.
    ///
    /// - Parameters:
    ///   - rest: The last bytes of the payload, which are not in `checksum` yet.
    ///   - checksum: The checksum of the bytes before `rest`, whose number is a multiple of 8.
    static func tail(
        after rest: Data, payloadLength: Int, checksum: EntryChecksum, key: DataCacheKey, metadata: Data,
        createdAt: Date
    ) throws -> Data {
        guard let keyLength = UInt32(exactly: key.source.utf8.count),
            let metadataLength = UInt32(exactly: metadata.count)
        else { throw DataCacheFailure.tooLarge(bytes: metadata.count, allowed: Int(UInt32.max)) }
        var tail = rest
        tail.append(contentsOf: key.source.utf8)
        tail.append(metadata)
        tail.append(createdAt.timeIntervalSinceReferenceDate.bitPattern)
        tail.append(UInt64(payloadLength))
        tail.append(keyLength)
        tail.append(metadataLength)
        tail.append(version)
        tail.append(magic)
        var sum = checksum
        sum.add(tail)
        tail.append(sum.first)
        tail.append(sum.second)
        return tail
    }
}

/// A checksum that detects damage. Like Fletcher's and that of ZFS, it consists of the sum of all words and the sum of
/// all intermediate sums. Any damage within eight bytes changes the first sum; moved bytes change the second one.
struct EntryChecksum: Equatable {
    static let byteCount = 16

    var first: UInt64 = 0
    var second: UInt64 = 0

    /// Adds bytes. Their number is a multiple of 8, except for the last ones.
    mutating func add(_ bytes: Data) {
        var sums = [first, second]
        // The function reads only the bytes, and writes the two sums.
        unsafe bytes.withUnsafeBytes { unsafe disk_checksum(&sums, $0.baseAddress, $0.count) }
        first = sums[0]
        second = sums[1]
    }
}

extension Data {
    /// Appends a number, little-endian.
    fileprivate mutating func append(_ number: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: 0, to: number.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
