import Testing

@testable import ImageConnectivity

@Suite("What the kernel says of its routes")
struct RouteDumpTests {
    @Test("a default route of IPv4 or IPv6 is one, with other routes before and after it", arguments: [UInt8(2), 10])
    func defaultRoute(family: UInt8) throws {
        var dump = RouteDump()
        try dump.take(route(family, prefix: 24) + route(family, prefix: 0, attributes: 5) + route(family, prefix: 32))
        #expect(dump.hasDefaultRoute && !dump.isComplete)
        try dump.take(message(type: 3))
        #expect(dump.hasDefaultRoute && dump.isComplete && !dump.wasInterrupted)
    }

    @Test("routes to some networks, and such that lead nowhere, are none")
    func others() throws {
        var dump = RouteDump()
        try dump.take(route(2, prefix: 8) + route(2, prefix: 32) + route(10, prefix: 64))
        for type in UInt8(0)...11 where type != 1 { try dump.take(route(2, prefix: 0, type: type)) }
        try dump.take(route(2, prefix: 0, flags: 1) + route(2, prefix: 0, flags: 16))
        #expect(!dump.hasDefaultRoute)
        try dump.take(route(2, prefix: 0, flags: 4))  // "on link"
        #expect(dump.hasDefaultRoute)
    }

    @Test("an answer of several moments says so, and what follows the end is not read")
    func interrupted() throws {
        var dump = RouteDump()
        try dump.take(message(type: 24, flags: 0x12, payload: routeBody(2, prefix: 24)))
        #expect(dump.wasInterrupted)
        try dump.take(message(type: 3) + [1, 2, 3])
        #expect(dump.isComplete && !dump.hasDefaultRoute)
    }

    @Test("an answer of several moments is asked for again, up to three times", arguments: [0, 1, 3, 9])
    func askedAgain(interruptions: Int) throws {
        var questions = 0
        let dump = try RouteDump.ofOneMoment { () throws(ConnectivityFailure) in
            questions += 1
            var dump = RouteDump()
            try dump.take(
                message(type: 24, flags: questions > interruptions ? 2 : 0x12, payload: routeBody(2, prefix: 0)))
            return dump
        }
        #expect(questions == min(interruptions, 3) + 1)
        #expect(dump.hasDefaultRoute && dump.wasInterrupted == (interruptions > 3))
    }

    @Test("messages of other kinds are passed over")
    func otherKinds() throws {
        var dump = RouteDump()
        try dump.take(message(type: 16, payload: routeBody(2, prefix: 0)) + message(type: 1))
        #expect(!dump.hasDefaultRoute && !dump.isComplete)
    }

    @Test("what the kernel refuses is told with its number")
    func refused() {
        let refusal = message(type: 2, payload: bytes(Int32(-1)))
        #expect(throws: ConnectivityFailure.refused(call: "RTM_GETROUTE", code: 1)) { try take(refusal) }
    }

    @Test("an answer cut off at any byte is malformed, or has nothing of the message that was cut")
    func cutOff() throws {
        let (first, last) = (route(2, prefix: 24), route(2, prefix: 0))
        for length in 0..<(first.count + last.count) {
            let cut = Array((first + last).prefix(length))
            if length == 0 || length == first.count {
                try take(cut)
            } else {
                #expect(throws: ConnectivityFailure.self, "at \(length)") { try take(cut) }
            }
        }
        #expect(throws: ConnectivityFailure.self) { try take(bytes(UInt32(3)) + [UInt8](repeating: 0, count: 12)) }
        #expect(throws: ConnectivityFailure.self) { try take(message(type: 24, payload: [2, 0])) }
        #expect(throws: ConnectivityFailure.self) { try take(message(type: 2)) }
    }

    private func take(_ datagram: [UInt8]) throws {
        var dump = RouteDump()
        try dump.take(datagram)
        #expect(!dump.hasDefaultRoute)
    }
}

// Messages as netlink(7) and rtnetlink(7) describe them.

private func route(
    _ family: UInt8, prefix: UInt8, type: UInt8 = 1, flags: UInt32 = 0, attributes: Int = 0
) -> [UInt8] {
    let body = routeBody(family, prefix: prefix, type: type, flags: flags)
    return message(type: 24, flags: 2, payload: body + [UInt8](repeating: 0xAA, count: attributes))
}

private func routeBody(_ family: UInt8, prefix: UInt8, type: UInt8 = 1, flags: UInt32 = 0) -> [UInt8] {
    [family, prefix, 0, 0, 254, 3, 0, type] + bytes(flags)
}

private func message(type: UInt16, flags: UInt16 = 2, payload: [UInt8] = []) -> [UInt8] {
    let header = bytes(UInt32(16 + payload.count)) + bytes(type) + bytes(flags) + bytes(UInt32(0)) + bytes(UInt32(7))
    return header + payload + [UInt8](repeating: 0, count: -payload.count & 3)
}

private func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
}
