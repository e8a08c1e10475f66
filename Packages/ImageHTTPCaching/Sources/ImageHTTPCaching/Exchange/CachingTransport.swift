public import HTTPTypes
public import ImageCore
public import ImageTransporting

/// A private HTTP cache in front of another transport.
///
/// It follows redirects itself, so that each hop is stored separately. If the data cache fails, the observer is
/// notified and the request continues without it.
public struct CachingTransport: DataTransport, ResponseCache {
    private let network: any DataTransport
    private let store: ResponseStore
    private let options: CachingOptions
    private let revalidations = PendingRevalidations()

    /// Creates a caching transport.
    ///
    /// - Parameters:
    ///   - network: Sends the requests that the cache can't answer.
    ///   - cache: Stores bodies and, for each URL and identity, an index of its variants.
    ///   - options: What is fresh, which parts of a URL are in the key, and who is notified.
    ///   - clock: Measures how long a response waits until it is stored: two seconds at most. A slower cache stores it
    ///     later, or not at all, and the observer is notified. With nil, a response waits as long as the cache.
    ///   - now: Returns the current wall time, from which ages are calculated.
    public init(
        over network: any DataTransport, cache: any ImageDataCache, options: CachingOptions = CachingOptions(),
        clock: (any Clock<Duration>)? = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.network = network
        self.options = options
        store = ResponseStore(
            cache: cache, clock: clock, now: now,
            report: { [observer = options.observer] in observer(.cacheFailed($0, $1)) })
    }

    /// Returns the stored response, or an exchange with the server. Follows redirects, of which each hop is stored.
    public func answer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer {
        try await answer(RedirectChain(request))
    }

    /// Follows stored redirects up to a response, or to a request that must be sent.
    private func answer(_ start: RedirectChain) async throws(TransportError) -> CacheAnswer {
        var chain = start
        while true {
            switch try await hopAnswer(to: chain.request) {
            case .stored(var response):
                if try !chain.follow(response.head) {
                    response.redirects = chain.redirects
                    return .stored(response)
                }
                response.body.discard()
            case .exchange(let miss, let start):
                return .exchange(after: miss) { [chain] in try await follow(await start(), chain) }
            }
        }
    }

    private func follow(_ response: TransportResponse, _ start: RedirectChain) async throws -> TransportResponse {
        var (chain, response) = (start, response)
        if try !chain.follow(response.head) {
            response.redirects = chain.redirects
            return response
        }
        response.body.discard()
        switch try await answer(chain) {
        case .stored(let response): return response
        case .exchange(_, let start): return try await start()
        }
    }

    private func hopAnswer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer {
        if let exchange = cached(request) { return try await exchange.answer() }
        return .exchange(after: .policy) { try await sendUncached(request) }
    }

    public func removeStoredResponses(to request: TransportRequest) async {
        var request = request
        request.cacheUse = CacheUse(.onlyIfCached)
        var chain = RedirectChain(request)
        var isRedirected = true
        while isRedirected, let exchange = cached(chain.request) {
            let answer = try? await exchange.answer()
            await store.removeAll(exchange.key)
            guard case .stored(let response) = answer else { return }
            isRedirected = (try? chain.follow(response.head)) ?? false
        }
    }

    /// Stores a body as `ResponseCache` says. Returns false if the policy forbids it or the storage fails.
    public func storeResponse(_ body: Data, to request: TransportRequest, lifetime: Duration) async -> Bool {
        let seconds = min(max(0, lifetime.components.seconds), 1 << 31)
        let head = ResponseHead(
            status: .ok,
            headers: [.cacheControl: "max-age=\(seconds)", .date: HTTPDate.format(store.now())],
            url: request.url, expectedByteCount: body.count)
        return await cached(request)?.store(body, as: head) ?? false
    }

