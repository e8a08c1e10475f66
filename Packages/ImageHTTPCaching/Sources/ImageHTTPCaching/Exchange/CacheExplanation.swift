package import HTTPTypes
package import ImageCore
package import ImageTransporting

/// What the cache would do for a request, and why. Nothing is sent.
package struct CacheExplanation: Sendable {
    /// What happens to a request.
    package enum Outcome: Sendable {
        /// A stored response is returned, without the server unless `revalidates`.
        case hit(isStale: Bool, revalidates: Bool)
        /// The server is asked whether the stored response is current, with these fields.
        case validation(HTTPFields)
        /// The request is sent.
        case miss(CacheMiss)
    }

    /// A stored response.
    package struct Variant: Sendable {
        package var response: StoredHTTPResponse
        /// The length of its body; nil if the body is missing or damaged.
        package var byteCount: Int?
        /// How long it is fresh, in seconds from its age 0; nil if only the policy knows.
        package var lifetime: TimeInterval?
    }

    /// The URL of the request, or the target of a stored redirect.
    package var url: URL
    /// The text by which responses are stored, without what depends on credentials.
    package var key: String
    package var variants: [Variant]
    /// The index of the variant that the request selects.
    package var selected: Int?
    package var outcome: Outcome
}

extension CachingTransport {
    /// Explains a GET request, and the requests that stored redirects lead to.
    package func explanations(of request: TransportRequest) async -> [CacheExplanation] {
        var chain = RedirectChain(request)
        var explanations: [CacheExplanation] = []
        while let exchange = exchange(chain.request) {
            let explanation = await exchange.explanation()
            explanations.append(explanation)
            guard case .hit = explanation.outcome, let selected = explanation.selected else { break }
            let response = explanation.variants[selected].response
            let head = ResponseHead(
                status: .init(code: response.status), headers: response.headers, url: chain.request.url,
                expectedByteCount: nil)
            guard (try? chain.follow(head)) == true else { break }
        }
        return explanations
    }
}

extension CachedExchange {
    fileprivate func explanation() async -> CacheExplanation {
        let index = await store.readableIndex(key)
        var variants: [CacheExplanation.Variant] = []
        for variant in index?.variants ?? [] {
            variants.append(
                CacheExplanation.Variant(
                    response: variant.response, byteCount: await store.body(of: variant, key)?.byteCount,
                    lifetime: lifetime(of: variant.response)))
        }
        let (selected, outcome) = outcome(index, variants)
        return CacheExplanation(
            url: request.url.withoutCredentials, key: key.publicAddress.map { "\($0) private" } ?? key.text,
            variants: variants, selected: selected, outcome: outcome)
    }

    private func outcome(
        _ index: VariantIndex?, _ variants: [CacheExplanation.Variant]
    ) -> (selected: Int?, CacheExplanation.Outcome) {
        guard let index else { return (nil, .miss(.unreadable)) }
        let decision = rules.policy.decision(for: cacheRequest, from: variants.map(\.response), at: store.now())
        switch decision {
        case .use(let selected, let isStale, let revalidates):
            if variants[selected].byteCount == nil { return (selected, .miss(.missingBytes)) }
            return (selected, .hit(isStale: isStale, revalidates: revalidates))
        case .validate(let selected, let fields, _):
            return (selected, fields.isEmpty ? .miss(.stale) : .validation(fields))
        case .fetch, .unavailable: return (nil, .miss(index.miss(to: request.headers)))
        }
    }

    private func lifetime(of response: StoredHTTPResponse) -> TimeInterval? {
        switch rules.policy {
        case let policy as RFC9111Policy: policy.lifetime(of: response, CacheDirectives(response.headers))
        case let policy as FixedLifetimePolicy: policy.lifetime.inSeconds
        default: nil
        }
    }
}
