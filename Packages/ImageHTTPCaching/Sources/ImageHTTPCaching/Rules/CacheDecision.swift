package import ImageCore
import ImageTransporting

/// What a cache does for a request, and why.
package enum CacheDecision: Hashable, Sendable {
    /// Return a stored variant, and perhaps revalidate it in the background.
    case use(variant: Int, isStale: Bool, revalidates: Bool)
    /// Ask the server whether a variant is current. The fallback says when it may be returned although it isn't confirmed.
    case validate(variant: Int, fallback: StaleFallback)
    /// Send the request to the server.
    case send(CacheMiss)
    /// Respond with 504: the request forbids contacting the server (RFC 9111, 5.2.1.7).
    case unavailable(CacheMiss)
}

extension HTTPCachePolicy {
    /// Applies the policy to the newest variant that a request without conditions selects (RFC 9111, 4.1).
    func decision(
        for request: HTTPCacheRequest, _ use: CacheUse = CacheUse(), from variants: [StoredHTTPResponse], at now: Date
    ) -> CacheDecision {
        let selected = variants.indices.filter { variants[$0].isSelected(by: request.headers) }
        let newest = selected.max { variants[$0].date < variants[$1].date }
        let isCacheOnly = CacheDirectives(request.headers).contains("only-if-cached")
        let decision: CacheDecision
        if request.isPlainGet, let newest {
            decision = self.decision(reuse(variants[newest], for: request, at: now), newest, isCacheOnly: isCacheOnly)
        } else if isCacheOnly {
            decision = .unavailable(.notReusable)
        } else {
            let reason: CacheMiss = selected.isEmpty ? .otherVariant : .notReusable
            decision = .send(variants.isEmpty ? .absent : reason)
        }
        return decision.changed(by: use, status: newest.map { variants[$0].status } ?? 0)
    }

    private func decision(_ reuse: CacheReuse, _ variant: Int, isCacheOnly: Bool) -> CacheDecision {
        switch reuse {
        case .fresh: .use(variant: variant, isStale: false, revalidates: false)
        case .stale: .use(variant: variant, isStale: true, revalidates: false)
        case .staleWhileRevalidate: .use(variant: variant, isStale: true, revalidates: !isCacheOnly)
        case .validate(let fallback):
            isCacheOnly ? .unavailable(.notReusable) : .validate(variant: variant, fallback: fallback)
        }
    }
}

extension CacheDecision {
    /// Returns the decision for a use of the cache that isn't the standard one.
    ///
    /// - Parameter status: The status of the variant.
    fileprivate func changed(by use: CacheUse, status: Int) -> CacheDecision {
        let isError = status >= 400
        switch (use.mode, self) {
        case (.onlyIfCached, .use(let variant, let isStale, _)):
            return .use(variant: variant, isStale: isStale, revalidates: false)
        case (.onlyIfCached, .validate(let variant, _)):
            return .use(variant: variant, isStale: true, revalidates: false)
        case (.onlyIfCached, .send(let miss)): return .unavailable(miss)
        // Validation would confirm a stored error.
        case (.ignoringStoredErrors, .use) where isError, (.ignoringStoredErrors, .validate) where isError:
            return .send(.notReusable)
        case (.ignoringStoredErrors, .use(let variant, _, _)):
            return .validate(variant: variant, fallback: .serverError)
        case (.revalidate, .use(let variant, _, _)): return .validate(variant: variant, fallback: .never)
        case (_, .use(let variant, let isStale, _)) where !use.access.writes:
            return .use(variant: variant, isStale: isStale, revalidates: false)
        case (_, .validate) where !use.access.writes: return .send(.stale)
        // A stale error says less than the failure, which can be retried.
        case (_, .validate(let variant, _)) where isError: return .validate(variant: variant, fallback: .never)
        default: return self
        }
    }
}
