#if RedisCaching
    import CImageRedisCaching
    import ImageCore

    /// The format of an entry's value.
    ///
    /// ```text
    /// header of 32 bytes, little-endian:
    ///   magic            4  "SILr"
    ///   version          4  1
    ///   creationDate        8  seconds since 2001-01-01 UTC, IEEE 754 double
    ///   key length       4
    ///   metadata length  4
    ///   payload length   8
    /// key, UTF-8
    /// metadata
    /// payload
    /// checksum           8  XXH3 of all bytes before, little-endian
    /// ```
    /// The names of entries contain the version, so that servers with other versions of this module can share a namespace.
    enum RedisEntryFormat {
        /// The result of reading a value.
        enum ReadResult: Hashable {
            case entry(DataCacheEntry)
            /// The value is intact, but belongs to another key with the same hash.
            case otherKey
            case damaged
        }

        static let version: UInt32 = 1
        static let magic = UInt32(littleEndian: 0x724C_4953)
        static let headerSize = 32
        private static let checksumSize = 8

        static func size(of entry: DataCacheEntry, for key: DataCacheKey) -> Int {
            headerSize + key.identifier.utf8.count + entry.metadata.count + entry.data.count + checksumSize
        }

        /// Returns the value of an entry. The parts must be shorter than 4 GiB.
        static func bytes(of entry: DataCacheEntry, for key: DataCacheKey) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(size(of: entry, for: key))
            bytes.append(littleEndian: magic)
            bytes.append(littleEndian: version)
            bytes.append(littleEndian: entry.creationDate.timeIntervalSinceReferenceDate.bitPattern)
            bytes.append(littleEndian: UInt32(truncatingIfNeeded: key.identifier.utf8.count))
            bytes.append(littleEndian: UInt32(truncatingIfNeeded: entry.metadata.count))
            bytes.append(littleEndian: UInt64(entry.data.count))
            bytes.append(contentsOf: key.identifier.utf8)
            bytes.append(contentsOf: entry.metadata)
            bytes.append(contentsOf: entry.data)
            // A byte has no padding.
            let sum = unsafe checksum(of: bytes.span.bytes)
            bytes.append(littleEndian: sum)
            return bytes
        }

        /// Reads a value. Never traps.
        static func read(_ value: Data, for key: DataCacheKey) -> ReadResult {
            let bytes = value.bytes
            guard bytes.byteCount >= headerSize + checksumSize, number(bytes, 0, UInt32.self) == magic,
                number(bytes, 4, UInt32.self) == version,
                let parts = parts(of: bytes),
                checksum(of: bytes.extracting(0..<parts.payload.upperBound))
                    == number(bytes, parts.payload.upperBound, UInt64.self)
            else { return .damaged }
            let start = value.startIndex
            let storedKey = value[start + parts.key.lowerBound..<start + parts.key.upperBound]
            guard storedKey.elementsEqual(key.identifier.utf8) else { return .otherKey }
            return .entry(
                DataCacheEntry(
                    data: value.part(parts.payload), metadata: value.part(parts.metadata),
                    creationDate: Date(
                        timeIntervalSinceReferenceDate: Double(bitPattern: number(bytes, 8, UInt64.self)))))
        }

        /// Returns the ranges of the parts. Returns nil if the lengths don't add up to the length of the value.
        private static func parts(
            of bytes: RawSpan
        ) -> (key: Range<Int>, metadata: Range<Int>, payload: Range<Int>)? {
            let keyEnd = headerSize + Int(number(bytes, 16, UInt32.self))
            let metadataEnd = keyEnd + Int(number(bytes, 20, UInt32.self))
            guard let payload = Int(exactly: number(bytes, 24, UInt64.self)), payload <= bytes.byteCount,
                metadataEnd + payload + checksumSize == bytes.byteCount
            else { return nil }
            return (headerSize..<keyEnd, keyEnd..<metadataEnd, metadataEnd..<metadataEnd + payload)
        }

        /// XXH3, 64 bits, without a seed: the checksum of the disk cache. It detects damage, not forgery.
        private static func checksum(of bytes: RawSpan) -> UInt64 {
            // The function reads `count` bytes from `baseAddress` and keeps neither.
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe bytes.withMemoryRebound(to: UInt8.self) { unsafe irc_checksum($0.baseAddress, $0.count) }
            }
        }

        private static func number<Number: FixedWidthInteger & BitwiseCopyable>(
            _ bytes: RawSpan, _ offset: Int, _ type: Number.Type
        ) -> Number {
            // Any bytes are a valid integer; the span checks the bounds.
            Number(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type))
        }
    }

    extension Data {
        fileprivate func part(_ range: Range<Int>) -> Data {
            subdata(in: startIndex + range.lowerBound..<startIndex + range.upperBound)
        }
    }
#endif
