import HTTPTypes
public import ImageCore

/// Changes each http or https request before it is looked up and sent, to add a token or a signature.
///
/// The fields that you add or change never reach another server by a redirect. The cache distinguishes users by them. If
/// the request has an account, it distinguishes them by that and the unchanged request, so that tokens can change.
public struct ModifyingTransport: ResponseCache {
    /// Changes a request in place, and can throw any error: `{ $0.headers[.authorization] = try await store.token() }`.
    ///
    /// A `TransportError` or `ImageError` is that of the request, and is retried if it is transient. Any other ends it
    /// with `ImageError.modifier`.
    public typealias Modifier = @Sendable (inout TransportRequest) async throws -> Void
    /// Changes a refused request in place, after a response with status 401 (RFC 9110, 11.4).
    ///
    /// The arguments are the request as it was sent and the head of the response. Returns whether to send the request
    /// again; with false, the response is delivered. Errors are those of a `Modifier`.
    public typealias ChallengeHandler = @Sendable (inout TransportRequest, ResponseHead) async throws -> Bool

    private let cache: any ResponseCache
    private let modifier: Modifier?
    private let challengeHandler: ChallengeHandler?

    /// Creates a transport that changes requests.
    ///
    /// - Parameters:
    ///   - cache: Receives the changed requests. Use `UncachedTransport` for a transport without a cache.
    ///   - modify: Changes each request before it is looked up. If it throws, a request with an account is looked up
    ///     unchanged.
    ///   - challengeHandler: Called at most once per request, after its exchange has ended. A second 401 is the response.
    public init(
        _ cache: any ResponseCache, modify: Modifier? = nil, challengeHandler: ChallengeHandler? = nil
    ) {
        self.cache = cache
        modifier = modify
        self.challengeHandler = challengeHandler
    }

    /// Looks up the changed request. If it must be sent, the challenge handler answers a 401 response.
    public func answer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer {
        let modified: TransportRequest
        do throws(TransportError) {
            modified = try await self.modified(request)
        } catch {
            return try await answerUnmodified(request, after: error)
        }
        switch try await cache.answer(to: modified) {
        case .stored(let response): return .stored(response)
        case .exchange(let miss, let start):
            return .exchange(after: miss) { challenged(try await start(), to: modified, from: request) }
        }
    }

    /// Removes what is stored for the changed request.
    public func removeStoredResponses(to request: TransportRequest) async {
        if let request = await lookup(request) { await cache.removeStoredResponses(to: request) }
    }

    /// Stores a response to the changed request.
    public func storeResponse(_ body: Data, to request: TransportRequest, lifetime: Duration) async -> Bool {
        guard let request = await lookup(request) else { return false }
        return await cache.storeResponse(body, to: request, lifetime: lifetime)
    }

    /// Returns the response that is stored for an unchanged request, or an exchange that fails.
    private func answerUnmodified(
        _ request: TransportRequest, after failure: TransportError
    ) async throws(TransportError) -> CacheAnswer {
        if request.account != nil, case .stored(let response) = try await cache.answer(to: request) {
            return .stored(response)
        }
        return .exchange(after: .unreadable) { throw failure }
    }

    /// Returns a response that asks the challenge handler if its status is 401.
    private func challenged(
        _ response: TransportResponse, to modified: TransportRequest, from request: TransportRequest
    ) -> TransportResponse {
        guard response.head.status == .unauthorized, let challengeHandler else { return response }
        var response = response
        response.challenge = { [head = response.head] in
            var next = modified
            do {
                guard try await challengeHandler(&next, head) else { return nil }
            } catch {
                throw TransportError(ofModifier: error)
            }
            var again = identified(next, as: request)
            // The 401 can be stored, with the same key.
            again.cacheUse = again.cacheUse.afterFailure
            return { [again] in try await cache.send(again) }
        }
        return response
    }

    /// Returns the request to look up. Returns nil if there is none.
    private func lookup(_ request: TransportRequest) async -> TransportRequest? {
        do throws(TransportError) {
            return try await modified(request)
        } catch {
            return request.account != nil ? request : nil
        }
    }

    private func modified(_ request: TransportRequest) async throws(TransportError) -> TransportRequest {
        guard let modifier, RedirectChain.isHTTP(request.url) else { return request }
        var modified = request
        do {
            try await modifier(&modified)
        } catch {
            throw TransportError(ofModifier: error)
        }
        return identified(modified, as: request)
    }

    private func identified(_ modified: TransportRequest, as request: TransportRequest) -> TransportRequest {
        var modified = modified
        if modified.url != request.url { modified.identifier = nil }
        modified.headersForOtherServers = request.headers
        modified.account = request.account
        if request.account != nil { modified.identityHeaders = request.identityHeaders ?? request.headers }
        return modified
    }
}
