import CImageDiskCaching
import ImageCore

/// The format of the file of an entry.
///
/// ```text
/// payload
/// key, UTF-8
/// metadata
/// trailer of 48 bytes, little-endian:
///   creationDate     8  seconds since 2001-01-01 UTC, IEEE 754 double
///   payload length   8
///   key length       4
///   metadata length  4
///   version          4  4
///   magic            4  "SILe"
///   checksum        16  two sums of all bytes before it, see EntryChecksum
/// ```
/// The payload is first, so that it can be written before its length is known, and other programs can open the file.
/// The modification time of the file is the time of the last use.
struct EntryFile {
    static let trailerSize = 48
    private static let version: UInt32 = 4
    private static let magic: UInt32 = 0x654C_4953

    let creationDate: Date
    let payload: Range<Int>
    let key: Range<Int>
    let metadata: Range<Int>
    /// The sums of `EntryChecksum`.
    let sums: [UInt64]

    /// Parses a trailer. Returns nil unless the lengths add up to that of the file.
    init?(trailer: Data, fileSize: Int) {
        guard trailer.count == Self.trailerSize, trailer.number(at: 24, 4) == Self.version,
            trailer.number(at: 28, 4) == Self.magic, let payloadLength = Int(exactly: trailer.number(at: 8, 8)),
            let keyLength = Int(exactly: trailer.number(at: 16, 4)), payloadLength <= fileSize,
            keyLength <= fileSize - payloadLength
        else { return nil }
        let keyEnd = payloadLength + keyLength
        let metadataEnd = fileSize - Self.trailerSize
        guard trailer.number(at: 20, 4) == metadataEnd - keyEnd else { return nil }
        creationDate = Date(timeIntervalSinceReferenceDate: Double(bitPattern: trailer.number(at: 0, 8)))
        payload = 0..<payloadLength
        key = payloadLength..<keyEnd
        metadata = keyEnd..<metadataEnd
        sums = [trailer.number(at: 32, 8), trailer.number(at: 40, 8)]
    }

    /// Parses a whole file. Returns nil if it is truncated, altered, or of another version.
    init?(_ file: Data) {
        self.init(trailer: file.suffix(Self.trailerSize), fileSize: file.count)
        var checksum = EntryChecksum()
        checksum.add(file.dropLast(EntryChecksum.byteCount))
        if checksum.sums != sums { return nil }
    }

    /// Returns the parts of a file after the payload.
    static func tail(
        _ payloadLength: Int, _ payloadChecksum: EntryChecksum, _ key: DataCacheKey, _ metadata: Data,
        _ creationDate: Date
    ) throws -> Data {
        guard let keyLength = UInt32(exactly: key.identifier.utf8.count),
            let metadataLength = UInt32(exactly: metadata.count)
        else { throw DataCacheError.tooLarge(byteCount: metadata.count, byteLimit: Int(clamping: UInt32.max)) }
        var tail = Array(key.identifier.utf8) + metadata
        tail.append(creationDate.timeIntervalSinceReferenceDate.bitPattern)
        tail.append(UInt64(payloadLength))
        for number in [keyLength, metadataLength, version, magic] { tail.append(number) }
        var checksum = payloadChecksum
        checksum.add(Data(tail))
        for sum in checksum.sums { tail.append(sum) }
        return Data(tail)
    }
}

/// A checksum that detects damage. Like Fletcher's and that of ZFS, it consists of the sum of all words and the sum of
/// all intermediate sums, both modulo 2^64.
///
/// A word has 32 bits, so that no bit is lost. In files of less than 16 GiB, one flipped bit, any two, and any damage
/// within eight bytes change a sum. Bits that are stuck at one value, however many, change the first sum; moved bytes
/// change the second one.
struct EntryChecksum {
    static let byteCount = 16

    private(set) var sums: [UInt64] = [0, 0]
    /// The number of bytes of the last word, modulo 4.
    private var partialCount = 0

    /// Adds bytes. The last word, which may be incomplete, is counted as if zeros followed.
    mutating func add(_ bytes: Data) {
        // The last word is in each sum once, and so are the bytes that complete it.
        let rest = bytes.prefix(-partialCount & 3)
        for byte in rest {
            let word = UInt64(byte) << (8 * partialCount)
            sums[0] &+= word
            sums[1] &+= word
            partialCount = (partialCount + 1) & 3
        }
        let words = bytes.dropFirst(rest.count)
        // The function reads only the bytes, and writes the two sums.
        unsafe words.withUnsafeBytes { unsafe disk_checksum(&sums, $0.baseAddress, $0.count) }
        partialCount = (partialCount + words.count) & 3
    }
}

extension [UInt8] {
    /// Appends the bytes of a number, little-endian.
    mutating func append(_ number: some FixedWidthInteger & UnsignedInteger) {
        append(littleEndian: number)
    }
}

extension Data {
    /// Returns the little-endian number of up to 8 bytes at an offset, or 0 beyond the end.
    func number(at offset: Int, _ byteCount: Int) -> UInt64 {
        littleEndian(at: offset, byteCount, as: UInt64.self) ?? 0
    }
}
