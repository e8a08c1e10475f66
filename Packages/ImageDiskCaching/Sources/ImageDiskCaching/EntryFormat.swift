package import ImageCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The format of an entry's file.
///
/// ```text
/// payload
/// checksums, 8 each      XXH3 of each block of 65,536 bytes of the payload; the last block can be shorter
/// key, UTF-8
/// metadata
/// trailer of 40 bytes, little-endian:
///   createdAt        8  seconds since 2001-01-01 UTC, IEEE 754 double
///   payload length   8
///   key length       4
///   metadata length  4
///   checksum         8  XXH3 of all bytes from the first block's checksum to here
///   version          4  2
///   magic            4  "SILe"
/// ```
/// The payload is first, so that the cache can return it without a copy and stream it before its length is known. Other
/// programs can open the file. Each block has a checksum, so that parts of the payload can be verified separately.
///
/// Files of all versions end with version and magic. All other parts can change. Version 1 had one XXH64 of the whole
/// file.
package enum EntryFormat {
    package static let trailerSize = 40
    package static let blockSize = 1 << 16
    private static let version: UInt32 = 2
    private static let magic = UInt32(littleEndian: 0x6549_4C53)

    /// The ranges of the parts of a file.
    package struct Layout: Sendable {
        package var payload: Range<Int>
        package var checksums: Range<Int>
        package var key: Range<Int>
        package var metadata: Range<Int>
        package var createdAt: Date
    }

    /// The result of validating a file.
    package enum ValidationResult {
        case intact(Layout)
        /// More bytes at the end of the file are needed.
        case needs(byteCount: Int)
        /// The file was written by another version of this module, and must not be removed.
        case otherVersion
        case damaged
    }

    /// The parts of an entry after its payload.
    package struct Tail {
        package var key: DataCacheKey
        package var metadata: Data
        package var createdAt: Date
        package var payloadLength: Int
        package var checksums: [UInt64]

        package init(key: DataCacheKey, metadata: Data, createdAt: Date, payloadLength: Int, checksums: [UInt64]) {
            self.key = key
            self.metadata = metadata
            self.createdAt = createdAt
            self.payloadLength = payloadLength
            self.checksums = checksums
        }

        package init(of entry: DataCacheEntry, for key: DataCacheKey) {
            self.init(
                key: key, metadata: entry.metadata, createdAt: entry.createdAt, payloadLength: entry.data.count,
                checksums: EntryFormat.checksums(of: entry.data.bytes))
        }

        /// The encoded parts. `nil` if the key or the metadata has 4 GiB or more.
        package var bytes: [UInt8]? {
            guard let keyLength = UInt32(exactly: key.source.utf8.count),
                let metadataLength = UInt32(exactly: metadata.count)
            else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(tailSize(payload: payloadLength, key: Int(keyLength), metadata: metadata.count))
            for sum in checksums { append(sum, to: &bytes) }
            bytes.append(contentsOf: key.source.utf8)
            bytes.append(contentsOf: metadata)
            append(createdAt.timeIntervalSinceReferenceDate.bitPattern, to: &bytes)
            append(UInt64(payloadLength), to: &bytes)
            append(keyLength, to: &bytes)
            append(metadataLength, to: &bytes)
            // A byte has no padding.
            append(unsafe Checksum.of(bytes.span.bytes), to: &bytes)
            append(version, to: &bytes)
            append(magic, to: &bytes)
            return bytes
        }
    }

    /// Returns the length of an entry's file without its payload.
    package static func tailSize(payload: Int, key: Int, metadata: Int) -> Int {
        blockCount(payload) * 8 + key + metadata + trailerSize
    }

    /// Returns the length of an entry's file.
    package static func fileSize(of entry: DataCacheEntry, for key: DataCacheKey) -> Int {
        entry.data.count
            + tailSize(payload: entry.data.count, key: key.source.utf8.count, metadata: entry.metadata.count)
    }

    /// Validates the bytes of a complete file. Never traps.
    package static func validate(_ file: RawSpan) -> ValidationResult {
        let result = validate(tail: file, fileSize: file.byteCount)
        guard case .intact(let layout) = result else { return result }
        return isIntact(file.extracting(layout.payload), firstBlock: 0, checksums: file.extracting(layout.checksums))
            ? result : .damaged
    }

    /// Validates all parts except the payload, given the end of a file. Never traps.
    package static func validate(tail: RawSpan, fileSize: Int) -> ValidationResult {
        let end = tail.byteCount
        guard end >= trailerSize else {
            return fileSize >= trailerSize ? .needs(byteCount: trailerSize) : .damaged
        }
        guard number(tail, end - 4, UInt32.self) == magic else { return .damaged }
        guard number(tail, end - 8, UInt32.self) == version else { return .otherVersion }
        guard let layout = layout(trailer: tail.extracting(end - trailerSize..<end), fileSize: fileSize) else {
            return .damaged
        }
        guard fileSize - layout.checksums.lowerBound <= end else {
            return .needs(byteCount: fileSize - layout.checksums.lowerBound)
        }
        let sum = Checksum.of(tail.extracting(end - (fileSize - layout.checksums.lowerBound)..<end - 16))
        return sum == number(tail, end - 16, UInt64.self) ? .intact(layout) : .damaged
    }

    /// Returns the checksums of the blocks of a payload.
    package static func checksums(of payload: RawSpan) -> [UInt64] {
        stride(from: 0, to: payload.byteCount, by: blockSize).map { start in
            Checksum.of(payload.extracting(start..<min(start + blockSize, payload.byteCount)))
        }
    }

    /// Returns true if complete blocks match their checksums. The number of the first block is `firstBlock`.
    package static func isIntact(_ blocks: RawSpan, firstBlock: Int, checksums: RawSpan) -> Bool {
        var block = firstBlock
        for start in stride(from: 0, to: blocks.byteCount, by: blockSize) {
            let bytes = blocks.extracting(start..<min(start + blockSize, blocks.byteCount))
            guard Checksum.of(bytes) == number(checksums, block * 8, UInt64.self) else { return false }
            block += 1
        }
        return true
    }

    private static func blockCount(_ payload: Int) -> Int { payload / blockSize + (payload % blockSize == 0 ? 0 : 1) }

    /// Parses a trailer. Returns nil if the lengths don't add up to the length of the file.
    private static func layout(trailer: RawSpan, fileSize: Int) -> Layout? {
        let key = Int(number(trailer, 16, UInt32.self))
        let metadata = Int(number(trailer, 20, UInt32.self))
        guard let payload = Int(exactly: number(trailer, 8, UInt64.self)), payload <= fileSize,
            payload + tailSize(payload: payload, key: key, metadata: metadata) == fileSize
        else { return nil }
        let metadataStart = fileSize - trailerSize - metadata
        let keyStart = metadataStart - key
        return Layout(
            payload: 0..<payload, checksums: payload..<keyStart, key: keyStart..<metadataStart,
            metadata: metadataStart..<fileSize - trailerSize,
            createdAt: Date(
                timeIntervalSinceReferenceDate: Double(bitPattern: number(trailer, 0, UInt64.self))))
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        // An integer has no padding.
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    private static func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: RawSpan, _ offset: Int, _ type: Number.Type
    ) -> Number {
        // Any bytes are a valid integer; the span checks the bounds.
        Number(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }
}
