import CImageCodecPNG

/// The checksum of a chunk (PNG 3rd edition, 5.5), computed from pieces.
struct PNGChecksum: Equatable {
    private(set) var value: UInt32 = 0

    mutating func add(_ bytes: Span<UInt8>) {
        value = unsafe bytes.withUnsafeBufferPointer { unsafe ilp_crc32(value, $0.baseAddress, $0.count) }
    }
}
