import Testing

@testable import ImageConnectivity

@Suite("Parsing the kernel's routes")
struct RouteDumpTests {
    @Test("finds a default route for IPv4 or IPv6 between other routes", arguments: [UInt8(2), 10])
    func defaultRoute(family: UInt8) throws {
        var dump = RouteDump()
        try dump.parse(route(family, prefix: 24) + route(family, prefix: 0, attributes: 5) + route(family, prefix: 32))
        #expect(dump.hasDefaultRoute && !dump.isComplete)
        try dump.parse(message(type: 3))
        #expect(dump.hasDefaultRoute && dump.isComplete && !dump.wasInterrupted)
    }

    @Test("ignores routes with a prefix, and routes that are not usable")
    func others() throws {
        var dump = RouteDump()
        try dump.parse(route(2, prefix: 8) + route(2, prefix: 32) + route(10, prefix: 64))
        for type in UInt8(0)...11 where type != 1 { try dump.parse(route(2, prefix: 0, type: type)) }
        try dump.parse(route(2, prefix: 0, flags: 1) + route(2, prefix: 0, flags: 16))
        #expect(!dump.hasDefaultRoute)
        try dump.parse(route(2, prefix: 0, flags: 4))  // "on link"
        #expect(dump.hasDefaultRoute)
    }

    @Test("marks an inconsistent response, and ignores bytes after its end")
    func interrupted() throws {
        var dump = RouteDump()
        try dump.parse(message(type: 24, flags: 0x12, payload: routeBody(2, prefix: 24)))
        #expect(dump.wasInterrupted)
        try dump.parse(message(type: 3) + [1, 2, 3])
        #expect(dump.isComplete && !dump.hasDefaultRoute)
    }

    @Test("repeats the request for an inconsistent response up to three times", arguments: [0, 1, 3, 9])
    func requestsAgain(interruptions: Int) throws {
        var requests = 0
        let dump = try RouteDump.consistent { () throws(ConnectivityFailure) in
            requests += 1
            var dump = RouteDump()
            try dump.parse(
                message(type: 24, flags: requests > interruptions ? 2 : 0x12, payload: routeBody(2, prefix: 0)))
            return dump
        }
        #expect(requests == min(interruptions, 3) + 1)
        #expect(dump.hasDefaultRoute && dump.wasInterrupted == (interruptions > 3))
    }

    @Test("ignores messages of other kinds")
    func otherKinds() throws {
        var dump = RouteDump()
        try dump.parse(message(type: 16, payload: routeBody(2, prefix: 0)) + message(type: 1))
        #expect(!dump.hasDefaultRoute && !dump.isComplete)
    }

    @Test("an error message throws its error number")
    func rejected() {
        let error = message(type: 2, payload: bytes(Int32(-1)))
        #expect(throws: ConnectivityFailure.systemError(call: "RTM_GETROUTE", code: 1)) { try parse(error) }
    }

    @Test("a response that is truncated within a message is malformed")
    func truncated() throws {
        let (first, last) = (route(2, prefix: 24), route(2, prefix: 0))
        for length in 0..<(first.count + last.count) {
            let truncated = Array((first + last).prefix(length))
            if length == 0 || length == first.count {
                try parse(truncated)
            } else {
                #expect(throws: ConnectivityFailure.self, "at \(length)") { try parse(truncated) }
            }
        }
        #expect(throws: ConnectivityFailure.self) { try parse(bytes(UInt32(3)) + [UInt8](repeating: 0, count: 12)) }
        #expect(throws: ConnectivityFailure.self) { try parse(message(type: 24, payload: [2, 0])) }
        #expect(throws: ConnectivityFailure.self) { try parse(message(type: 2)) }
    }

    private func parse(_ datagram: [UInt8]) throws {
        var dump = RouteDump()
        try dump.parse(datagram)
        #expect(!dump.hasDefaultRoute)
    }
}

// Messages in the format of netlink(7) and rtnetlink(7).

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
