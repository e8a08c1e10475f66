import Foundation
import HTTPTransports
import ImageTransporting
import LoopbackServer
import Synchronization
import Testing

@Suite("Dead connections", .timeLimit(.minutes(10)))
struct DeadConnectionTests {
    private func request(_ url: URL, stall: Duration = .milliseconds(300)) -> TransportRequest {
        TransportRequest(url: url, stallTimeout: stall, totalTimeout: .seconds(60))
    }

    @Test(
        "after a request timed out, the next one uses neither its connection nor an idle one from before",
        arguments: HTTPTransport.allCases)
    func keptConnections(_ http: HTTPTransport) async throws {
        let held = LoopbackSignal()
        let server = try LoopbackServer { request in
            guard request.connection <= 6 else { return .ok([2]) }
            return request.path == "/1"
                ? .steps([.wait(held), .text("HTTP/1.1 204 No\r\n\r\n")]) : .steps([.awaitDisconnect])
        }
        let transport = http.make()
        try await withThrowingTaskGroup { group in
            for _ in 0..<6 {
                group.addTask {
                    let request = TransportRequest(url: server.url("/1"), stallTimeout: .seconds(600))
                    _ = try await collect(try await transport.send(request).body)
                }
            }
            await held.arrivals(6)
            held.open()
            try await group.waitForAll()
        }
        #expect(await failure(transport, request(server.url("/2"))) == .timedOut(.head))
        #expect(await failure(transport, request(server.url("/3"), stall: .seconds(600))) == nil)
        #expect(server.connectionCount == 7)
    }

    @Test("idle connections are closed when the network changes", arguments: HTTPTransport.allCases)
    func idle(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { _ in .ok([1]) }
        let transport = http.make()
        for count in 1...3 {
            #expect(await failure(transport, request(server.url())) == nil)
            #expect(server.connectionCount == count)
            transport.closeIdleConnections()
        }
    }

    @Test("a connection with a transfer is not closed when the network changes", arguments: HTTPTransport.allCases)
    func inUse(_ http: HTTPTransport) async throws {
        let held = LoopbackSignal()
        let server = try LoopbackServer { _ in
            .steps([.text("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"), .wait(held), .text("1234")])
        }
        let transport = http.make()
        let response = try await transport.send(TransportRequest(url: server.url(), stallTimeout: .seconds(600)))
        transport.closeIdleConnections()
        held.open()
        #expect(try await collect(response.body) == Array("1234".utf8))
    }

    @Test(
        "a slow response doesn't take away the connections of others that receive bytes",
        arguments: HTTPTransport.allCases)
    func slowServer(_ http: HTTPTransport) async throws {
        let held = LoopbackSignal()
        let server = try LoopbackServer { request in
            guard request.path == "/slow" else { return .steps([.awaitDisconnect]) }
            return .steps([.text("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"), .wait(held), .text("1234")])
        }
        let transport = http.make()
        let slow = try await transport.send(TransportRequest(url: server.url("/slow"), stallTimeout: .seconds(600)))
        #expect(await failure(transport, request(server.url("/silent"))) == .timedOut(.head))
        held.open()
        #expect(try await collect(slow.body) == Array("1234".utf8))
    }
}

@Suite(
    "Dead HTTP/2 connections", .timeLimit(.minutes(10)),
    .enabled(if: NginxServer.isAvailable, "needs nginx and openssl: apt-get install nginx-light openssl"))
struct DeadHTTP2ConnectionTests {
    /// A server behind a relay, and a transport with a connection that has answered five requests and is now silent.
    private struct Fixture {
        let server: NginxServer
        let relay: LoopbackRelay
        let transport: any DataTransport

        init(_ http: HTTPTransport) async throws {
            server = try await NginxServer(files: ["a": [1]])
            relay = try LoopbackRelay(to: server.port)
            transport = http.make(rootsFile: server.rootsFile)
            for _ in 0..<5 {
                let response = try await transport.send(request())
                #expect(try await collect(response.body) == [1])
            }
            #expect(relay.connectionCount == 1)
            relay.silence()
        }

        func request(stall: Duration = .seconds(600)) -> TransportRequest {
            var made = TransportRequest(url: URL(filePath: "/"), stallTimeout: stall, totalTimeout: .seconds(120))
            made.url = URL(string: "https://localhost:\(relay.port)/a") ?? made.url
            return made
        }

        func failure(stall: Duration = .seconds(600)) async -> TransportError? {
            await HTTPTransportTests.failure(transport, request(stall: stall))
        }
    }

    @Test("a request that timed out takes its connection with it", arguments: HTTPTransport.allCases)
    func timedOut(_ http: HTTPTransport) async throws {
        let fixture = try await Fixture(http)
        #expect(await fixture.failure(stall: .milliseconds(300)) == .timedOut(.head))
        for _ in 0..<5 { #expect(await fixture.failure() == nil) }
        #expect(fixture.relay.connectionCount == 2)
    }

    @Test(
        "a request that timed out takes a connection with it on which others still wait",
        arguments: HTTPTransport.allCases)
    func shared(_ http: HTTPTransport) async throws {
        let fixture = try await Fixture(http)
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let waiting = (0..<3).map { _ in
            Task {
                started.yield()
                return await fixture.failure()
            }
        }
        for await _ in starts.prefix(waiting.count) {}
        #expect(await fixture.failure(stall: .milliseconds(500)) == .timedOut(.head))
        #expect(await fixture.failure() == nil)
        for task in waiting {
            task.cancel()
            let end = await task.value
            #expect(end == .cancelled || end?.kind == "connectionLost")
        }
    }

    @Test(
        "a request that is cancelled after a second of silence takes its connection with it",
        arguments: HTTPTransport.allCases)
    func cancelled(_ http: HTTPTransport) async throws {
        let fixture = try await Fixture(http)
        let silent = try LoopbackServer { _ in .steps([.awaitDisconnect]) }
        let task = Task { await fixture.failure() }
        // Wait longer than a second, with the stall of another request.
        let other = TransportRequest(url: silent.url(), stallTimeout: .seconds(3))
        #expect(await failure(http.make(), other) == .timedOut(.head))
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(await fixture.failure() == nil)
    }
}
