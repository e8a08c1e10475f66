package import ImageServerKit
import NIOCore
import NIOPosix

/// Asks a running server whether it is ready. The caller limits the time, as container runtimes do.
package enum HealthCheck {
    /// Returns if the server with these settings is ready. Throws a `HealthFailure`, or an error of the connection.
    package static func run(_ settings: ServerSettings) async throws {
        let channel = try await channel(to: settings)
        let answer = try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: "GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            var answer = ""
            for try await piece in inbound {
                answer += String(buffer: piece)
                if answer.contains("\r\n") { break }
            }
            return answer
        }
        guard answer.hasPrefix("HTTP/1.1 200 ") else { throw HealthFailure(answer: answer) }
    }

    private static func channel(
        to settings: ServerSettings
    ) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connectTimeout(.seconds(5))
        let wrap: @Sendable (any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> = { channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
        }
        if let socket = settings.socket {
            return try await bootstrap.connect(unixDomainSocketPath: socket, channelInitializer: wrap)
        }
        return try await bootstrap.connect(host: settings.host, port: settings.port, channelInitializer: wrap)
    }
}

package struct HealthFailure: Error, CustomStringConvertible {
    let answer: String

    package var description: String { "not ready: \(answer.prefix { $0 != "\r\n" })" }
}
