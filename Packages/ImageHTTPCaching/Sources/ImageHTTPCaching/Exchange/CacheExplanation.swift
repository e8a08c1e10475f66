import HTTPTypes
package import ImageCore
package import ImageTransporting

/// What the cache would do for a request, and why. Nothing is sent.
package struct CacheExplanation: Sendable {
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
    /// What is done, with the index of the variant that is used or validated.
    package var decision: CacheDecision

    /// The variant that is used or validated; nil for none.
    package var selected: Variant? {
        switch decision {
        case .use(let variant, _, _), .validate(let variant, _): variants[variant]
        case .send, .unavailable: nil
        }
    }
}

extension CachingTransport {
    /// Explains a GET request, and the requests that stored redirects lead to.
    package func explanations(of request: TransportRequest) async -> [CacheExplanation] {
        var chain = RedirectChain(request)
        var explanations: [CacheExplanation] = []
        while let exchange = cached(chain.request) {
            let explanation = await exchange.explanation()
            explanations.append(explanation)
            guard case .use = explanation.decision, let response = explanation.selected?.response else { break }
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
        let (decision, stored, _) = await decide()
        var variants: [CacheExplanation.Variant] = []
        for variant in stored {
            variants.append(
                CacheExplanation.Variant(
                    response: variant.response, byteCount: await store.body(of: variant, key)?.byteCount,
                    lifetime: options.policy.lifetime(of: variant.response)?.inSeconds))
        }
        return CacheExplanation(
            url: request.url.withoutCredentials, key: key.publicAddress.map { "\($0) private" } ?? key.text,
            variants: variants, decision: decision)
    }
}
