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

    /// Asks the store once. Returns a stored response, or the exchange with the origin.
    func answer() async throws(TransportFailure) -> CacheAnswer {
        if request.cacheUse == .reload { return .exchange(after: .policy, start: fetch) }
        guard let index = await store.readableIndex(key) else { return exchange(after: .unreadable) }
        var variants = index.variants
        var miss = index.miss(to: request.headers)
        while true {
            switch decision(variants.map(\.response)) {
            case .use(let index, let isStale, let revalidates):
                let variant = variants.remove(at: index)
                guard let body = await store.body(of: variant, key) else {
                    miss = .missingBytes
                    continue
                }
                if revalidates { revalidateInBackground(variant) }
                return .stored(try serve(Stored(variant: variant, body: body), isStale ? .stale : .cache))
            case .validate(let index, let conditions, let fallback):
                let variant = variants[index]
                if request.cacheUse == .readOnly || !cacheRequest.isPlainGet { return exchange(after: .stale) }
                return .exchange(after: .stale) { () async throws(TransportFailure) in
                    try await validate(variant, conditions, fallback)
                }
            case .fetch: return exchange(after: miss)
            case .unavailable: return .exchange(after: .notReusable) { unavailable }
            }
        }
    }

    private func exchange(after miss: CacheMiss) -> CacheAnswer {
        switch request.cacheUse {
        case .onlyIfCached: .exchange(after: miss) { unavailable }
        case .readOnly:
            .exchange(after: miss) { () async throws(TransportFailure) in try await network.send(request) }
        default: .exchange(after: miss, start: fetch)
        }
    }

    /// Returns the decision of the policy, as the request's use of the cache changes it.
    private func decision(_ variants: [StoredHTTPResponse]) -> CacheDecision {
        let decision = rules.policy.decision(for: unconditionalRequest, from: variants, at: store.now())
        switch (request.cacheUse, decision) {
        case (.onlyIfCached, .use(let variant, let isStale, _)):
            return .use(variant: variant, isStale: isStale, revalidates: false)
        case (.onlyIfCached, .validate(let variant, _, _)):
            return .use(variant: variant, isStale: true, revalidates: false)
        case (.revalidate, .use(let variant, _, _)), (.revalidate, .validate(let variant, _, _)):
            // Validation would confirm a stored error.
            if variants[variant].status >= 400 { return .fetch }
            guard case .use = decision else { return decision }
            return .validate(variant: variant, with: variants[variant].validationFields, fallback: .serverError)
        default: return decision
        }
    }

    /// Returns a stored response with its age, after evaluating conditions and range.
    ///
    /// - Throws: `.tooLarge` if the response is larger than the request allows.
    func serve(_ stored: Stored, _ source: ResponseSource) throws(TransportFailure) -> TransportResponse {
        let (response, byteCount) = (stored.variant.response, stored.body.byteCount)
        let conditional = response.conditionalResponse(
            to: HTTPCacheRequest(method: request.method, headers: request.headers), byteCount: byteCount)
        let bytes = request.method == .head ? 0..<0 : conditional.bytes(of: byteCount)
        guard bytes.count <= request.maxBodyBytes else { throw .tooLarge(allowedBytes: request.maxBodyBytes) }
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
