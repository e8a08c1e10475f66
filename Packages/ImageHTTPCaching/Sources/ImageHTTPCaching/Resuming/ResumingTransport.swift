import HTTPTypes
public import ImageCore
public import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Resumes interrupted downloads, even after a relaunch (RFC 9110, 13.1.5 and 14).
///
/// If a response has a length and a strong validator, the received bytes are stored in a cache in parts, until the body is
/// complete. The next request with the same URL and header fields sends Range and If-Range. Its body consists of the
/// stored bytes and the rest from the origin, or of a new body if it has changed.
///
/// Other requests are passed through: methods other than GET, requests with a body, a Range or a condition, and those that
/// must not be stored (`CacheUse.bypass`, `no-store`).
public struct ResumingTransport: DataTransport {
    private let transport: any DataTransport
    private let cache: any DataCache
    private let partition: String
    private let partBytes: Int
    private let now: @Sendable () -> Date
    private let onCacheFailure: @Sendable (URL, DataCacheFailure) -> Void

    /// Creates a transport that resumes interrupted downloads.
    ///
    /// - Parameters:
    ///   - cache: The cache for the parts. It may also store complete bodies, because the keys differ.
    ///   - partition: A name for the account. Parts of one account aren't used for another.
    ///   - partBytes: The size in bytes of a part in the cache. At most this many bytes are lost if the process is
    ///     killed. Smaller bodies are only stored if they are interrupted.
    ///   - now: Returns the current date, for the age of cache entries and the century of two-digit years.
    ///   - onCacheFailure: Called with the URL of the request if the cache fails. The transfer continues without the
    ///     cache.
    public init(
        _ transport: any DataTransport, cache: any DataCache, partition: String = "",
        partBytes: Int = 1 << 20,
        now: @escaping @Sendable () -> Date,
        onCacheFailure: @escaping @Sendable (URL, DataCacheFailure) -> Void = { _, _ in }
    ) {
        self.transport = transport
        self.cache = cache
        self.partition = partition
        self.partBytes = partBytes
        self.now = now
        self.onCacheFailure = onCacheFailure
    }

    /// Sends a request, or a request for the rest of a body whose beginning is stored.
    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        guard request.isResumable else { return try await transport.send(request) }
        let store = PartialStore(request, in: cache, partition: partition, now: now) { [onCacheFailure] failure in
            onCacheFailure(request.url, failure)
        }
        if let (partial, parts) = await store.stored(), let offset = parts.last?.upperBound {
            let response = try await transport.send(partial.request(request, from: offset))
            switch partial.outcome(of: response.head, offset: offset) {
            case .resumes(let head):
                return try resumed(partial, head, stored: parts, rest: response.body, store, request)
            case .passesThrough: return response
            case .restarts:
                await store.remove(partial, parts: parts)
                return recorded(response, store)
            case .fetchesAgain:
                response.body.discard()
                await store.remove(partial, parts: parts)
            }
        }
        return recorded(try await transport.send(request), store)
    }

    private func resumed(
        _ partial: PartialDownload, _ head: ResponseHead, stored: [Range<Int>], rest: TransportBody,
        _ store: PartialStore, _ request: TransportRequest
    ) throws(TransportFailure) -> TransportResponse {
        guard partial.totalBytes <= request.maxBodyBytes else { throw .tooLarge(allowedBytes: request.maxBodyBytes) }
        return TransportResponse(head: head, body: body(partial, stored: stored, rest: rest, store))
    }

    private func recorded(_ response: TransportResponse, _ store: PartialStore) -> TransportResponse {
        guard let partial = PartialDownload(response.head, now: now()) else { return response }
        return TransportResponse(head: response.head, body: body(partial, stored: [], rest: response.body, store))
    }

    private func body(
        _ partial: PartialDownload, stored: [Range<Int>], rest: TransportBody, _ store: PartialStore
    ) -> TransportBody {
        ResumableBody(partial, stored: stored, rest: rest, store: store, partBytes: partBytes).body
    }
}

extension TransportRequest {
    fileprivate var isResumable: Bool {
        HTTPCacheRequest(method: method, headers: headers).isPlainGet && body == nil && cacheUse != .bypass
            && !CacheDirectives(headers).contains("no-store")
    }
}
