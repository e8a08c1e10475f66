import HTTPTypes
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Changes requests before it passes them to another transport, to add a token or a signature.
///
/// Redirects are followed by the other transport, so the `Authorization` and `Cookie` fields that you add never reach
/// another origin. Put this transport in front of a cache, not behind it, with `cached`. The cache then distinguishes users
/// by the fields that you add, unless `keepsIdentity` is true.
public struct ModifyingTransport: DataTransport {
    /// Returns the request to send in place of the given one. `send` throws its errors.
    public typealias Modifier = @Sendable (TransportRequest) async throws(TransportFailure) -> TransportRequest
    /// Returns the request to send after a response with status 401 (RFC 9110, 11.4), for example with a new token.
    /// Return nil to deliver the 401 response. The arguments are the request as it was sent and the head of the
    /// response.
    public typealias ChallengeHandler =
        @Sendable (TransportRequest, ResponseHead) async throws(TransportFailure) ->
        TransportRequest?

    private let transport: any DataTransport
    private let keepsIdentity: Bool
    private let modifier: Modifier?
    private let challengeHandler: ChallengeHandler?

    /// Creates a transport that changes requests.
    ///
    /// - Parameters:
    ///   - transport: The transport that sends the changed requests.
    ///   - keepsIdentity: Whether a cache behind this transport distinguishes users by the unchanged request. Use it
    ///     for tokens that change while the user stays the same. You must then separate users by other means.
    ///   - modify: Changes each request before it is sent.
    ///   - challengeHandler: Called at most once per request. If the new request gets a 401 too, that is the response.
    public init(
        _ transport: any DataTransport, keepsIdentity: Bool = false,
        modify: Modifier? = nil, challengeHandler: ChallengeHandler? = nil
    ) {
        self.transport = transport
        self.keepsIdentity = keepsIdentity
        modifier = modify
        self.challengeHandler = challengeHandler
    }

    /// Sends the changed request, and a second one if the challenge handler returns it for a 401 response.
    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        let modified = try await modified(request)
        let response = try await transport.send(modified)
        guard response.head.status == .unauthorized, let answered = try await challengeHandler?(modified, response.head)
        else {
            return response
        }
        response.body.discard()
        return try await transport.send(identified(answered, as: request))
    }

    /// Creates a transport that changes requests in front of a cache, also those that are only looked up there.
    ///
    /// If the modifier throws, as it may offline, the unchanged request is looked up if `keepsIdentity` is true.
    /// Otherwise the look-up is a miss. See the initializer for the parameters.
    public static func cached(
        _ transport: any DataTransport & ResponseCache, keepsIdentity: Bool = false,
        modify: Modifier? = nil, challengeHandler: ChallengeHandler? = nil
    ) -> any DataTransport & ResponseCache {
        let modifying = ModifyingTransport(
            transport, keepsIdentity: keepsIdentity, modify: modify, challengeHandler: challengeHandler)
        return CachedModifyingTransport(modifying: modifying, cache: transport)
    }

    /// Returns the request to look up. Returns nil if there is none.
    fileprivate func lookup(_ request: TransportRequest) async -> TransportRequest? {
        do throws(TransportFailure) {
            return try await modified(request)
        } catch {
            return keepsIdentity ? request : nil
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

private struct CachedModifyingTransport: DataTransport, ResponseCache {
    let modifying: ModifyingTransport
    let cache: any ResponseCache

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        try await modifying.send(request)
    }

    func storedResponse(to request: TransportRequest, acceptsStale: Bool) async throws(CacheMiss) -> TransportResponse {
        guard let request = await modifying.lookup(request) else { throw .unreadable }
        return try await cache.storedResponse(to: request, acceptsStale: acceptsStale)
    }

    func removeStoredResponses(to request: TransportRequest) async {
        guard let request = await modifying.lookup(request) else { return }
        await cache.removeStoredResponses(to: request)
    }

    func storeResponse(_ body: Data, to request: TransportRequest, lifetime: Duration) async -> Bool {
        guard let request = await modifying.lookup(request) else { return false }
        return await cache.storeResponse(body, to: request, lifetime: lifetime)
    }
}
