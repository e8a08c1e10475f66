import HTTPTypes
import ImageCore
import ImageHTTPCaching
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One GET or HEAD on its way past what is stored. Carries out what `HTTPCachePolicy` and `ValidationVerdict` say.
struct CachedExchange: Sendable {
    /// A stored response whose body is there.
    struct Stored {
        var variant: VariantIndex.Variant
        var body: StoredBody
    }

    private enum Plan {
        case use(Stored, ResponseSource, revalidates: Bool)
        case validate(Stored, with: HTTPFields, orElse: StalePermission)
        case fetch(CacheMiss)
        case unavailable
    }

    let request: TransportRequest
    let key: ResponseKey
    let network: any DataTransport
    let store: ResponseStore
    let rules: CachingRules
    let revalidations: RevalidationRegister

    /// A HEAD is answered as the GET would be (RFC 9110, 9.3.2).
    var question: HTTPCacheRequest { HTTPCacheRequest(headers: request.headers) }
    /// Conditions and ranges are looked at when a whole response has been found.
    private var wholeQuestion: HTTPCacheRequest { question.unconditional }

    func response() async throws(TransportFailure) -> TransportResponse {
        if request.cacheUse == .reload { return try await fetch() }
        switch await plan() {
        case .use(let stored, let source, let revalidates):
            if revalidates { revalidateBehind(stored.variant) }
            return try serve(stored, source)
        case .validate(let stored, let conditions, let permission) where question.isPlainGet:
            return try await validate(stored, conditions, permission)
        case .validate, .fetch: return try await fetch()
        case .unavailable: return unavailable
        }
    }

    /// What answers without the origin, or why nothing does. What the request finds too large is the other's to say.
    func lookUp(acceptsStale: Bool) async -> Result<TransportResponse, CacheMiss> {
        let response: TransportResponse?
        switch await plan() {
        case .use(let stored, let source, let revalidates):
            if revalidates, !acceptsStale { revalidateBehind(stored.variant) }
            response = answer(stored, source)
        case .validate(let stored, _, _):
            guard acceptsStale else { return .failure(.outOfDate) }
            response = answer(stored, .stale)
        case .fetch(let miss): return .failure(miss)
        case .unavailable: return .failure(.notReusable)
        }
        return response.map { .success($0) } ?? .failure(.notReusable)
    }

    /// What the rules say to do, for as long as they choose variants whose bodies are gone.
    private func plan() async -> Plan {
        guard let index = await store.readableIndex(key) else { return .fetch(.unreadable) }
        var variants = index.variants
        var miss = index.miss(to: request.headers)
        while true {
            switch rules.policy.answer(to: wholeQuestion, from: variants.map(\.response), at: store.now()) {
            case .use(let index, let isStale, let revalidates):
                guard let stored = await open(variants.remove(at: index)) else {
                    miss = .bytesLost
                    continue
                }
                return .use(stored, isStale ? .stale : .cache, revalidates: revalidates)
            case .validate(let index, let conditions, let permission):
                guard let stored = await open(variants.remove(at: index)) else {
                    miss = .bytesLost
                    continue
                }
                return .validate(stored, with: conditions, orElse: permission)
            case .fetch: return .fetch(miss)
            case .unavailable: return .unavailable
            }
        }
    }

    private func open(_ variant: VariantIndex.Variant) async -> Stored? {
        await store.body(of: variant, key).map { Stored(variant: variant, body: $0) }
    }

    /// Hands a stored response on. Throws `.tooLarge` for what the request finds too large.
    func serve(_ stored: Stored, _ source: ResponseSource) throws(TransportFailure) -> TransportResponse {
        guard let response = answer(stored, source) else { throw .tooLarge(allowedBytes: request.maxBodyBytes) }
        return response
    }

    /// A stored response with its age, as far as the request wants to see it; nil for what it finds too large.
    private func answer(_ stored: Stored, _ source: ResponseSource) -> TransportResponse? {
        let (response, byteCount) = (stored.variant.response, stored.body.byteCount)
        let presentation = response.presentation(
            to: HTTPCacheRequest(method: request.method, headers: request.headers), byteCount: byteCount)
        let bytes = request.method == .head ? 0..<0 : presentation.bytes(of: byteCount)
        guard bytes.count <= request.maxBodyBytes else { return nil }
        let fields = response.headers(at: store.now(), isValidated: source == .validated)
        let head = ResponseHead(
            status: .init(code: presentation.status ?? response.status),
            headers: response.headers(fields, for: presentation, byteCount: byteCount), url: request.url,
            expectedBytes: bytes.count)
        return TransportResponse(head: head, body: stored.body.body(in: bytes), source: source)
    }

    /// RFC 9111, 5.2.1.7.
    private var unavailable: TransportResponse {
        let head = ResponseHead(status: .gatewayTimeout, url: request.url, expectedBytes: 0)
        return TransportResponse(head: head, body: TransportBody(Data()), source: .cache)
    }
}

extension StoredPresentation {
    fileprivate func bytes(of byteCount: Int) -> Range<Int> {
        switch self {
        case .whole: 0..<byteCount
        case .notModified: 0..<0
        case .part(let range): range
        }
    }

    /// Nil for that of the response itself.
    fileprivate var status: Int? {
        switch self {
        case .whole: nil
        case .notModified: 304
        case .part: 206
        }
    }
}
