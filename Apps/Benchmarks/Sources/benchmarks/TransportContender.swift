import CTransportFloor
import Foundation
import ImageTransportCurl
import ImageTransporting
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An HTTP client.
protocol TransportContender {
    var name: String { get }
    /// The upper limit of the ratio to the curl tool, or `nil` if there is no goal.
    var goal: Double? { get }
    /// Fetches `count` bodies over new connections, six at a time. Returns the total processor time in microseconds.
    func fetch(_ count: Int) async throws -> Double
}

extension TransportContender {
    var goal: Double? { nil }
}

private let connections = 6

private func imageAddress(_ port: Int, _ number: Int) throws -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)/images/\(number).jpg") else {
        throw ContenderFailure(text: "invalid URL")
    }
    return url
}

/// The counters of concurrent downloads.
private final class DownloadCounters: Sendable {
    /// The number of the next image.
    let next = Atomic(0)
    /// The total number of received bytes.
    let received = Atomic(0)
}

/// Fetches bodies with `fetch`, which returns the length of a body, six at a time.
private func fetchAll(
    _ count: Int, port: Int, _ fetch: @escaping @Sendable (URL) async throws -> Int
) async throws {
    let counters = DownloadCounters()
    try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<connections {
            group.addTask {
                while true {
                    let number = counters.next.add(1, ordering: .relaxed).oldValue
                    guard number < count else { return }
                    counters.received.add(try await fetch(imageAddress(port, number)), ordering: .relaxed)
                }
            }
        }
        try await group.waitForAll()
    }
    try LoopbackOrigin.check(counters.received.load(ordering: .relaxed), of: count)
}

/// `CurlTransport`. Collects bodies as the loader does.
struct CurlTransportContender: TransportContender {
    let name = "CurlTransport"
    let goal: Double? = 1.3
    let port: Int

    func fetch(_ count: Int) async throws -> Double {
        try await Stopwatch.processorMicroseconds { try await Self.fetch(count, from: port, with: CurlTransport()) }
    }

    static func fetch(_ count: Int, from port: Int, with transport: CurlTransport) async throws {
        try await fetchAll(count, port: port) { url in
            let response = try await transport.send(TransportRequest(url: url))
            let data = try await response.body.collected(
                expectedByteCount: response.head.expectedByteCount, byteLimit: 256 << 20)
            return data.count
        }
    }
}

/// Foundation's `URLSession`.
struct URLSessionContender: TransportContender {
    let name = "URLSession"
    let port: Int

    func fetch(_ count: Int) async throws -> Double {
        try await Stopwatch.processorMicroseconds {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpMaximumConnectionsPerHost = connections
            configuration.urlCache = nil
            let session = URLSession(configuration: configuration)
            try await fetchAll(count, port: port) { try await session.data(from: $0).0.count }
            session.finishTasksAndInvalidate()
        }
    }
}

/// The curl tool. Discards the bodies. Subtracts the time of starting the tool and fetching one body.
struct CurlToolContender: TransportContender {
    let name = "curl --parallel"
    private let folder: URL
    private let port: Int

    init(folder: URL, port: Int) throws {
        self.folder = folder
        self.port = port
        try run(1)
    }

    func fetch(_ count: Int) async throws -> Double {
        let start = floor_children_seconds()
        try run(1)
        let middle = floor_children_seconds()
        try run(count)
        return (floor_children_seconds() - middle - (middle - start)) * 1_000_000
    }

    private func run(_ count: Int) throws {
        let list = folder.appending(path: "\(count).curl")
        if !FileManager.default.fileExists(atPath: list.path) {
            let lines = try (0..<count).map { "url=\(try imageAddress(port, $0))\noutput=/dev/null\n" }
            try Data(lines.joined().utf8).write(to: list)
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "curl", "-q", "-s", "-f", "--noproxy", "*", "--parallel", "--parallel-max", "\(connections)", "-K",
            list.path,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ContenderFailure(text: "curl failed") }
    }
}
