public import HTTPTypes
public import ImageCore
public import ImageHTTPCaching
public import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A private HTTP cache in front of a transport: what is stored and fresh answers, what is stale is validated, what comes is stored
/// while it is handed on.
///
/// Responses to GET are stored, redirects among them; HEAD is answered from them. Redirects are followed here, hop by hop, so that each
/// hop has its own place in the cache. A cache of bytes that fails is told to the observer, and the request goes on without it.
public struct CachingTransport: DataTransport, ResponseCache {
    private let network: any DataTransport
    private let store: ResponseStore
    private let rules: CachingRules
    private let revalidations = RevalidationRegister()

    /// - Parameters:
    ///   - network: asked when nothing stored may answer.
    ///   - cache: keeps a list of variants for each URL and the bodies, each under a key of its own.
    ///   - now: the wall time, from which ages are counted.
    public init(
        over network: any DataTransport, cache: any DataCache, rules: CachingRules = CachingRules(),
        now: @escaping @Sendable () -> Date
    ) {
        self.network = network
        self.rules = rules
        store = ResponseStore(cache: cache, now: now, report: { [tell = rules.observer] in tell(.cacheFailed($0, $1)) })
    }

    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        try await RedirectTrail.response(to: request) { hop throws(TransportFailure) in
            if let exchange = exchange(hop) { try await exchange.response() } else { try await pass(hop) }
        }
    }

    public func storedResponse(
        to request: TransportRequest, acceptsStale: Bool
    ) async throws(CacheMiss) -> TransportResponse {
        try await alongStoredRedirects(of: request) { hop throws(CacheMiss) in
            guard let exchange = exchange(hop) else { throw .notReusable }
            return try await exchange.lookUp(acceptsStale: acceptsStale).get()
        }
    }

    public func removeStoredResponses(to request: TransportRequest) async {
        _ = try? await alongStoredRedirects(of: request) { hop throws(CacheMiss) in
            guard let exchange = exchange(hop) else { throw .notReusable }
            let response = await exchange.lookUp(acceptsStale: true)
            await store.change(exchange.key) { $0.removeAll(outdatedAt: nil) }
            return try response.get()
        }
    }

    /// The first response that is no redirect to be followed. Throws where a hop is not stored, or may not be followed, which is the
    /// network's to say.
    private func alongStoredRedirects(
        of request: TransportRequest, _ stored: (TransportRequest) async throws(CacheMiss) -> TransportResponse
    ) async throws(CacheMiss) -> TransportResponse {
        var trail = RedirectTrail(request)
        while true {
            let response = try await stored(trail.request)
            do throws(TransportFailure) {
                guard request.followsRedirects, try trail.follow(response.head) else { return response }
            } catch {
                throw .notReusable
            }
        }
    }

    /// Sends what the cache has no part in. An unsafe method makes what is stored outdated (RFC 9111, 4.4).
    private func pass(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        let response = try await network.send(request)
        let outdated = CacheInvalidation.outdated(by: request.method, of: request.url, answeredWith: response.head)
        for key in Set(outdated.flatMap { [key(for: $0, request.identity), key(for: $0, [:])] }) {
            await store.change(key) { $0.removeAll(outdatedAt: store.now()) }
        }
        return response
    }

    /// Nil where nothing stored may answer, and the answer not be stored.
    private func exchange(_ request: TransportRequest) -> CachedExchange? {
        guard [.get, .head].contains(request.method), request.cacheUse != .bypass else { return nil }
        return CachedExchange(
            request: request, key: key(for: request.url, request.identity), network: network, store: store,
            rules: rules,
            revalidations: revalidations)
    }

    private func key(for url: URL, _ headers: HTTPFields) -> ResponseKey {
        ResponseKey(text: rules.keys.key(for: url, identity: rules.identity(headers)), url: url)
    }
}

/// What a `CachingTransport` goes by.
public struct CachingRules: Sendable {
    public var policy: any HTTPCachePolicy
    public var keys: CacheKeyRules
    /// On whose behalf a request with these fields is sent. Their Authorization unless set: add the account to it, where one folder
    /// serves several.
    public var identity: @Sendable (HTTPFields) -> CacheIdentity
    /// Runs a validation of what is stored for this URL, behind an answer that was given already.
    public var inBackground: @Sendable (_ url: URL, _ work: @escaping @Sendable () async -> Void) -> Void
    /// Told what no response tells, from any thread.
    public var observer: @Sendable (CachingEvent) -> Void

    public init(
        policy: any HTTPCachePolicy = RFC9111Policy(), keys: CacheKeyRules = CacheKeyRules(),
        identity: @escaping @Sendable (HTTPFields) -> CacheIdentity = {
            CacheIdentity(authorization: $0[.authorization])
        },
        inBackground: @escaping @Sendable (URL, @escaping @Sendable () async -> Void) -> Void = { _, work in
            Task { await work() }
        },
        observer: @escaping @Sendable (CachingEvent) -> Void = { _ in }
    ) {
        self.policy = policy
        self.keys = keys
        self.identity = identity
        self.inBackground = inBackground
        self.observer = observer
    }
}

extension TransportRequest {
    fileprivate var identity: HTTPFields { identityHeaders ?? headers }
}

/// What happened beside the answers.
public enum CachingEvent: Hashable, Sendable {
    /// The cache of bytes failed; the request went on without it.
    case cacheFailed(URL, DataCacheFailure)
    /// An answer has been stored for this URL, whole: so many bytes of its body.
    case stored(URL, bytes: Int)
    /// A response that was answered with while stale has been asked about since (RFC 5861, 3).
    case revalidated(URL, RevalidationOutcome)
}

/// How asking behind a stale answer ended.
public enum RevalidationOutcome: Hashable, Sendable {
    /// The stale one is the newest.
    case confirmed
    /// The origin has answered with another, of this status: what was shown may be shown anew.
    case replaced(status: Int)
    case failed(TransportFailure)
}
