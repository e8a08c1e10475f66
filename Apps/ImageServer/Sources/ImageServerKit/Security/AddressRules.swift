import ImageTransporting

/// Decides to which IP addresses the server may connect.
///
/// By default, only to addresses of the public Internet. It refuses those of the registries of special purposes (RFC
/// 6890 and its updates): private networks, loopback, link-local addresses with the metadata services of clouds,
/// carrier-grade NAT, multicast, documentation, benchmarks, and IPv6 addresses that contain such an IPv4 address.
struct AddressRules: Sendable {
    /// Ranges that are allowed although they are not public.
    var exceptions: [AddressRange] = []

    /// Returns whether the server may connect to an address.
    func allows(_ address: TransportAddress) -> Bool {
        if exceptions.contains(where: { $0.contains(address) }) { return true }
        if let embedded = address.mappedIPv4 { return allows(embedded) }
        guard address.tunnelEnds.allSatisfy(allows) else { return false }
        if address.bytes.count == 16, !Self.globalUnicast.contains(address) { return false }
        return !Self.special.contains { $0.contains(address) }
    }

    /// The only IPv6 addresses that are assigned to the public Internet (RFC 4291, section 2.4).
    private static let globalUnicast = AddressRange(bytes: [0x20, 0] + zeros(14), bitCount: 3)

    private static let special: [AddressRange] =
        [
            ([0, 0, 0, 0], 8),  // this network (RFC 791)
            ([10, 0, 0, 0], 8),  // private (RFC 1918)
            ([100, 64, 0, 0], 10),  // carrier-grade NAT (RFC 6598)
            ([127, 0, 0, 0], 8),  // loopback (RFC 1122)
            ([169, 254, 0, 0], 16),  // link-local and metadata (RFC 3927)
            ([172, 16, 0, 0], 12),  // private (RFC 1918)
            ([192, 0, 0, 0], 24),  // protocol assignments (RFC 6890)
            ([192, 0, 2, 0], 24),  // documentation (RFC 5737)
            ([192, 88, 99, 0], 24),  // 6to4 relays (RFC 7526)
            ([192, 168, 0, 0], 16),  // private (RFC 1918)
            ([198, 18, 0, 0], 15),  // benchmarks (RFC 2544)
            ([198, 51, 100, 0], 24),  // documentation (RFC 5737)
            ([203, 0, 113, 0], 24),  // documentation (RFC 5737)
            ([224, 0, 0, 0], 4),  // multicast (RFC 5771)
            ([240, 0, 0, 0], 4),  // reserved and broadcast (RFC 1112)
            ([0x20, 0x01, 0, 0] + zeros(12), 23),  // protocol assignments, with Teredo (RFC 2928)
            ([0x20, 0x01, 0x0D, 0xB8] + zeros(12), 32),  // documentation (RFC 3849)
            ([0x3F, 0xFF] + zeros(14), 20),  // documentation (RFC 9637)
        ].map { AddressRange(bytes: $0.0, bitCount: $0.1) }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}

/// A range of addresses with a common prefix.
struct AddressRange: Hashable, Sendable {
    private let bytes: [UInt8]
    private let bitCount: Int

    init(bytes: [UInt8], bitCount: Int) {
        self.bytes = bytes
        self.bitCount = bitCount
    }

    /// Parses a range such as `10.0.0.0/8`, or a single address. Returns nil if the text is neither.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let address = TransportAddress(String(first)), parts.count <= 2 else {
            return nil
        }
        bytes = address.bytes
        guard parts.count == 2 else {
            bitCount = bytes.count * 8
            return
        }
        guard let bits = Int(parts[1]), (0...bytes.count * 8).contains(bits) else { return nil }
        bitCount = bits
    }

    /// Returns whether an address is in the range. No IPv6 address is in a range of IPv4.
    func contains(_ address: TransportAddress) -> Bool {
        guard address.bytes.count == bytes.count else { return false }
        let (whole, rest) = bitCount.quotientAndRemainder(dividingBy: 8)
        guard address.bytes.prefix(whole) == bytes.prefix(whole) else { return false }
        return rest == 0 || (address.bytes[whole] ^ bytes[whole]) >> (8 - rest) == 0
    }
}

extension TransportAddress {
    /// The IPv4 address for which this IPv6 address is another notation or a translation; nil if it is neither.
    ///
    /// Covers IPv4-mapped (RFC 4291, section 2.5.5.2), IPv4-compatible (2.5.5.1), IPv4-translated (RFC 2765) and NAT64
    /// (RFC 6052) addresses. Those of local NAT64 (RFC 8215) and of Teredo (RFC 4380) are refused as a whole.
    var mappedIPv4: TransportAddress? {
        guard bytes.count == 16, Self.mappingPrefixes.contains(Array(bytes.prefix(12))),
            bytes.suffix(4) != [0, 0, 0, 0], bytes.suffix(4) != [0, 0, 0, 1]
        else { return nil }
        return TransportAddress(bytes: Array(bytes.suffix(4)))
    }

    /// The IPv4 addresses to which tunnels for this IPv6 address lead: 6to4 (RFC 3056) and ISATAP (RFC 5214).
    var tunnelEnds: [TransportAddress] {
        guard bytes.count == 16 else { return [] }
        var ends: [TransportAddress?] = []
        if bytes[0] == 0x20, bytes[1] == 0x02 { ends.append(TransportAddress(bytes: Array(bytes[2..<6]))) }
        // The two lowest bits of the first byte tell whether the identifier is unique and whether it is of a group.
        if bytes[8] & ~3 == 0, bytes[9...11] == [0, 0x5E, 0xFE] {
            ends.append(TransportAddress(bytes: Array(bytes.suffix(4))))
        }
        return ends.compactMap(\.self)
    }

    private static let mappingPrefixes: Set<[UInt8]> = [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0],
        [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0],
    ]
}
