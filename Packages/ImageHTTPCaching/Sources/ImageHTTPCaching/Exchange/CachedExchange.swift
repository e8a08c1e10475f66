import HTTPTypes
import ImageCore
import ImageTransporting
import Synchronization

/// One GET or HEAD request. Follows the `CacheDecision` of the policy.
struct CachedExchange: Sendable {
    struct Stored {
        var variant: VariantIndex.Variant
        var body: StoredBody
    }

    var request: TransportRequest
    let key: ResponseKey
    let network: any DataTransport
    let store: ResponseStore
    let options: CachingOptions
    let revalidations: PendingRevalidations

    /// The request as the policy sees it. A HEAD is treated like a GET (RFC 9110, 9.3.2).
    var cacheRequest: HTTPCacheRequest { HTTPCacheRequest(headers: request.headers) }
    private var unconditionalRequest: HTTPCacheRequest { cacheRequest.unconditional }

    /// Asks the store once. Returns a stored response, or what sends the request.
    func answer() async throws(TransportError) -> CacheAnswer {
        let (decision, variants, body) = await decide()
        switch decision {
        case .use(let index, let isStale, let revalidates):
            guard let body else { return .exchange(after: .missingBytes, start: fetch) }
            if revalidates { revalidateInBackground(variants[index]) }
            return .stored(try serve(Stored(variant: variants[index], body: body), isStale ? .stale : .cache))
        case .validate(let index, let fallback):
            let variant = variants[index]
            return .exchange(after: .stale) { try await validate(variant, fallback) }
        case .send(let miss):
            guard request.cacheUse.access.writes else {
                return .exchange(after: miss) { try await network.send(request) }
            }
            return .exchange(after: miss, start: fetch)
        case .unavailable(let miss): return .exchange(after: miss) { unavailable }
        }
    }

    /// Returns what to do for the request, the stored variants, and the body of the one to use.
    ///
    /// A variant without a body is no variant.
    func decide() async -> (CacheDecision, [VariantIndex.Variant], StoredBody?) {
        if request.cacheUse.mode == .reload { return (.send(.policy), [], nil) }
        guard let index = await store.readableIndex(key) else {
            return (isCacheOnly ? .unavailable(.unreadable) : .send(.unreadable), [], nil)
        }
        var (variants, isMissingBody) = (index.variants, false)
        while true {
            let decision = decision(variants.map(\.response))
            switch decision {
            case .use(let index, _, _):
                if let body = await store.body(of: variants[index], key) { return (decision, variants, body) }
                variants.remove(at: index)
                isMissingBody = true
            case .send where isMissingBody: return (.send(.missingBytes), variants, nil)
            case .unavailable where isMissingBody: return (.unavailable(.missingBytes), variants, nil)
            default: return (decision, variants, nil)
            }
        }
    }

    private var isCacheOnly: Bool { request.cacheUse.mode == .onlyIfCached }

    /// Only a plain GET can be validated.
    private func decision(_ variants: [StoredHTTPResponse]) -> CacheDecision {
        let decision = options.policy.decision(
            for: unconditionalRequest, request.cacheUse, from: variants, at: store.now())
        if case .validate = decision, !cacheRequest.isPlainGet { return .send(.stale) }
        return decision
    }

    /// Returns a stored response, or the part for the request's conditions and range. Throws `.tooLarge` above the
    /// limit.
    func serve(_ stored: Stored, _ source: ResponseSource) throws(TransportError) -> TransportResponse {
        let (response, byteCount) = (stored.variant.response, stored.body.byteCount)
        let conditional = response.conditionalResponse(
            to: HTTPCacheRequest(method: request.method, headers: request.headers), byteCount: byteCount)
        let bytes = request.method == .head ? 0..<0 : conditional.bytes(of: byteCount)
        guard bytes.count <= request.bodyByteLimit else { throw .tooLarge(byteLimit: request.bodyByteLimit) }
        let fields = response.headers(at: store.now(), isValidated: source == .validated)
        var head = ResponseHead(
            status: .init(code: conditional.status ?? response.status),
            headers: response.headers(fields, for: conditional, byteCount: byteCount), url: request.url,
            expectedByteCount: bytes.count)
        head.freshUntil = freshUntil(response)
        var result = TransportResponse(head: head, body: stored.body.body(in: bytes), source: source)
        result.isStored = true
        return result
    }

    /// Returns the time until which a response is fresh; nil if only the policy knows.
    func freshUntil(_ response: StoredHTTPResponse) -> Date? {
        guard let lifetime = options.policy.lifetime(of: response) else { return nil }
        // A clock that was set back makes no response fresh for longer.
        let (arrival, age) = (response.responseTime, response.ageInSeconds(at: response.responseTime))
        return min(arrival, store.now()).addingTimeInterval(lifetime / .seconds(1) - age)
    }

