#if canImport(Glibc)
    import Dispatch
    import Glibc
    public import ImageCore
    import Synchronization

    /// Monitors whether a Linux system is online: whether the kernel has a default route over a link that is up.
    ///
    /// The kernel announces changes (rtnetlink(7)), so the monitor doesn't poll. A private network without a router
    /// counts as offline.
    public final class LinuxConnectivityMonitor: ConditionMonitor {
        private let latest: SettableConditionMonitor<Connectivity>
        private let isOnline: @Sendable () -> Bool
        private let announcements = Mutex<DispatchEvents?>(nil)

        /// Creates a monitor and reads the current state.
        ///
        /// - Throws: `MonitoringError` if the system announces no changes, for example in a sandbox.
        public convenience init() throws(MonitoringError) {
            // Opened before the state is read, so that no later change is missed.
            let file = try Self.makeAnnouncementSocket()
            let probe = RouteProbe()
            self.init { probe.hasRoute() }
            let events = DispatchEvents { queue in
                DispatchSource.makeReadSource(fileDescriptor: file, queue: queue)
            } onEnd: {
                close(file)
            } handler: { [weak self] in
                // What changed doesn't matter, and lost announcements (ENOBUFS) don't either.
                var bytes = [UInt8](repeating: 0, count: 8192)
                while unsafe recv(file, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
                self?.update()
            }
            announcements.withLock { $0 = events }
        }

        /// Creates a monitor that updates only when a test calls `update`.
        init(isOnline: @escaping @Sendable () -> Bool) {
            self.isOnline = isOnline
            latest = SettableConditionMonitor(isOnline() ? .online : .offline)
        }

        /// The latest known connectivity.
        public var condition: Connectivity { latest.condition }

        /// Calls a handler after each change, until the observation ends.
        public func observe(_ handler: @escaping @Sendable (Connectivity) -> Void) -> ChangeObservation {
            latest.observe(handler)
        }

        /// Reads the state and reports a change.
        func update() { latest.condition = isOnline() ? .online : .offline }

        /// Opens a netlink socket that receives the changes of links, addresses and routes.
        private static func makeAnnouncementSocket() throws(MonitoringError) -> Int32 {
            // AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE.
            let file = socket(16, 3 | 0o2000000, 0)
            guard file >= 0 else { throw MonitoringError("socket(AF_NETLINK): errno \(errno)") }
            // RTMGRP_LINK, and RTMGRP_IPV4_ and RTMGRP_IPV6_ with IFADDR and ROUTE.
            let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
            // struct sockaddr_nl: family, padding, port (the kernel chooses), groups.
            let address = bytes(of: UInt16(16)) + bytes(of: UInt16(0)) + bytes(of: UInt32(0)) + bytes(of: groups)
            guard unsafe call(bind, file, address) == 0 else {
                defer { close(file) }
                throw MonitoringError("bind(AF_NETLINK): errno \(errno)")
            }
            return file
        }
    }

    /// Finds out whether the kernel has a route to the internet. It sends nothing.
    final class RouteProbe: Sendable {
        /// Addresses that only default routes reach, as `struct sockaddr_in` and `sockaddr_in6`: those of
        /// a.root-servers.net.
        private static let addresses: [[UInt8]] = [
            bytes(of: UInt16(AF_INET)) + [0, 53, 198, 41, 0, 4] + [UInt8](repeating: 0, count: 8),
            bytes(of: UInt16(AF_INET6)) + [0, 53, 0, 0, 0, 0, 0x20, 0x01, 0x05, 0x03, 0xba, 0x3e]
                + [UInt8](repeating: 0, count: 7) + [0x02, 0, 0x30, 0, 0, 0, 0],
        ]

        /// The sockets belong to the network namespace of the thread that makes them.
        private let sockets: [Int32]

        init() {
            sockets = [AF_INET, AF_INET6].map { socket($0, Int32(SOCK_DGRAM.rawValue) | 0o2000000, 0) }
        }

        deinit { for file in sockets where file >= 0 { close(file) } }

        func hasRoute() -> Bool { zip(sockets, Self.addresses).contains { hasRoute($0, to: $1) } }

        /// Connects a datagram socket, which only chooses the route and the local address.
        private func hasRoute(_ file: Int32, to address: [UInt8]) -> Bool {
            // An address of the family AF_UNSPEC ends the last connection.
            _ = unsafe call(connect, file, [UInt8](repeating: 0, count: 16))
            guard unsafe call(connect, file, address) == 0 else { return false }
            var local = [UInt8](repeating: 0, count: address.count)
            var length = socklen_t(local.count)
            let result = unsafe local.withUnsafeMutableBytes { local in
                unsafe getsockname(file, local.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
            }
            return result != 0 || Self.isLinkUp(of: local)
        }

        /// Returns whether the link with a local address is up. True if there is no such link.
        private static func isLinkUp(of local: [UInt8]) -> Bool {
            let running: UInt32 = 0x40  // IFF_RUNNING
            // The family, and the address after the port and the flow label.
            let part = local.count == 16 ? 4..<8 : 8..<24
            var first: UnsafeMutablePointer<ifaddrs>?
            guard unsafe getifaddrs(&first) == 0 else { return true }
            defer { unsafe freeifaddrs(first) }
            var next = unsafe first
            while let link = unsafe next {
                unsafe next = link.pointee.ifa_next
                guard let address = unsafe link.pointee.ifa_addr,
                    unsafe bytes(of: address.pointee.sa_family) == Array(local[0..<2])
                else { continue }
                let known = unsafe UnsafeRawBufferPointer(start: address, count: local.count)
                if unsafe known[part].elementsEqual(local[part]) {
                    return unsafe link.pointee.ifa_flags & running != 0
                }
            }
            return true
        }
    }

    /// Calls a function of the sockets interface with an address.
    private func call(
        _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ file: Int32, _ address: [UInt8]
    ) -> Int32 {
        unsafe address.withUnsafeBytes { address in
            unsafe function(
                file, address.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(address.count))
        }
    }

    /// Returns the bytes of a number in the host's byte order.
    private func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
    }
#endif