    /// Sends a request past the cache. An unsafe method invalidates stored responses (RFC 9111, 4.4).
    private func sendUncached(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let response = try await network.send(request)
        let invalidated = CacheInvalidation.invalidatedURLs(
            by: request.method, of: request.url, response: response.head)
        let identities = [identity(of: request), options.identity([:], nil)]
        let keys = invalidated.flatMap { url in
            identities.flatMap { [key(for: url, $0, isDecoded: true), key(for: url, $0, isDecoded: false)] }
        }
        for key in Set(keys) {
            await store.change(key) { $0.removeAll(invalidatedAt: store.now()) }
        }
        return response
    }

    /// Returns nil if the request can neither be answered from the cache nor its response stored.
    func cached(_ request: TransportRequest) -> CachedExchange? {
        guard [.get, .head].contains(request.method), !request.cacheUse.isNone else { return nil }
        return CachedExchange(
            request: request,
            key: key(for: request.url, identity(of: request), request.identifier, isDecoded: request.decodesContent),
            network: network, store: store, options: options, revalidations: revalidations)
    }

    private func identity(of request: TransportRequest) -> CacheIdentity {
        options.identity(request.identityHeaders ?? request.headers, request.account)
    }

    /// Bodies as received have keys of their own, because a stored head doesn't name the transfer coding of its body.
    private func key(
        for url: URL, _ identity: CacheIdentity, _ address: String? = nil, isDecoded: Bool
    ) -> ResponseKey {
        let text = options.keys.key(for: url, address: address, identity: identity)
        let isPrivate = url.hasCredentials || identity != .anonymous
        return ResponseKey(
            text: isDecoded ? text : "\(text) as received", url: url,
            publicAddress: isPrivate ? options.keys.key(for: url.withoutCredentials) : nil)
    }
}

/// The policy, keys, identities and callbacks of a `CachingTransport`.
public struct CachingOptions: Sendable {
    /// Decides what is stored and reused.
    public var policy: any HTTPCachePolicy
    /// Maps URLs to cache keys.
    public var keys: CacheKeyRules
    /// Returns the identity for which a request with these header fields and this account is sent: by default its
    /// Authorization field and the account.
    public var identity: @Sendable (HTTPFields, _ account: String?) -> CacheIdentity
    /// Runs the revalidation of a URL in the background. By default, starts a `Task`.
    public var runInBackground: @Sendable (_ url: URL, _ work: @escaping @Sendable () async -> Void) -> Void
    /// Receives events that no response reports. It may be called on any thread.
    public var observer: @Sendable (CachingEvent) -> Void

    /// Creates options. See the properties for the meaning of the parameters.
    public init(
        policy: any HTTPCachePolicy = RFC9111Policy(), keys: CacheKeyRules = CacheKeyRules(),
        identity: @escaping @Sendable (HTTPFields, _ account: String?) -> CacheIdentity = {
            CacheIdentity($0, partition: $1)
        },
        runInBackground: @escaping @Sendable (URL, @escaping @Sendable () async -> Void) -> Void = { _, work in
            Task { await work() }
        },
        observer: @escaping @Sendable (CachingEvent) -> Void = { _ in }
    ) {
        self.policy = policy
        self.keys = keys
        self.identity = identity
        self.runInBackground = runInBackground
        self.observer = observer
    }
}

/// An event in the cache that no response reports.
@nonexhaustive
public enum CachingEvent: Hashable, Sendable {
    /// The data cache failed while handling this URL. The request continued without it.
    case cacheFailed(URL, DataCacheError)
    /// A complete response for this URL was stored. `bytes` is the length of its body.
    case stored(URL, bytes: Int)
    /// A stale response that was returned for this URL has been revalidated in the background (RFC 5861, 3).
    case revalidated(URL, RevalidationOutcome)
}

/// The result of a revalidation in the background.
@nonexhaustive
public enum RevalidationOutcome: Hashable, Sendable {
    /// The stale response is still current.
    case confirmed
    /// The server sent a newer response with this status. You may want to reload the image.
    case replaced(status: Int)
    /// The request failed. The stored response is unchanged.
    case failed(TransportError)
}
