import CImageDiskCaching

/// The checksum of entries: XXH3, 64 bits, without a seed. It detects damage, not forgery.
///
/// With 32-byte vectors, XXH3 is as fast as the CRC-32C of ISA-L, and four times as fast as XXH64, which version 1 of the
/// format used. A CRC-32C misses one error in 2^32, XXH3 one in 2^64.
package enum Checksum {
    /// Computes the checksum with the widest vectors of the processor.
    package static func of(_ bytes: RawSpan) -> UInt64 {
        // The function reads `count` bytes from `baseAddress` and keeps neither; it takes null for no bytes.
        unsafe bytes.withUnsafeBytes { unsafe disk_checksum($0.baseAddress, $0.count) }
    }

    /// Computes the same checksum with vectors that every processor has.
    package static func portable(_ bytes: RawSpan) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe disk_checksum_portable($0.baseAddress, $0.count) }
    }
}
