#if AsyncHTTPClient
    import Foundation
    import ImageTransportAsyncHTTPClient
    import ImageTransporting
    import LoopbackServer
    import Testing

    @Suite("Paths that the client can't send", .timeLimit(.minutes(10)))
    struct PathTests {
        @Test("a path whose percent-encodings aren't UTF-8 is refused, because the client would request another")
        func notUTF8() async throws {
            let server = try LoopbackServer { _ in .ok([1]) }
            // A request that is refused leaves its place to the next one.
            let transport = AsyncHTTPClientTransport(options: .init(maxConnectionsPerServer: 1))
            for path in ["/%e9", "/a/%ff?b"] {
                let request = TransportRequest(url: server.url(path))
                await #expect(throws: TransportError.invalidURL(request.url.absoluteString)) {
                    try await transport.send(request)
                }
            }
            let last = TransportRequest(url: server.url("/%c3%a9"), totalTimeout: .seconds(60))
            _ = try await transport.send(last)
            #expect(server.log.map(\.target) == ["/%c3%a9"])
        }
    }
#endif
