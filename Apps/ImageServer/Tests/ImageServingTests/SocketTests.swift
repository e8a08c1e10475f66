import Foundation
import ImageServerKit
import ImageServing
import Logging
import LoopbackServer
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

@Suite("Listening at a Unix socket", .timeLimit(.minutes(10)))
struct SocketTests {
    @Test("serves at the socket, also if a server before it left one behind")
    func socket() async throws {
        let path = "/tmp/image-server-\(UUID().uuidString.prefix(8)).sock"
        defer { try? FileManager.default.removeItem(atPath: path) }
        for _ in 0..<2 {
            let settings = try await ServerSettings(
                arguments: ["--allow-unsigned", "true", "--socket", path], environment: [:], coreCount: 1)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let (started, start) = AsyncStream<Int>.makeStream()
            let group = ServiceGroup(
                configuration: .init(
                    services: [try ImageServer(settings, logger: logger) { start.yield($0) }], logger: logger))
            let running = Task { try await group.run() }
            _ = await started.first { _ in true }
            #expect(try await response(at: path).hasPrefix("HTTP/1.1 204"))
            try await HealthCheck.run(settings)
            await group.triggerGracefulShutdown()
            try await running.value
            await #expect(throws: (any Error).self) { try await HealthCheck.run(settings) }
        }
    }

    @Test("a file in the place of the socket stays, and is an error at start")
    func file() async throws {
        let path = "/tmp/image-server-\(UUID().uuidString.prefix(8)).sock"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("text".utf8).write(to: URL(filePath: path))
        let settings = try await ServerSettings(
            arguments: ["--allow-unsigned", "true", "--socket", path], environment: [:], coreCount: 1)
        let server = try ImageServer(settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        await #expect(throws: ListeningFailure.self) { try await server.run() }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("text".utf8))
    }

    @Test("the health check of a container succeeds at the port of the server, and not at that of others")
    func healthCheck() async throws {
        func check(port: some BinaryInteger) async throws {
            let arguments = ["--allow-unsigned", "true", "--port", "\(port)"]
            try await HealthCheck.run(try await ServerSettings(arguments: arguments, environment: [:], coreCount: 1))
        }
        try await withServer { try await check(port: $0.port) }
        let other = try LoopbackServer { _ in .response(status: 503) }
        let failure = await #expect(throws: HealthFailure.self) { try await check(port: other.port) }
        #expect(failure?.description.hasPrefix("not ready: HTTP/1.1 503") == true)
    }

    private func response(at path: String) async throws -> String {
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        let channel = try await bootstrap.connect(unixDomainSocketPath: path) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: "HEAD /favicon.ico HTTP/1.1\r\nHost: a\r\n\r\n"))
            var received = ""
            for try await piece in inbound {
                received += String(buffer: piece)
                if received.hasSuffix("\r\n\r\n") { break }
            }
            return received
        }
    }
}
