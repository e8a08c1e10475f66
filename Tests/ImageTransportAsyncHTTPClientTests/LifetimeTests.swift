#if AsyncHTTPClient
    import AsyncHTTPClient
    import Foundation
    @testable import ImageTesting
    import ImageTransportAsyncHTTPClient
    import ImageTransporting
    import LoopbackServer
    import NIOCore
    import NIOPosix
    import Testing

    @Suite("Lifetime of clients and threads", .timeLimit(.minutes(10)))
    struct LifetimeTests {
        @Test("the threads of released transports end without a trap")
        func threadsEnd() async throws {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer { _ in .ok([1]) }
                for _ in 0..<20 {
                    let transport = AsyncHTTPClientTransport(options: .init(threadCount: 2))
                    _ = try await read(server.url(), over: transport)
                }
                try await becomesTrue { try eventLoopThreads() == 0 }
            }
        }

        @Test("an unused transport and an abandoned transfer leave no threads")
        func unused() async throws {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer { _ in
                    .steps([.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234"), .awaitDisconnect])
                }
                do {
                    _ = AsyncHTTPClientTransport()
                    _ = try await AsyncHTTPClientTransport().send(TransportRequest(url: server.url()))
                }
                try await becomesTrue { try eventLoopThreads() == 0 }
            }
        }

        @Test("the number of threads is from 1 to 64")
        func threadCount() async throws {
            await #expect(processExitsWith: .success) {
                for (asked, made) in [(-1, 1), (2, 2), (1_000, 64)] {
                    try await becomesTrue { try eventLoopThreads() == 0 }
                    let transport = AsyncHTTPClientTransport(options: .init(threadCount: asked))
                    try await becomesTrue { try eventLoopThreads() == made }
                    withExtendedLifetime(transport) {}
                }
            }
        }

        @Test("a client of the application is used and not shut down")
        func borrowed() async throws {
            let server = try LoopbackServer { _ in .ok([1]) }
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let client = HTTPClient(
                eventLoopGroupProvider: .shared(group),
                configuration: AsyncHTTPClientTransport.Options(maxIdleTime: .seconds(3_600))
                    .makeClientConfiguration())
            for _ in 0..<2 {
                #expect(try await read(server.url(), over: AsyncHTTPClientTransport(client: client)) == Data([1]))
            }
            #expect(server.connectionCount == 1)
            try await client.shutdown().get()
            try await group.shutdownGracefully()
        }

        @Test("requests fail if the client was shut down or follows redirects")
        func unsuitableClient() async throws {
            let server = try LoopbackServer { $0.path == "/1" ? .redirect(to: "/2") : .ok([1]) }
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            let transport = AsyncHTTPClientTransport(client: client)
            await expectOther { try await read(server.url("/1"), over: transport) }
            try await client.shutdown().get()
            await expectOther { try await read(server.url("/3"), over: transport) }
        }

        private func expectOther(_ work: () async throws -> Data) async {
            let error = await #expect(throws: TransportError.self) { try await work() }
            guard case .other = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    private func read(_ url: URL, over transport: AsyncHTTPClientTransport) async throws(TransportError) -> Data {
        try await transport.send(TransportRequest(url: url)).body.collected(expectedByteCount: nil, byteLimit: .max)
    }

    /// Returns the number of event loop threads in this process, which are found by name.
    private func eventLoopThreads() throws -> Int {
        let tasks = URL(filePath: "/proc/self/task")
        return try FileManager.default.contentsOfDirectory(atPath: tasks.path).count { task in
            (try? String(contentsOf: tasks.appending(path: "\(task)/comm"), encoding: .utf8))?.hasPrefix("NIO-ELT")
                ?? false
        }
    }
#endif
