import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import Logging
import Synchronization

@testable import ImageServerKit

/// A service over a scripted loader, with caches in memory and a clock that tests move.
final class ServiceFixture: Sendable {
    let loader = FakeImageLoader()
    let disk = InMemoryDataCache()
    let shared = InMemoryDataCache()
    let clock = ManualClock()
    let gate: AdmissionGate
    let time = Mutex(Date(timeIntervalSince1970: 1_700_000_000))
    let parser: CurrentParser
    private let lease: any RenderingLease
    private let memoryByteLimit: Int
    private let settingsKey: String
    private let decoder: any SizedImageDecoder
    private let forwarding: ForwardedFields
    /// The sources whose stored originals were removed.
    let removedOrigins = Mutex<[String]>([])
    let fallback = Mutex<FallbackImage?>(nil)

    init(
        signature: URLSignature? = nil, limit: Int = 8, memoryByteLimit: Int = 1 << 20,
        lease: any RenderingLease = NoLease(), settingsKey: String = "",
        decoder: any SizedImageDecoder = SampleImages.decoder(), forwarding: ForwardedFields = ForwardedFields()
    ) {
        self.settingsKey = settingsKey
        self.decoder = decoder
        self.forwarding = forwarding
        gate = AdmissionGate(limits: .init(running: limit, waiting: 0, waitingTime: .seconds(10)), clock: clock)
        parser = CurrentParser(ImageURLParser(signature: signature))
        self.lease = lease
        self.memoryByteLimit = memoryByteLimit
    }

    /// A fixture whose source is a JPEG.
    static func withImage(_ fixture: ServiceFixture = ServiceFixture()) throws -> ServiceFixture {
        fixture.script(.data(try SampleImages.jpeg()))
        return fixture
    }

    static let source = "http://example.com/a.jpg"

    /// Returns the path for options and the source.
    static func path(_ options: String, _ source: String = source) -> String { "/_/\(options)/plain/\(source)" }

    /// Sets the reply to requests after the last purge of the source, for a client with some header fields.
    func script(
        _ reply: FakeImageLoader.Reply, _ source: String = source, purgedAt purge: Date = .distantPast,
        client: [HTTPField] = []
    ) {
        guard let url = URL(string: source) else { return }
        loader.script(reply, for: OriginalClient(client, for: url, forwarding).request(for: url, purgedAt: purge))
    }

    var now: Date { time.withLock { $0 } }

    func advance(seconds: TimeInterval) { time.withLock { $0 += seconds } }

    /// The number of times that the original was asked for.
    var loadCount: Int { loader.messages.filter { $0 == .data(Self.source) }.count }

    /// - Parameter disk: The disk of another server that shares the rest.
    func makeService(disk: InMemoryDataCache? = nil, settingsKey: String? = nil) -> ImageService {
        let now: @Sendable () -> Date = { [self] in time.withLock { $0 } }
        let levels = [
            ResultCache.Level(name: .disk, cache: disk ?? self.disk), ResultCache.Level(name: .shared, cache: shared),
        ]
        return ImageService(
            ImageServiceParts(
                parser: parser, originRules: OriginRules(), loader: loader, forwarding: forwarding,
                removeOrigin: { [self] url in removedOrigins.withLock { $0.append(url.absoluteString) } },
                renderer: ImageRenderer(decoder: decoder, limits: RenderingLimits(), clock: clock),
                scheduler: ImmediateScheduler(),
                cache: ResultCache(memoryByteLimit: memoryByteLimit, levels: levels, now: now),
                purges: Purges(levels: levels, now: now), fallback: fallback.withLock { $0 },
                settingsKey: settingsKey ?? self.settingsKey, lease: lease, gate: gate,
                decoders: .decoders(1, clock: clock), bounds: LifetimeBounds(standard: .seconds(100)), clock: clock,
                now: now))
    }

    func makeHandler(
        _ service: ImageService? = nil, rules: ResponseRules = ResponseRules(purgeSecret: "secret"),
        logger: Logger? = nil, access: AccessLog.Settings = AccessLog.Settings()
    ) -> RequestHandler {
        RequestHandler(
            service: service ?? makeService(), workCounts: { (2, 1) }, rules: rules,
            logger: logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, access: access)
    }
}

/// Returns the settings of a server that accepts unsigned URLs.
func unsignedSettings(
    _ arguments: [String] = [], _ environment: [String: String] = [:]
) async throws -> ServerSettings {
    try await ServerSettings(
        arguments: ["--allow-unsigned", "true"] + arguments, environment: environment, coreCount: 1)
}

extension RequestHandler {
    /// Returns the response to a request, as the HTTP server does.
    func answer(
        _ path: String, _ method: HTTPRequest.Method = .get, _ headers: HTTPFields = [:]
    ) async -> ServerResponse {
        let request = ServerRequest(method: method, target: path, headers: headers)
        if let response = immediateResponse(to: request) { return response }
        return await response(to: request)
    }
}

extension ServerResponse {
    var text: String { String(bytes: body, encoding: .utf8) ?? "" }

    subscript(name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
}
