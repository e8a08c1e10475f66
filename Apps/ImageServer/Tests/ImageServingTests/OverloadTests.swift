import Foundation
import HTTPTypes
import LoopbackServer
import NIOCore
import NIOPosix
import Testing

@Suite("Overload, slow clients and the shutdown", .timeLimit(.minutes(10)))
struct OverloadTests {
    @Test("work beyond the limit and the queue is refused at once, and cached images are still served")
    func refusal() async throws {
        let held = LoopbackSignal()
        let origin = try Samples.origin(holdingAt: held, free: "/free.jpg")
        try await withServer(["--max-renderings", "2", "--max-waiting", "0"], origin: origin) {
            server async throws in
            let cached = imagePath("w:4", origin.url("/free.jpg"))
            #expect(try await server.status(cached) == 200)
            let slow = (0..<2).map { number in
                Task { try await server.status(imagePath("w:4", origin.url("/\(number).jpg"))) }
            }
            await held.arrivals(2)
            let refused = try await server.send(imagePath("w:4", origin.url("/more.jpg")))
            #expect(refused.status == 503 && refused.headers[.retryAfter] == "10")
            #expect(try await server.status(cached) == 200)
            held.open()
            for task in slow { #expect(try await task.value == 200) }
            #expect(try await server.status(imagePath("w:4", origin.url("/more.jpg"))) == 200)
        }
    }

    @Test("a page of 600 new thumbnails of one origin is answered, whatever the limit")
    func page() async throws {
        let origin = try Samples.origin()
        let settings = ["--max-renderings", "2", "--queue-seconds", "500", "--request-seconds", "600"]
        try await withServer(settings, origin: origin) { server async throws in
            let statuses = try await withThrowingTaskGroup(of: [Int].self) { browsers in
                for browser in 0..<60 {
                    browsers.addTask {
                        var statuses: [Int] = []
                        for number in 0..<10 {
                            let source = origin.url("/\(browser)-\(number).jpg")
                            statuses.append(try await server.status(imagePath("w:4", source)))
                        }
                        return statuses
                    }
                }
                return try await browsers.reduce(into: []) { $0 += $1 }
            }
            #expect(statuses.count == 600 && statuses.allSatisfy { $0 == 200 })
        }
    }

    @Test("a stalled server doesn't delay another one at another port of its host")
    func ports() async throws {
        let held = LoopbackSignal()
        let stalled = try Samples.origin(holdingAt: held)
        let other = try Samples.origin(holdingAt: LoopbackSignal(), free: "/free.jpg")
        let settings = [
            "--max-downloads-per-server", "1", "--request-seconds", "60", "--allowed-addresses", "127.0.0.1",
            "--allowed-ports",
            "\(stalled.port),\(other.port)",
        ]
        try await withServer(settings) { server async throws in
            let slow = Task { try await server.status(imagePath("w:4", stalled.url("/a.jpg"))) }
            await held.arrivals(1)
            #expect(try await server.status(imagePath("w:4", other.url("/free.jpg"))) == 200)
            held.open()
            #expect(try await slow.value == 200)
        }
    }

    @Test(
        "an origin that can't be reached gets no requests for a time, which clients learn, unless the settings say never",
        arguments: [("1", "3600"), ("0", nil)] as [(String, String?)])
    func breaker(failures: String, retryAfter: String?) async throws {
        let port = try RefusingPort()
        let address = "http://127.0.0.1:\(port.port)/a.jpg"
        let settings = [
            "--allowed-addresses", "127.0.0.1", "--allowed-ports", "\(port.port)", "--breaker-failures", failures,
            "--breaker-seconds", "3600",
        ]
        try await withServer(settings) { server async throws in
            _ = try await server.send(imagePath("w:4", address))
            let response = try await server.send(imagePath("w:5", address))
            #expect(response.status == 502 && response.headers[.retryAfter] == retryAfter)
        }
    }

    @Test("a client that leaves ends the work for it")
    func leaving() async throws {
        let held = LoopbackSignal()
        let origin = try Samples.origin(holdingAt: held, free: "/free.jpg")
        try await withServer(origin: origin) { server async throws in
            let request = Task { try await server.status(imagePath("w:4", origin.url("/a.jpg"))) }
            await held.arrivals(1)
            request.cancel()
            await origin.abandonments(1)
            _ = await request.result
        }
    }

    @Test(
        "a slow origin ends with status 504",
        arguments: [
            ["--request-seconds", "0.3"],
            ["--download-seconds", "0.3", "--request-seconds", "3000", "--stall-seconds", "3000"],
        ])
    func slowOrigin(flags: [String]) async throws {
        let origin = try LoopbackServer { _ in .steps([.awaitDisconnect]) }
        try await withServer(flags, origin: origin) { server async throws in
            let status = try await server.status(imagePath("w:4", origin.url("/a.jpg")))
            #expect(status == 504)
        }
    }

    @Test("a client that does not read holds no decoder")
    func slowReader() async throws {
        let origin = try Samples.origin(Samples.png(2_000, 1_500))
        try await withServer(["--max-decodes", "1"], origin: origin) { server async throws in
            let path = imagePath("f:png/skp:png", origin.url("/large.png"))
            #expect(try await server.status(path) == 200)
            let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelOption(.autoRead, value: false)
                .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
                .connect(host: "127.0.0.1", port: server.port).get()
            try await client.writeAndFlush(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")).get()
            for width in 1...3 {
                #expect(try await server.status(imagePath("w:\(width)", origin.url("/large.png"))) == 200)
            }
            try await client.close()
        }
    }

    @Test("a connection stays open after a rendered response")
    func keepsConnections() async throws {
        let origin = try Samples.origin()
        try await withServer(origin: origin) { server async throws in
            let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            let channel = try await bootstrap.connect(host: "127.0.0.1", port: server.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
            try await channel.executeThenClose { inbound, outbound in
                var pieces = inbound.makeAsyncIterator()
                for width in 1...3 {
                    let path = imagePath("w:\(width)", origin.url("/a.jpg"))
                    try await outbound.write(ByteBuffer(string: "HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\n"))
                    var response = ""
                    while !response.hasSuffix("\r\n\r\n"), let piece = try await pieces.next() {
                        response += String(buffer: piece)
                    }
                    #expect(response.hasPrefix("HTTP/1.1 200"))
                }
            }
        }
    }

    @Test("requests in progress are finished during the shutdown, and new connections are refused")
    func shutdown() async throws {
        let held = LoopbackSignal()
        let origin = try Samples.origin(holdingAt: held, free: "/free.jpg")
        try await withServer(origin: origin) { server async throws in
            let request = Task { try await server.send(imagePath("w:4", origin.url("/a.jpg"))) }
            await held.arrivals(1)
            let end = Task { try await server.shutDown() }
            await refusesConnections(server.port)
            held.open()
            #expect(try await request.value.status == 200)
            try await end.value
        }
    }

    /// Returns when nothing listens at a port.
    private func refusesConnections(_ port: Int) async {
        while true {
            let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            guard let channel = try? await bootstrap.connect(host: "127.0.0.1", port: port).get() else { return }
            try? await channel.close()
        }
    }
}
