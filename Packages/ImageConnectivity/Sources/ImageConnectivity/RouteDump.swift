/// Parses the kernel's response to a request for all routes (rtnetlink(7), netlink(7)), datagram by datagram.
///
/// It only detects whether there is a default route: a unicast route with a prefix length of 0 over a link that is up.
struct RouteDump: Sendable {
    private enum MessageType {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let newRoute: UInt16 = 24
    }

    /// The sizes of `struct nlmsghdr` and `struct rtmsg`, in bytes.
    private static let (headerSize, routeSize) = (16, 12)
    /// NLM_F_DUMP_INTR: routes changed while the kernel created the response, so it can be inconsistent.
    private static let interrupted: UInt16 = 0x10
    /// RTN_UNICAST.
    private static let unicast: UInt8 = 1
    /// RTNH_F_DEAD and RTNH_F_LINKDOWN: the next hop is unreachable, or its link has no carrier.
    private static let unusable: UInt32 = 1 | 16

    private(set) var hasDefaultRoute = false
    private(set) var isComplete = false
    private(set) var wasInterrupted = false

    /// Repeats a request up to three times while its response is inconsistent.
    ///
    /// Returns the last response even if it is inconsistent. The kernel then announces a change, which leads to another
    /// request.
    static func consistent(
        _ request: () throws(ConnectivityFailure) -> RouteDump
    ) throws(ConnectivityFailure) -> RouteDump {
        for _ in 0..<3 {
            let dump = try request()
            if !dump.wasInterrupted { return dump }
        }
        return try request()
    }

    mutating func parse(_ datagram: [UInt8]) throws(ConnectivityFailure) {
        var rest = datagram[...]
        while !rest.isEmpty, !isComplete {
            guard rest.count >= Self.headerSize else { throw .malformed("truncated header") }
            let length = Int(rest.number(at: 0, as: UInt32.self))
            guard length >= Self.headerSize, length <= rest.count else {
                throw .malformed("message of \(length) bytes in a datagram with \(rest.count) bytes left")
            }
            try parse(message: rest.prefix(length))
            rest = rest.dropFirst((length + 3) & ~3)  // messages are aligned to four bytes
        }
    }

    private mutating func parse(message: ArraySlice<UInt8>) throws(ConnectivityFailure) {
        let flags = message.number(at: 6, as: UInt16.self)
        if flags & Self.interrupted != 0 { wasInterrupted = true }
        let payload = message.dropFirst(Self.headerSize)
        switch message.number(at: 4, as: UInt16.self) {
        case MessageType.done: isComplete = true
        case MessageType.error:
            guard payload.count >= 4 else { throw .malformed("error message without an error number") }
            throw .systemError(call: "RTM_GETROUTE", code: -Int32(bitPattern: payload.number(at: 0, as: UInt32.self)))
        case MessageType.newRoute:
            guard payload.count >= Self.routeSize else { throw .malformed("truncated route") }
            if Self.isDefault(payload) { hasDefaultRoute = true }
        default: break
        }
    }

    /// - Parameter route: Starts with a `struct rtmsg`: the prefix length at offset 1, the type at 7, the flags at 8.
    private static func isDefault(_ route: ArraySlice<UInt8>) -> Bool {
        route.number(at: 1, as: UInt8.self) == 0 && route.number(at: 7, as: UInt8.self) == unicast
            && route.number(at: 8, as: UInt32.self) & unusable == 0
    }
}

extension ArraySlice<UInt8> {
    /// Returns the number at an offset, in the host's byte order.
    fileprivate func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
        unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
}
