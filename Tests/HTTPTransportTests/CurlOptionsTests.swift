#if os(Linux)
    import Foundation
    import ImageTransportCurl
    import ImageTransporting
    import LeakChecking
    import LoopbackServer
    import Testing

    @Suite("Connections of libcurl", .timeLimit(.minutes(10)))
    struct CurlOptionsTests {
        private func transport(perServer: Int = 6, total: Int = 64, idle: Duration = .seconds(3_600)) -> CurlTransport {
            CurlTransport(
                options: .init(
                    maxConnectionsPerServer: perServer, maxConnections: total, maxIdleTime: idle,
                    usesEnvironmentProxy: false))
        }

        @Test("a server has as many connections as it may, and others have the rest")
        func limits() async throws {
            let held = [LoopbackSignal(), LoopbackSignal()]
            let servers = try held.map { held in
                try LoopbackServer { _ in .steps([.wait(held), .text("HTTP/1.1 204 No\r\n\r\n")]) }
            }
            let transport = transport(perServer: 1, total: 2)
            try await withThrowingTaskGroup(of: Void.self) { group in
                func request(from server: LoopbackServer) {
                    let request = TransportRequest(url: server.url(), stallTimeout: .seconds(600))
                    group.addTask { _ = try await collect(try await transport.send(request).body) }
                }
                request(from: servers[0])
                await held[0].arrivals(1)
                request(from: servers[0])
                request(from: servers[1])
                await held[1].arrivals(1)
                for held in held { held.open() }
                try await group.waitForAll()
            }
            #expect(servers.map(\.connectionCount) == [1, 1])
        }

        @Test("a connection that was idle for longer than its limit isn't used again")
        func idleTime() async throws {
            let server = try LoopbackServer { _ in .ok([1]) }
            let transport = transport(idle: .seconds(1))
            for _ in 0..<2 {
                #expect(await failure(transport, TransportRequest(url: server.url())) == nil)
                try await Task.sleep(for: .milliseconds(2_100))
            }
            #expect(server.connectionCount == 2)
        }

        @Test("after a pause of more than a second, bytes show that the connections of their server are alive")
        func lively() async throws {
            let (held, first) = (LoopbackSignal(), LoopbackSignal())
            let server = try LoopbackServer { request in
                guard request.path == "/slow" else {
                    return request.path == "/held"
                        ? .steps([.wait(held), .text("HTTP/1.1 204 No\r\n\r\n")]) : .ok([1])
                }
                return .steps([
                    .text("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n1"), .wait(first),
                    .pause(.milliseconds(1_200)), .text("2"), .awaitDisconnect,
                ])
            }
            let transport = transport()
            func send(_ path: String) async throws -> TransportResponse {
                try await transport.send(TransportRequest(url: server.url(path), stallTimeout: .seconds(600)))
            }
            // Two connections: one that becomes idle, and one whose body is abandoned after its second byte.
            async let idle = collect(try await send("/held").body)
            await held.arrivals(1)
            do {
                var pieces = try await send("/slow").body.makeAsyncIterator()
                #expect(try await pieces.next() == Data("1".utf8))
                held.open()
                #expect(try await idle.isEmpty)
                first.open()
                #expect(try await pieces.next() == Data("2".utf8))
            }
            #expect(try await collect(try await send("/next").body) == [1])
            #expect(server.connectionCount == 2)
        }

        @Test("a released transport leaves no file open")
        func openFiles() async {
            await #expect(processExitsWith: .success) {
                try await checkForOpenFiles { _ = CurlTransport(options: .init()) }
            }
        }
    }
#endif
