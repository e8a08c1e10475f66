/// The kernel's answer to a question for all routes, as its datagrams come in (rtnetlink(7), netlink(7)).
///
/// Reads of each route its kind alone: a default route is one for addresses of any prefix (length 0) that leads somewhere (unicast) over a
/// link that is there.
struct RouteDump: Sendable {
    private enum MessageType {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let newRoute: UInt16 = 24
    }

    /// `struct nlmsghdr` and `struct rtmsg`, in bytes.
    private static let (headerSize, routeSize) = (16, 12)
    /// The answer is not of one moment: routes changed while it was made.
    private static let interrupted: UInt16 = 0x10
    private static let unicast: UInt8 = 1
    /// The next hop is gone, or its link has no carrier.
    private static let unusable: UInt32 = 1 | 16

    private(set) var hasDefaultRoute = false
    private(set) var isComplete = false
    private(set) var wasInterrupted = false

    /// Asks again, a few times, while the answer is not of one moment. The last one counts: what changed meanwhile is announced, and leads to
    /// another question.
    static func ofOneMoment(
        _ ask: () throws(ConnectivityFailure) -> RouteDump
    ) throws(ConnectivityFailure) -> RouteDump {
        for _ in 0..<3 {
            let dump = try ask()
            if !dump.wasInterrupted { return dump }
        }
        return try ask()
    }

    mutating func take(_ datagram: [UInt8]) throws(ConnectivityFailure) {
        var rest = datagram[...]
        while !rest.isEmpty, !isComplete {
            guard rest.count >= Self.headerSize else { throw .malformed("a header cut off") }
            let length = Int(rest.number(at: 0, as: UInt32.self))
            guard length >= Self.headerSize, length <= rest.count else {
                throw .malformed("a message of \(length) bytes where there are \(rest.count)")
            }
            try take(message: rest.prefix(length))
            rest = rest.dropFirst((length + 3) & ~3)  // messages begin at multiples of four
        }
    }

    private mutating func take(message: ArraySlice<UInt8>) throws(ConnectivityFailure) {
        let flags = message.number(at: 6, as: UInt16.self)
        if flags & Self.interrupted != 0 { wasInterrupted = true }
        let payload = message.dropFirst(Self.headerSize)
        switch message.number(at: 4, as: UInt16.self) {
        case MessageType.done: isComplete = true
        case MessageType.error:
            guard payload.count >= 4 else { throw .malformed("an error without its number") }
            throw .refused(call: "RTM_GETROUTE", code: -Int32(bitPattern: payload.number(at: 0, as: UInt32.self)))
        case MessageType.newRoute:
            guard payload.count >= Self.routeSize else { throw .malformed("a route cut off") }
            if Self.isDefault(payload) { hasDefaultRoute = true }
        default: break
        }
    }

    /// - Parameter route: begins with a `struct rtmsg`: the length of its prefix at 1, its type at 7, its flags at 8.
    private static func isDefault(_ route: ArraySlice<UInt8>) -> Bool {
        route.number(at: 1, as: UInt8.self) == 0 && route.number(at: 7, as: UInt8.self) == unicast
            && route.number(at: 8, as: UInt32.self) & unusable == 0
    }
}

extension ArraySlice<UInt8> {
    /// A number in the machine's order of bytes.
    fileprivate func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
        unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
}
