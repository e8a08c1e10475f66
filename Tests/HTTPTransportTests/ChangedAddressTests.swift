#if os(Linux)
    import CNetworkNamespace
    import Foundation
    import ImageTransportCurl
    import ImageTransporting
    import LoopbackServer
    import Testing

    @Suite("Changed addresses", .timeLimit(.minutes(10)))
    struct ChangedAddressTests {
        private static let ip = "/usr/sbin/ip"
        private static let canChange = getuid() == 0 && FileManager.default.isExecutableFile(atPath: ip)
        /// The kernel uses another address for connections to 127.0.0.1 then.
        private static let change = "route replace local 127.0.0.1 dev lo table local scope host src 127.0.0.2"

        private static func run(_ arguments: [String]) -> Bool {
            arguments.allSatisfy { unsafe cnn_run("\(ip) \($0)") == 0 }
        }

        @Test(
            "an idle connection isn't used after the address has changed from which the system reaches its server",
            .enabled(if: canChange, "needs root on Linux and the command ip: apt-get install iproute2"))
        func idle() async throws {
            let (isChanged, mayChange) = (LoopbackSignal(), DispatchSemaphore(value: 0))
            // Threads belong to the network namespace of the thread that starts them.
            let made: (LoopbackServer, CurlTransport)? = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    guard cnn_enter_new_namespace() == 0, Self.run(["link set lo up"]) else {
                        return continuation.resume(returning: nil)
                    }
                    let server = try? LoopbackServer { _ in .ok([1]) }
                    continuation.resume(returning: server.map { ($0, CurlTransport()) })
                    mayChange.wait()
                    if Self.run([Self.change]) { isChanged.arrive() }
                }
            }
            defer { mayChange.signal() }
            let (server, transport) = try #require(made)
            for _ in 0..<2 { #expect(await failure(transport, TransportRequest(url: server.url())) == nil) }
            #expect(server.connectionCount == 1)
            mayChange.signal()
            await isChanged.arrivals(1)
            #expect(await failure(transport, TransportRequest(url: server.url())) == nil)
            #expect(server.connectionCount == 2)
        }
    }
#endif
