public import ImageCore

/// Stored responses of a transport, for callers that must not use the network or need not wait for it.
///
/// Promises:
/// - Neither method waits for the network.
/// - A broken store is a miss. The failure is reported to the owner of the cache, not to its callers.
public protocol ResponseCache: Sendable {
    /// The stored response that the transport would give without asking the origin. Throws why there is none, as far as the cache can tell.
    ///
    /// - Parameter acceptsStale: gives any response that is stored for the request, also one that is out of date, when there is no
    ///   network to ask. Its source tells which it is.
    func storedResponse(to request: TransportRequest, acceptsStale: Bool) async throws(CacheMiss) -> TransportResponse
    /// Forgets what is stored for the request, and for whatever that redirects to.
    func removeStoredResponses(to request: TransportRequest) async
}

/// What a cache in front of a transport does about a request. Transports that store nothing take no notice.
public enum CacheUse: String, Sendable, Hashable, CaseIterable {
    /// What the rules of HTTP say.
    case standard
    /// The origin is asked, whatever is stored, and its answer stored.
    case reload
    /// The request is neither answered from what is stored nor its answer stored.
    case bypass
}

/// Where a response came from.
public enum ResponseSource: String, Sendable, Hashable, CaseIterable {
    case network
    /// From a cache, after the origin has confirmed it.
    case validated
    /// From a cache; nobody was asked.
    case cache
    /// From a cache although it is out of date: it may be shown while or because the origin is not heard.
    case stale
}
