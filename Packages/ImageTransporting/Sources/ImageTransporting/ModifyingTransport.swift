import HTTPTypes
import ImageCore

/// Changes every request on its way into another transport: adds a token, signs it.
///
/// Redirects are followed below it: what it adds in `Authorization` or `Cookie` never reaches another origin. So it stands above a
/// cache, not below, and tells it whose a request is by what it adds, unless `keepsIdentity` says otherwise.
public struct ModifyingTransport: DataTransport {
    /// What to send instead of a request. What it throws is what `send` throws.
    public typealias Modifier = @Sendable (TransportRequest) async throws(TransportFailure) -> TransportRequest
    /// What to send after a request was refused with 401 (RFC 9110, 11.4), with a fresh token perhaps; nil for nothing: then
    /// the refusal is the response. Told the request as it was sent, and the head of the refusal.
    public typealias ChallengeHook =
        @Sendable (TransportRequest, ResponseHead) async throws(TransportFailure) ->
        TransportRequest?

    private let transport: any DataTransport
    private let keepsIdentity: Bool
    private let modifier: Modifier?
    private let answer: ChallengeHook?

    /// - Parameters:
    ///   - keepsIdentity: Whether a cache below identifies the user by the request as it was before the change. For tokens that change
    ///     while the user stays the same; you must then separate users by other means.
    ///   - answer: asked once for each request at most: a second refusal is the response.
    public init(
        _ transport: any DataTransport, keepsIdentity: Bool = false,
        modify: Modifier? = nil, answeringChallenges answer: ChallengeHook? = nil
    ) {
        self.transport = transport
        self.keepsIdentity = keepsIdentity
        modifier = modify
        self.answer = answer
    }

    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        let modified = try await modified(request)
        let response = try await transport.send(modified)
        guard response.head.status == .unauthorized, let answered = try await answer?(modified, response.head) else {
            return response
        }
        response.body.discard()
        return try await transport.send(identified(answered, as: request))
    }

    /// The stored responses to requests as this transport sends them. Where no changed request is to be had, offline for one, a request
    /// that keeps its identity is looked for as it is, and any other has nothing stored.
    public func responseCache(over cache: any ResponseCache) -> any ResponseCache {
        ModifyingResponseCache(cache: cache) { [self] request in
            do throws(TransportFailure) {
                return try await modified(request)
            } catch {
                return keepsIdentity ? request : nil
            }
        }
    }

    private func modified(_ request: TransportRequest) async throws(TransportFailure) -> TransportRequest {
        guard let modifier else { return request }
        return identified(try await modifier(request), as: request)
    }

    private func identified(_ modified: TransportRequest, as request: TransportRequest) -> TransportRequest {
        guard keepsIdentity else { return modified }
        var modified = modified
        modified.identityHeaders = request.identityHeaders ?? request.headers
        return modified
    }
}

private struct ModifyingResponseCache: ResponseCache {
    let cache: any ResponseCache
    let modify: @Sendable (TransportRequest) async -> TransportRequest?

    func storedResponse(to request: TransportRequest, acceptsStale: Bool) async throws(CacheMiss) -> TransportResponse {
        guard let request = await modify(request) else { throw .unreadable }
        return try await cache.storedResponse(to: request, acceptsStale: acceptsStale)
    }

    func removeStoredResponses(to request: TransportRequest) async {
        guard let request = await modify(request) else { return }
        await cache.removeStoredResponses(to: request)
    }
}
