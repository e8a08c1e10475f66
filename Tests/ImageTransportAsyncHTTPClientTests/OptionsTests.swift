#if AsyncHTTPClient
    import AsyncHTTPClient
    import Foundation
    import ImageTransportAsyncHTTPClient
    import ImageTransporting
    import LoopbackServer
    import NIOCore
    import NIOPosix
    import NIOSSL
    import Testing

    @Suite("Options of the client", .timeLimit(.minutes(10)))
    struct OptionsTests {
        @Test("the defaults are those of the documentation")
        func defaults() {
            let options = AsyncHTTPClientTransport.Options()
            #expect(options.threadCount == 1)
            let made = options.makeClientConfiguration()
            #expect(made.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit == 6)
            #expect(made.connectionPool.idleTimeout == .seconds(60))
            #expect(made.timeout.connect == .seconds(15))
            #expect(made.tlsConfiguration?.trustRoots == .default)
            #expect(made.tlsConfiguration?.certificateVerification == .fullVerification)
        }

        @Test("the client neither decodes nor connects again, which the transport does")
        func left() {
            let made = AsyncHTTPClientTransport.Options().makeClientConfiguration()
            #expect(!made.connectionPool.retryConnectionEstablishment)
            guard case .disabled = made.decompression else {
                Issue.record("\(made.decompression)")
                return
            }
        }

        @Test("all options reach the client, and the number of connections is one that it accepts")
        func changed() {
            var options = AsyncHTTPClientTransport.Options(
                maxIdleTime: .seconds(7), rootsFile: "/roots.pem", connectTimeout: .milliseconds(200))
            let made = options.makeClientConfiguration()
            #expect(made.connectionPool.idleTimeout == .seconds(7))
            #expect(made.timeout.connect == .milliseconds(200))
            #expect(made.tlsConfiguration?.trustRoots == .file("/roots.pem"))
            for (asked, used) in [(0, 1), (9, 9), (70_000, 65_535)] {
                options.maxConnectionsPerServer = asked
                let pool = options.makeClientConfiguration().connectionPool
                #expect(pool.concurrentHTTP1ConnectionsPerHostSoftLimit == used)
            }
        }

        @Test("a client of the application gets no more transfers at a time than it has connections")
        func borrowedLimit() async throws {
            let held = LoopbackSignal()
            let server = try LoopbackServer { _ in .steps([.wait(held), .text("HTTP/1.1 204 No Content\r\n\r\n")]) }
            let client = HTTPClient(
                eventLoopGroupProvider: .singleton,
                configuration: AsyncHTTPClientTransport.Options(maxIdleTime: .seconds(3_600))
                    .makeClientConfiguration())
            let transport = AsyncHTTPClientTransport(client: client, maxConnectionsPerServer: 2)
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        _ = try await transport.send(TransportRequest(url: server.url(), stallTimeout: .seconds(600)))
                    }
                }
                await held.arrivals(2)
                held.open()
                try await group.waitForAll()
            }
            #expect(server.connectionCount == 2)
            #expect(server.requestCount == 20)
            try await client.shutdown().get()
        }
    }
#endif