    /// The response if the request forbids contacting the server and nothing is stored (RFC 9111, 5.2.1.7).
    private var unavailable: TransportResponse {
        let head = ResponseHead(status: .gatewayTimeout, url: request.url, expectedByteCount: 0)
        return TransportResponse(head: head, body: TransportBody(Data()), source: .cache)
    }
}

extension ConditionalResponse {
    fileprivate func bytes(of byteCount: Int) -> Range<Int> {
        switch self {
        case .full: 0..<byteCount
        case .notModified: 0..<0
        case .partial(let range): range
        }
    }

    fileprivate var status: Int? {
        switch self {
        case .full: nil
        case .notModified: 304
        case .partial: 206
        }
    }
}

extension CachedExchange {
    /// A response from the server, and the times at which the request was sent and the response arrived.
    struct ServerResponse {
        var response: TransportResponse
        var requestTime: Date
        var responseTime: Date

        var head: ResponseHead { response.head }
    }

    /// Sends the request to the server without conditions.
    @Sendable func fetch() async throws(TransportError) -> TransportResponse {
        await deliver(try await sendToServer([:]))
    }

    private func sendToServer(_ conditions: HTTPFields) async throws(TransportError) -> ServerResponse {
        var request = request
        // A HEAD needs no conditions: its response describes the current state of the resource.
        if request.method == .get { request.headers.append(contentsOf: conditions) }
        let requestTime = store.now()
        let response = try await network.send(request)
        return ServerResponse(response: response, requestTime: requestTime, responseTime: store.now())
    }

    /// Validates a stored response with the server (RFC 9111, 4.3). Fetches a new one if its body is missing.
    func validate(
        _ variant: VariantIndex.Variant, _ fallback: StaleFallback
    ) async throws(TransportError) -> TransportResponse {
        guard let body = await store.body(of: variant, key) else { return try await fetch() }
        let stored = Stored(variant: variant, body: body)
        let server: ServerResponse
        do throws(TransportError) {
            server = try await sendToServer(variant.response.validationFields)
        } catch {
            guard fallback.allows(after: error) else { throw error }
            return try serve(stored, .stale)
        }
        if server.head.status == .notModified { return try await confirm(stored, by: server) }
        guard fallback.allows(status: server.head.status.code) else { return await deliver(server) }
        server.response.body.discard()
        return try serve(stored, .stale)
    }

    /// Updates a stored response by a 304 and returns it (RFC 9111, 4.3.4). Sends the request again if the 304 is for
    /// another response.
    private func confirm(
        _ stored: Stored, by server: ServerResponse
    ) async throws(TransportError) -> TransportResponse {
        server.response.body.discard()
        let response = stored.variant.response.freshened(
            byNotModified: server.head, requestTime: server.requestTime, responseTime: server.responseTime)
        guard let response else { return try await fetch() }
        var stored = stored
        stored.variant.response = response
        await store.change(key) { [stored] in $0.update(stored.variant.bodyName, to: response, now: store.now()) }
        return try serve(stored, .validated)
    }

    // MARK: In the background

    /// Revalidates a response in the background (RFC 5861, 3). Starts at most one revalidation at a time for each key.
    func revalidateInBackground(_ variant: VariantIndex.Variant) {
        guard revalidations.insert(key.text) else { return }
        options.runInBackground(request.url) {
            let outcome = await plain.revalidate(variant)
            revalidations.remove(key.text)
            options.observer(.revalidated(request.url, outcome))
        }
    }

    /// The exchange of a GET without the client's conditions and range, because only its response can be stored.
    private var plain: CachedExchange {
        var exchange = self
        exchange.request.method = .get
        exchange.request.headers = unconditionalRequest.headers
        return exchange
    }

    private func revalidate(_ variant: VariantIndex.Variant) async -> RevalidationOutcome {
        do throws(TransportError) {
            let response = try await validate(variant, .never)
            if response.source == .validated {
                response.body.discard()
                return .confirmed
            }
            for try await _ in response.body {}
            return .replaced(status: response.head.status.code)
        } catch {
            return .failed(error)
        }
    }
}

extension Int {
    /// Whether a response with this status describes the resource. Server errors and most client errors don't.
    var describesResource: Bool { (200...399).contains(self) || self == 404 || self == 410 }
}

/// The keys that are being revalidated in the background.
final class PendingRevalidations: Sendable {
    private let keys = Mutex<Set<String>>([])

    /// Returns false if the key was already present.
    func insert(_ key: String) -> Bool { keys.withLock { $0.insert(key).inserted } }
    func remove(_ key: String) { keys.withLock { _ = $0.remove(key) } }
}
