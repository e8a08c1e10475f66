#if os(Linux)
    import Foundation
    import ImageTransportCurl
    import ImageTransporting
    import LoopbackServer
    import Synchronization
    import Testing

    @Suite("Address policies of libcurl", .timeLimit(.minutes(10)))
    struct AddressPolicyTests {
        private func transport(_ policy: @escaping @Sendable (TransportAddress) -> Bool) -> CurlTransport {
            CurlTransport(options: .init(usesEnvironmentProxy: false, addressPolicy: policy))
        }

        @Test(
            "a refused address is never connected, however it is written",
            arguments: [
                "127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]",
            ])
        func refused(host: String) async throws {
            let server = try LoopbackServer { _ in .ok([1]) }
            let url = try #require(URL(string: "http://\(host):\(server.port)/"))
            let result = await failure(transport { _ in false }, TransportRequest(url: url))
            #expect(result?.kind == "blockedAddress")
            #expect(server.connectionCount == 0)
        }

        @Test("an allowed address is connected, and the policy receives it")
        func allowed() async throws {
            let server = try LoopbackServer { _ in .ok([1]) }
            let asked = Mutex<[TransportAddress]>([])
            let transport = transport { address in
                asked.withLock { $0.append(address) }
                return true
            }
            #expect(await failure(transport, TransportRequest(url: server.url())) == nil)
            #expect(asked.withLock { $0 } == [TransportAddress("127.0.0.1")])
        }

        @Test("the target of a redirect is checked, too")
        func redirects() async throws {
            let server = try LoopbackServer { request in
                .redirect(to: "http://127.0.0.2:\(request.headers["host"]?.split(separator: ":").last ?? "")/b")
            }
            let transport = transport { $0 == TransportAddress("127.0.0.1") }
            #expect(await failure(transport, TransportRequest(url: server.url("/a"))) == .blockedAddress("127.0.0.2"))
            #expect(server.log.map(\.path) == ["/a"])
        }
    }
#endif
