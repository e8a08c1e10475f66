public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The stored responses of a caching transport, for callers that don't want to use the network or wait for it.
///
/// Promises:
/// - No method waits for the network.
/// - A failure of the storage is a miss. It is reported to the owner of the cache, not to the callers.
public protocol ResponseCache: Sendable {
    /// Returns the stored response that the transport would return without a request to the origin.
    ///
    /// - Parameter acceptsStale: Whether to return any stored response for the request, even a stale one, as when the
    ///   network is unavailable. `TransportResponse.source` says whether it is stale.
    /// - Throws: The reason why there is no such response, as far as the cache knows it.
    func storedResponse(to request: TransportRequest, acceptsStale: Bool) async throws(CacheMiss) -> TransportResponse
    /// Removes the stored responses for the request, and for the requests that it redirects to.
    func removeStoredResponses(to request: TransportRequest) async
    /// Stores a body as the response to a GET request, as if the origin had just sent it.
    ///
    /// - Parameter lifetime: The time for which the response is fresh, in whole seconds from 0 to 2^31.
    /// - Returns: Whether it is stored. By default false.
    func storeResponse(_ body: Data, to request: TransportRequest, lifetime: Duration) async -> Bool
}

extension ResponseCache {
    public func storeResponse(_ body: Data, to request: TransportRequest, lifetime: Duration) async -> Bool { false }
}

/// How a cache in front of a transport treats a request. Transports without a cache ignore it.
public enum CacheUse: String, Sendable, Hashable, CaseIterable {
    /// Applies the rules of HTTP caching (RFC 9111).
    case standard
    /// Asks the origin, even if the stored response is fresh. Returns a stored response if the origin confirms it, can't be
    /// reached or responds with status 500, 502, 503 or 504, as HTTP allows; but never a stored error. For a request that
    /// is sent again after a failure.
    case revalidate
    /// Requests the response from the origin, ignores stored responses, and stores the new one.
    case reload
    /// Neither uses stored responses nor stores the new one.
    case bypass
}

/// The source of a response.
public enum ResponseSource: String, Sendable, Hashable, CaseIterable {
    /// From the network.
    case network
    /// From a cache, after the origin confirmed that it is current.
    case validated
    /// From a cache, without a request to the origin.
    case cache
    /// From a cache although it is stale, because it may be used during revalidation or if the origin can't be reached.
    case stale
}
