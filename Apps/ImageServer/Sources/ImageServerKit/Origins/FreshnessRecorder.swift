public import Foundation
import HTTPTypes
public import ImageCore
import ImageMemoryCaching
public import ImageTransporting

/// Remembers the freshness of each original that is loaded through it, because a loader returns only the bytes.
///
/// It is in front of the transport with the HTTP cache, so that it sees the responses of both. It follows redirects
/// itself: a result is as fresh as the most restrictive response that leads to it.
public final class FreshnessRecorder: ResponseCache {
    private let transport: any ResponseCache
    private let now: @Sendable () -> Date
    private let bounds: LifetimeBounds
    private let forwarding: ForwardedFields
    private let freshness: MemoryCache<String, OriginFreshness>
    private let retryTimes: MemoryCache<String, String>
    private let traces: MemoryCache<String, TraceContext>

    /// - Parameters:
    ///   - transport: Loads originals, with a cache.
    ///   - bounds: The bounds of the lifetime of each response.
    ///   - forwarding: The header fields that a redirect to another origin removes.
    ///   - limit: The number of originals that are remembered.
    ///   - now: Returns the current time.
    public init(
        over transport: any ResponseCache, bounds: LifetimeBounds = LifetimeBounds(),
        forwarding: ForwardedFields = ForwardedFields(), limit: Int = 50_000, now: @escaping @Sendable () -> Date
    ) {
        self.transport = transport
        self.bounds = bounds
        self.forwarding = forwarding
        self.now = now
        // URLs of 100 bytes. Fewer are remembered if they are longer.
        freshness = MemoryCache(limits: CacheLimits(cost: limit * (Self.entryBytes + 100)))
        traces = MemoryCache(limits: CacheLimits(cost: limit * (Self.entryBytes + 100)))
        retryTimes = MemoryCache(limits: CacheLimits(count: 1_000))
    }

    /// Returns the freshness of the latest response to a request; nil if there was none.
    public func freshness(of request: ImageRequest) -> OriginFreshness? { freshness.value(for: Self.name(request)) }

    /// Returns the Retry-After of the latest response to a request, if it had status 429.
    public func retryAfter(for request: ImageRequest) -> String? { retryTimes.value(for: Self.name(request)) }

    /// Sets the trace with which the next request is sent. The loader's request has no field for it, because requests
    /// with other fields would not share a download.
    public func setTrace(_ trace: TraceContext, for request: ImageRequest) {
        let name = Self.name(request)
        traces.insert(trace, cost: Self.entryBytes + name.utf8.count, for: name)
    }

    /// Returns what tells originals apart: the URL, and for whom it is loaded.
    private static func name(_ request: ImageRequest) -> String {
        name(request.url, request.headers[OriginalClient.identityField.rawName])
    }

    private static func name(_ url: URL?, _ identity: String?) -> String {
        "\(url?.absoluteString ?? "")\(identity.map { " \($0)" } ?? "")"
    }

    /// About the memory of an entry without its URL.
    private static let entryBytes = 200

    public func answer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer {
        let name = Self.name(request.url, request.headers[OriginalClient.identityField])
        var request = request
        traces.removeValue(for: name)?.set(in: &request.headers)
        var hop = request
        hop.followsRedirects = false
        let first = try await transport.answer(to: hop)
        if case .stored(let response) = first, !RedirectChain.isRedirect(response.head) {
            return .stored(recorded([response.head], response, name))
        }
        return .exchange(after: first.miss) { [request] in
            try await self.followed(request, first, name)
        }
    }

    /// Returns the response at the end of the redirects. What follows a redirect to another origin is not for its client.
    private func followed(
        _ request: TransportRequest, _ first: CacheAnswer, _ name: String
    ) async throws(TransportError) -> TransportResponse {
        var heads: [ResponseHead] = []
        var isAtOrigin = true
        let response = try await RedirectChain.response(to: request) { hop in
            var hop = hop
            isAtOrigin = isAtOrigin && hop.url.originName == request.url.originName
            if !isAtOrigin { forwarding.remove(from: &hop.headers) }
            let response = try await (heads.isEmpty ? first.response() : transport.send(hop))
            heads.append(response.head)
            return response
        }
        return recorded(heads, response, name)
    }

    public func removeStoredResponses(to request: TransportRequest) async {
        await transport.removeStoredResponses(to: request)
    }

    public func storeResponse(_ body: Data, to request: TransportRequest, lifetime: Duration) async -> Bool {
        await transport.storeResponse(body, to: request, lifetime: lifetime)
    }

    private func recorded(
        _ heads: [ResponseHead], _ response: TransportResponse, _ name: String
    ) -> TransportResponse {
        let all = heads.map { freshness(of: $0) }
        freshness.insert(
            all.dropFirst().reduce(all[0]) { $0.combined(with: $1) }, cost: Self.entryBytes + name.utf8.count, for: name
        )
        if response.head.status.code == 429, let time = response.head.headers[.retryAfter], time.utf8.count <= 64 {
            retryTimes.insert(time, for: name)
        } else {
            _ = retryTimes.removeValue(for: name)
        }
        return response
    }

    /// Returns the freshness of a response within the bounds, which count from its arrival from the origin.
    private func freshness(of head: ResponseHead) -> OriginFreshness {
        let time = now()
        var freshness = OriginFreshness(head.headers, now: time)
        // A permanent redirect that says nothing is no reason to ask again sooner than its target says.
        if freshness.freshUntil == nil, [301, 308].contains(head.status.code), RedirectChain.isRedirect(head) {
            return freshness
        }
        freshness.freshUntil = bounds.end(of: freshness, now: min(ArrivalTime.read(from: head.headers) ?? time, time))
        return freshness
    }
}

extension CacheAnswer {
    fileprivate var miss: CacheMiss {
        guard case .exchange(let miss, _) = self else { return .policy }
        return miss
    }

    fileprivate func response() async throws -> TransportResponse {
        switch self {
        case .stored(let response): response
        case .exchange(_, let start): try await start()
        @unknown default: throw TransportError.other("an unknown answer of the cache")
        }
    }
}

/// The time at which a response arrived from its origin, in a header field that the HTTP cache stores with it.
enum ArrivalTime {
    private static let name = HTTPField.Name("X-Image-Server-Arrival") ?? .via

    static func read(from fields: HTTPFields) -> Date? {
        fields[name].flatMap { TimeInterval($0) }.flatMap { $0.isFinite ? Date(timeIntervalSince1970: $0) : nil }
    }

    static func write(_ time: Date, to fields: inout HTTPFields) { fields[name] = "\(time.timeIntervalSince1970)" }
}
