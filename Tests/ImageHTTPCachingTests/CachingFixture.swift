import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Synchronization

@testable import ImageHTTPCaching

/// A caching transport with a scripted server, an in-memory cache and a wall clock that only the test moves.
struct CachingFixture: Sendable {
    let server = ScriptedTransport()
    let disk: any ImageDataCache
    let time: ManualWallClock
    let events = MessageLog<CachingEvent>()
    let transport: CachingTransport

    /// Creates a fixture.
    ///
    /// - Parameters:
    ///   - disk: The data cache. Pass the cache of another fixture to simulate a relaunch.
    ///   - clock: Measures how long a response waits until it is stored.
    ///   - threshold: The number of failures after which the server is unavailable.
    init(
        policy: any HTTPCachePolicy = RFC9111Policy(), disk: any ImageDataCache = InMemoryDataCache(),
        time: ManualWallClock = ManualWallClock(), threshold: Int = .max,
        clock: ManualClock = ManualClock(), adjust: (inout CachingOptions) -> Void = { _ in }
    ) {
        self.disk = disk
        self.time = time
        var options = CachingOptions(policy: policy, observer: { [events] in events.append($0) })
        adjust(&options)
        let network = CircuitBreakingTransport(server, threshold: threshold, clock: ManualClock())
        transport = CachingTransport(over: network, cache: disk, options: options, clock: clock) { time.now }
    }

    /// Returns a URL of the scripted host.
    static func url(_ path: String) -> URL {
        guard let url = URL(string: "https://images.test\(path)") else { preconditionFailure("not a path: \(path)") }
        return url
    }

    /// Sets the replies of the server, one for each request. The last one is repeated.
    func script(_ path: String = "/a", _ replies: ScriptedTransport.Reply...) {
        server.script(Self.url(path), replies)
    }

    /// Sends a GET and returns its response with the complete body.
    func get(_ path: String = "/a", _ lines: String..., adjust: (inout TransportRequest) -> Void = { _ in })
        async throws -> Received
    {
        try await Received(transport.send(Self.request(path, lines, adjust)))
    }

    /// The events of revalidations in the background.
    var revalidations: [CachingEvent] {
        events.messages.filter { if case .revalidated = $0 { true } else { false } }
    }

    /// Returns the stored response to a GET, or nil.
    func stored(_ path: String = "/a", _ lines: String..., acceptsStale: Bool = false) async throws -> Received? {
        let request = Self.request(path, lines) { if acceptsStale { $0.cacheUse.mode = .onlyIfCached } }
        guard case .stored(let response) = try? await transport.answer(to: request) else { return nil }
        return try await Received(response)
    }

    static func request(
        _ path: String, _ lines: [String] = [], _ adjust: (inout TransportRequest) -> Void = { _ in }
    ) -> TransportRequest {
        var request = TransportRequest(url: url(path), headers: HTTPFields(lines))
        adjust(&request)
        return request
    }
}

/// A response and its complete body.
struct Received: Equatable {
    var status: Int
    var headers: HTTPFields
    var text: String
    var source: ResponseSource

    init(_ response: TransportResponse) async throws {
        status = response.head.status.code
        headers = response.head.headers
        source = response.source
        text = String(
            decoding: try await response.body.collected(expectedByteCount: nil, byteLimit: .max), as: UTF8.self)
    }
}

/// A wall clock that only the test moves.
final class ManualWallClock: Sendable {
    private let time = Mutex(noon)

    var now: Date { time.withLock { $0 } }
    func advance(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// Collects operations until a test runs them.
final class DeferredWork: Sendable {
    private let work = Mutex<[@Sendable () async -> Void]>([])

    var count: Int { work.withLock { $0.count } }
    func append(_ more: @escaping @Sendable () async -> Void) { work.withLock { $0.append(more) } }

    func run() async {
        let all = work.withLock { work in
            defer { work = [] }
            return work
        }
        for work in all { await work() }
    }
}

extension ScriptedTransport.Reply {
    /// Creates a reply that is fresh for a minute.
    static func fresh(
        status: HTTPResponse.Status = .ok, announcedByteCount: Int? = nil, _ body: [ScriptedTransport.Step]
    ) -> Self {
        Self(
            status: status, headers: [.cacheControl: "max-age=60"], announcedByteCount: announcedByteCount, body: body)
    }

    /// Creates a reply from header lines like `Cache-Control: max-age=60`, dated at noon.
    static func text(_ text: String, _ lines: String..., status: HTTPResponse.Status = .ok) -> Self {
        var headers = HTTPFields(lines)
        if headers[.date] == nil { headers[.date] = HTTPDate.format(noon) }
        let body = Data(text.utf8)
        return Self(
            status: status, headers: headers, announcedByteCount: body.count, body: body.isEmpty ? [] : [.piece(body)])
    }
}

extension HTTPFields {
    init(_ lines: [String]) {
        self.init()
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = HTTPField.Name(String(parts[0])) else { preconditionFailure("not a header line: \(line)") }
            append(HTTPField(name: name, value: parts[1].trimmingCharacters(in: .whitespaces)))
        }
    }
}

/// The time at which every test starts.
let noon = Date(timeIntervalSince1970: 1_700_049_600)

/// Creates a response stored at noon, from header lines like `Cache-Control: max-age=60`.
func stored(
    _ lines: String..., status: Int = 200, to request: HTTPFields = [:], url: String = "https://images.test/1.jpg",
    delay: TimeInterval = 0
) -> StoredHTTPResponse {
    StoredHTTPResponse(
        head(lines, status: status, url: url), to: request, requestTime: noon - delay, responseTime: noon)
}

func head(_ lines: [String], status: Int = 200, url: String = "https://images.test/1.jpg") -> ResponseHead {
    ResponseHead(status: .init(code: status), headers: HTTPFields(lines), url: URL(string: url) ?? URL(filePath: "/"))
}

func request(_ lines: String..., method: HTTPRequest.Method = .get) -> HTTPCacheRequest {
    HTTPCacheRequest(method: method, headers: HTTPFields(lines))
}

/// Returns an HTTP date, in seconds after noon.
func date(_ offset: TimeInterval) -> String { HTTPDate.format(noon + offset) }
