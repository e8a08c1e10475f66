import CImageDiskCaching

/// The checksum of entries: XXH3, 64 bits, unseeded.
///
/// Chosen by measurement: with 32-byte vectors as fast as ISA-L's CRC-32C, which would be a library to install and leaves
/// one error in 2^32 unnoticed instead of one in 2^64, and four times as fast as the XXH64 of the first format. It guards against
/// damage, not against forgery.
package enum Checksum {
    package static func of(_ bytes: RawSpan) -> UInt64 {
        // The function reads `count` bytes from `baseAddress` and keeps neither; it takes null for no bytes.
        unsafe bytes.withUnsafeBytes { unsafe disk_checksum($0.baseAddress, $0.count) }
    }

    /// As `of`, by vectors that every processor has.
    package static func portable(_ bytes: RawSpan) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe disk_checksum_portable($0.baseAddress, $0.count) }
    }
}
