#if RedisCaching
    import CImageRedisCaching
    import Foundation
    import ImageCore
    import Testing

    @testable import ImageRedisCaching

    @Suite("The format of entries")
    struct RedisEntryFormatTests {
        private let key = DataCacheKey(source: "https://images.test/ü")
        private let entry = DataCacheEntry(
            data: Data("payload".utf8), metadata: Data("metadata".utf8),
            createdAt: Date(timeIntervalSinceReferenceDate: 1.5))

        private func value() -> Data { Data(RedisEntryFormat.bytes(of: entry, for: key)) }

        @Test("an entry is read as it was written, also from a slice")
        func roundTrip() {
            #expect(value().count == RedisEntryFormat.size(of: entry, for: key))
            #expect(RedisEntryFormat.read(value(), for: key) == .entry(entry))
            #expect(RedisEntryFormat.read((Data([0]) + value()).dropFirst(), for: key) == .entry(entry))
        }

        @Test("a value with any byte altered is damaged")
        func altered() {
            for index in value().indices {
                var damaged = value()
                damaged[index] ^= 0x10
                #expect(RedisEntryFormat.read(damaged, for: key) == .damaged, "byte \(index)")
            }
        }

        @Test("a value that is cut anywhere, or longer, is damaged")
        func cut() {
            for count in 0..<value().count {
                #expect(RedisEntryFormat.read(value().prefix(count), for: key) == .damaged, "\(count) bytes")
            }
            #expect(RedisEntryFormat.read(value() + [0], for: key) == .damaged)
        }

        @Test("lengths that exceed the value are damage, even with a valid checksum")
        func lengths() {
            for offset in [16, 20, 24] {
                var bytes = Array(value().dropLast(8))
                for index in offset..<offset + 4 { bytes[index] = 0xFF }
                #expect(RedisEntryFormat.read(Data(bytes + checksum(of: bytes)), for: key) == .damaged)
            }
            // The helper computes the checksum of the format.
            let intact = Array(value().dropLast(8))
            #expect(intact + checksum(of: intact) == Array(value()))
        }

        private func checksum(of bytes: [UInt8]) -> [UInt8] {
            let sum = unsafe bytes.withUnsafeBufferPointer { unsafe irc_checksum($0.baseAddress, $0.count) }
            return (0..<8).map { UInt8(truncatingIfNeeded: sum >> UInt64($0 * 8)) }
        }

        @Test("the entry of another key with the same hash is not returned")
        func otherKey() {
            #expect(RedisEntryFormat.read(value(), for: DataCacheKey(source: "other")) == .otherKey)
        }
    }
#endif
