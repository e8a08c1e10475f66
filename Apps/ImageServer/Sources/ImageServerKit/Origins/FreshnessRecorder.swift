public import Foundation
import HTTPTypes
import ImageCore
import ImageMemoryCaching
public import ImageTransporting

/// Remembers the freshness of each original that is loaded through it, because a loader returns only the bytes.
///
/// It is in front of the transport with the HTTP cache, so that it sees the responses of both.
public final class FreshnessRecorder: ResponseCache {
    private let transport: any ResponseCache
    private let now: @Sendable () -> Date
    private let freshness: MemoryCache<String, OriginFreshness>
    private let traces: MemoryCache<String, TraceContext>

    /// - Parameters:
    ///   - transport: Loads originals, with a cache.
    ///   - limit: The number of originals that are remembered.
    ///   - now: Returns the current time.
    public init(
        over transport: any ResponseCache, limit: Int = 100_000, now: @escaping @Sendable () -> Date
    ) {
        self.transport = transport
        self.now = now
        freshness = MemoryCache(limits: CacheLimits(count: limit))
        traces = MemoryCache(limits: CacheLimits(count: limit))
    }

    /// Returns the freshness of the latest response for a URL; nil if there was none.
    public func freshness(of url: URL) -> OriginFreshness? { freshness.value(for: url.absoluteString) }

    /// Sets the trace with which the next request for a URL is sent. The loader's request has no field for it, because
    /// requests with other fields would not share a download.
    public func setTrace(_ trace: TraceContext, for url: URL) { traces.insert(trace, for: url.absoluteString) }

    public func answer(to request: TransportRequest) async throws(TransportFailure) -> CacheAnswer {
        let url = request.url.absoluteString
        var request = request
        traces.removeValue(for: url)?.set(in: &request.headers)
        switch try await transport.answer(to: request) {
        case .stored(let response): return .stored(recorded(response, url))
        case .exchange(let miss, let start):
            return .exchange(after: miss) { () async throws(TransportFailure) in
                self.recorded(try await start(), url)
            }
        }
    }

    public func removeStoredResponses(to request: TransportRequest) async {
        await transport.removeStoredResponses(to: request)
    }

    public func storeResponse(_ body: Data, to request: TransportRequest, lifetime: Duration) async -> Bool {
        await transport.storeResponse(body, to: request, lifetime: lifetime)
    }

    private func recorded(_ response: TransportResponse, _ url: String) -> TransportResponse {
        freshness.insert(OriginFreshness(response.head.headers, now: now()), for: url)
        return response
    }
}
