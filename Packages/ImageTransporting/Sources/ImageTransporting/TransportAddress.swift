#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A numeric address of IPv4 or IPv6, without a port or a scope.
public struct TransportAddress: Hashable, Sendable {
    /// The bytes in network order: 4 for IPv4, 16 for IPv6.
    public let bytes: [UInt8]

    /// Creates an address. Returns nil unless there are 4 or 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Parses the usual notation, for example `192.0.2.1` or `2001:db8::1`. Returns nil for any other text, including
    /// octal and hexadecimal forms of IPv4, and addresses in brackets.
    public init?(_ text: String) {
        let (family, count) = text.utf8.contains(UInt8(ascii: ":")) ? (AF_INET6, 16) : (AF_INET, 4)
        var bytes = [UInt8](repeating: 0, count: count)
        // Sound: inet_pton writes exactly 4 or 16 bytes.
        guard unsafe bytes.withUnsafeMutableBytes({ unsafe inet_pton(family, text, $0.baseAddress) }) == 1 else {
            return nil
        }
        self.bytes = bytes
    }
}

extension TransportAddress: CustomStringConvertible {
    /// The address in the usual notation; for IPv6 in the form of RFC 5952.
    public var description: String {
        if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        // Sound: inet_ntop writes at most `text.count` characters, including the final zero.
        unsafe text.withUnsafeMutableBufferPointer { buffer in
            _ = unsafe inet_ntop(AF_INET6, bytes, buffer.baseAddress, socklen_t(buffer.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
