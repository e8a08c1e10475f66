/// The 64-bit checksum XXH64, by the xxHash specification 0.1.1 (Cyan4973/xxHash, doc/xxhash_spec.md).
///
/// Chosen over CRC-32C: twice the width makes an unnoticed error improbable whatever the damage (2^-64 against 2^-32), and it
/// needs neither tables nor a processor's CRC instruction. It guards against damage, not against forgery.
package enum XXH64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The checksum of `bytes`. Checksums of parts are chained by giving the one as the seed of the next.
    package static func checksum(of bytes: RawSpan, seed: UInt64 = 0) -> UInt64 {
        var offset = 0
        var hash = bytes.byteCount >= 32 ? stripes(of: bytes, seed: seed, offset: &offset) : seed &+ prime5
        hash &+= UInt64(bytes.byteCount)
        while offset &+ 8 <= bytes.byteCount {
            hash = rotate(hash ^ round(0, word(bytes, offset)), 27) &* prime1 &+ prime4
            offset &+= 8
        }
        if offset &+ 4 <= bytes.byteCount {
            let half = UInt64(
                UInt32(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            hash = rotate(hash ^ (half &* prime1), 23) &* prime2 &+ prime3
            offset &+= 4
        }
        while offset < bytes.byteCount {
            let byte = UInt64(unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            hash = rotate(hash ^ (byte &* prime5), 11) &* prime1
            offset &+= 1
        }
        return avalanche(hash)
    }

    /// Steps 1 to 3 of the specification: four accumulators over stripes of 32 bytes.
    private static func stripes(of bytes: RawSpan, seed: UInt64, offset: inout Int) -> UInt64 {
        var lane1 = seed &+ prime1 &+ prime2
        var lane2 = seed &+ prime2
        var lane3 = seed
        var lane4 = seed &- prime1
        while offset &+ 32 <= bytes.byteCount {
            lane1 = round(lane1, word(bytes, offset))
            lane2 = round(lane2, word(bytes, offset &+ 8))
            lane3 = round(lane3, word(bytes, offset &+ 16))
            lane4 = round(lane4, word(bytes, offset &+ 24))
            offset &+= 32
        }
        let sum = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
        return merge(merge(merge(merge(sum, lane1), lane2), lane3), lane4)
    }

    @inline(__always)
    private static func word(_ bytes: RawSpan, _ offset: Int) -> UInt64 {
        // Any eight bytes are a valid UInt64; the span checks the bounds.
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 { value &<< count | value &>> (64 &- count) }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }

    private static func avalanche(_ value: UInt64) -> UInt64 {
        let second = (value ^ (value &>> 33)) &* prime2
        let third = (second ^ (second &>> 29)) &* prime3
        return third ^ (third &>> 32)
    }
}
