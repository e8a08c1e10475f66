public import Foundation
public import ImageHTTPCaching
import ImageTransporting

/// The rules of a cache for many users: like another policy, but without private responses (RFC 9111, section 3).
public struct SharedCachePolicy: HTTPCachePolicy {
    private let base: any HTTPCachePolicy

    /// Creates a policy.
    public init(_ base: any HTTPCachePolicy = RFC9111Policy()) { self.base = base }

    public func mayStore(_ response: StoredHTTPResponse, to request: HTTPCacheRequest) -> Bool {
        !CacheDirectives(response.headers).contains("private") && base.mayStore(response, to: request)
    }

    public func reuse(_ response: StoredHTTPResponse, for request: HTTPCacheRequest, at now: Date) -> CacheReuse {
        base.reuse(response, for: request, at: now)
    }
}
