import HTTPTypes
import ImageCore
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One GET or HEAD request. Follows the decisions of `HTTPCachePolicy` and `ValidationResult`.
struct CachedExchange: Sendable {
    /// A stored response with an available body.
    struct Stored {
        var variant: VariantIndex.Variant
        var body: StoredBody

        var isError: Bool { variant.response.status >= 400 }
    }

    private enum Plan {
        case use(Stored, ResponseSource, revalidates: Bool)
        case validate(Stored, with: HTTPFields, fallback: StaleFallback)
        case fetch(CacheMiss)
        case unavailable

        /// The plan for `CacheUse.revalidate`. A stored error is not validated, because that would confirm it.
        var askingOrigin: Plan {
            switch self {
            case .use(let stored, _, _) where stored.isError: .fetch(.notReusable)
            case .validate(let stored, _, _) where stored.isError: .fetch(.notReusable)
            case .use(let stored, _, _):
                .validate(stored, with: stored.variant.response.validationFields, fallback: .serverError)
            case .validate, .fetch, .unavailable: self
            }
        }
    }

    let request: TransportRequest
    let key: ResponseKey
    let network: any DataTransport
    let store: ResponseStore
    let rules: CachingRules
    let revalidations: PendingRevalidations

    /// The request as the policy sees it. A HEAD is treated like a GET (RFC 9110, 9.3.2).
    var cacheRequest: HTTPCacheRequest { HTTPCacheRequest(headers: request.headers) }
    /// The request without conditions and range. These are evaluated on the full stored response.
    private var unconditionalRequest: HTTPCacheRequest { cacheRequest.unconditional }

    func response() async throws(TransportFailure) -> TransportResponse {
        if request.cacheUse == .reload { return try await fetch() }
        let plan = await plan()
        switch request.cacheUse == .revalidate ? plan.askingOrigin : plan {
        case .use(let stored, let source, let revalidates):
            if revalidates { revalidateInBackground(stored.variant) }
            return try serve(stored, source)
        case .validate(let stored, let conditions, let fallback) where cacheRequest.isPlainGet:
            return try await validate(stored, conditions, fallback)
        case .validate, .fetch: return try await fetch()
        case .unavailable: return unavailable
        }
    }

    /// Returns the response without contacting the origin, or the reason why there is none.
    ///
    /// A response larger than the request allows is a miss.
    func lookUp(acceptsStale: Bool) async -> Result<TransportResponse, CacheMiss> {
        let response: TransportResponse?
        switch await plan() {
        case .use(let stored, let source, let revalidates):
            if revalidates, !acceptsStale { revalidateInBackground(stored.variant) }
            response = makeResponse(stored, source)
        case .validate(let stored, _, _):
            guard acceptsStale else { return .failure(.stale) }
            response = makeResponse(stored, .stale)
        case .fetch(let miss): return .failure(miss)
        case .unavailable: return .failure(.notReusable)
        }
        return response.map { .success($0) } ?? .failure(.notReusable)
    }

    /// Returns the decision of the policy. Skips variants whose bodies have been lost.
    private func plan() async -> Plan {
        guard let index = await store.readableIndex(key) else { return .fetch(.unreadable) }
        var variants = index.variants
        var miss = index.miss(to: request.headers)
        while true {
            switch rules.policy.decision(for: unconditionalRequest, from: variants.map(\.response), at: store.now()) {
            case .use(let index, let isStale, let revalidates):
                guard let stored = await open(variants.remove(at: index)) else {
                    miss = .missingBytes
                    continue
                }
                return .use(stored, isStale ? .stale : .cache, revalidates: revalidates)
            case .validate(let index, let conditions, let fallback):
                guard let stored = await open(variants.remove(at: index)) else {
                    miss = .missingBytes
                    continue
                }
                return .validate(stored, with: conditions, fallback: fallback)
            case .fetch: return .fetch(miss)
            case .unavailable: return .unavailable
            }
        }
    }

    private func open(_ variant: VariantIndex.Variant) async -> Stored? {
        await store.body(of: variant, key).map { Stored(variant: variant, body: $0) }
    }

    /// Returns a stored response.
    ///
    /// - Throws: `.tooLarge` if the response is larger than the request allows.
    func serve(_ stored: Stored, _ source: ResponseSource) throws(TransportFailure) -> TransportResponse {
        guard let response = makeResponse(stored, source) else { throw .tooLarge(allowedBytes: request.maxBodyBytes) }
        return response
    }

    /// Returns a stored response with its age, after evaluating conditions and range. Returns nil if it is larger than
    /// the request allows.
    private func makeResponse(_ stored: Stored, _ source: ResponseSource) -> TransportResponse? {
        let (response, byteCount) = (stored.variant.response, stored.body.byteCount)
        let conditional = response.conditionalResponse(
            to: HTTPCacheRequest(method: request.method, headers: request.headers), byteCount: byteCount)
        let bytes = request.method == .head ? 0..<0 : conditional.bytes(of: byteCount)
        guard bytes.count <= request.maxBodyBytes else { return nil }
        let fields = response.headers(at: store.now(), isValidated: source == .validated)
        let head = ResponseHead(
            status: .init(code: conditional.status ?? response.status),
            headers: response.headers(fields, for: conditional, byteCount: byteCount), url: request.url,
            expectedBytes: bytes.count)
        return TransportResponse(head: head, body: stored.body.body(in: bytes), source: source)
    }

    /// The response if the request forbids contacting the origin and nothing is stored (RFC 9111, 5.2.1.7).
    private var unavailable: TransportResponse {
        let head = ResponseHead(status: .gatewayTimeout, url: request.url, expectedBytes: 0)
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

    /// The status to return, or `nil` for the status of the stored response.
    fileprivate var status: Int? {
        switch self {
        case .full: nil
        case .notModified: 304
        case .partial: 206
        }
    }
}
