import Foundation
import HTTPTypes
import ImageServerKit
import ImageServing
import ImageTransportCurl
import ImageTransporting
import Logging
import LoopbackServer
import ServiceLifecycle

/// A server that listens at a free port of the loopback interface.
struct RunningServer: Sendable {
    let port: Int
    let server: ImageServer
    /// Starts the graceful shutdown, and returns when the server has ended.
    let shutDown: @Sendable () async throws -> Void
    private let client = CurlTransport(
        options: .init(maxConnectionsPerServer: 256, maxConnections: 512, usesEnvironmentProxy: false))

    /// Sends a request and returns its response with the whole body.
    func send(
        _ path: String, _ method: HTTPRequest.Method = .get, _ headers: HTTPFields = [:], port: Int? = nil
    ) async throws -> (status: Int, headers: HTTPFields, body: Data) {
        guard let url = URL(string: "http://127.0.0.1:\(port ?? self.port)\(path)") else { throw URLError(.badURL) }
        var request = TransportRequest(url: url, method: method, headers: headers, followsRedirects: false)
        request.decodesContent = false
        let response = try await client.send(request)
        let body = try await response.body.collected(expectedByteCount: nil, byteLimit: .max)
        return (response.head.status.code, response.head.headers, body)
    }

    func status(_ path: String) async throws -> Int { try await send(path).status }
}

/// Runs a server while `body` runs.
///
/// - Parameters:
///   - settings: Flags in addition to the port. Without a key, unsigned URLs are allowed.
///   - origin: An origin that the server may use although it is on the loopback interface.
///   - logger: Receives the messages of the server.
func withServer(
    _ settings: [String] = [], origin: LoopbackServer? = nil, logger: Logger? = nil,
    onMetricsRunning: @escaping @Sendable (Int) -> Void = { _ in }, _ body: (RunningServer) async throws -> Void
) async throws {
    var arguments = ["--port", "0"] + settings
    if !settings.contains("--log-level") { arguments += ["--log-level", "critical"] }
    if !settings.contains("--pages") { arguments += ["--pages", "form,metrics"] }
    if !settings.contains("--key") { arguments += ["--allow-unsigned", "true"] }
    if let origin {
        arguments += ["--allowed-addresses", "127.0.0.1", "--allowed-ports", "\(origin.port)"]
    }
    var checked = try await ServerSettings(arguments: arguments, environment: [:], coreCount: 2)
    // A busy machine isn't taken for an outage of the Redis server.
    checked.redisTimeout = .seconds(60)
    checked.workerProgram =
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "image-server").path
    let logger = logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let (ports, port) = AsyncStream<Int>.makeStream()
    let server = try ImageServer(
        checked, logger: logger, onRunning: { port.yield($0) }, onMetricsRunning: onMetricsRunning)
    let group = ServiceGroup(configuration: .init(services: [server], logger: logger))
    let running = Task { try await group.run() }
    let ended: @Sendable () async throws -> Void = {
        await group.triggerGracefulShutdown()
        try await running.value
    }
    guard let number = await ports.first(where: { _ in true }) else { return }
    do {
        try await body(RunningServer(port: number, server: server, shutDown: ended))
    } catch {
        try await ended()
        throw error
    }
    try await ended()
}

/// Returns the path of an image on an origin.
func imagePath(_ options: String, _ url: URL) -> String { imagePath(options, url.absoluteString) }

/// Returns the path of an image with a source that may not be a valid URL.
func imagePath(_ options: String, _ source: String) -> String {
    let encoded = source.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return "/_/\(options)/plain/\(encoded)"
}
