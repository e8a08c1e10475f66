public import ImageCore

/// A transport that stores responses.
///
/// Promises:
/// - Only an exchange that is started uses the network. The methods don't wait for it.
/// - A failure of the storage is a miss, and isn't thrown.
public protocol ResponseCache: DataTransport {
    /// Returns the stored response to a request, or the exchange that it needs, as `TransportRequest.cacheUse` says.
    ///
    /// - Throws: `.tooLarge` for a stored response above the limit, and the failures of `RedirectChain`.
    func answer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer
    /// Removes the stored responses for the request, and for the requests that it redirects to.
    func removeStoredResponses(to request: TransportRequest) async
    /// Stores a body as the response to a GET request. Returns whether it is stored, by default false.
    ///
    /// - Parameters:
    ///   - body: The bytes of the response.
    ///   - request: The request that they answer.
    ///   - lifetime: The time for which the response is fresh, in whole seconds from 0 to 2^31.
    func storeResponse(_ body: Data, to request: TransportRequest, lifetime: Duration) async -> Bool
}

/// What a cache has for a request.
@nonexhaustive
public enum CacheAnswer: Sendable {
    /// Sends a request to its server. It is called once at most.
    public typealias Send = @Sendable () async throws -> TransportResponse

    /// A stored response, which can be used without a request to the server.
    case stored(TransportResponse)
    /// The request must be sent, for this reason. The result may still be a stored response that the server has
    /// confirmed.
    case exchange(after: CacheMiss, start: Send)
}

extension ResponseCache {
    /// Returns the stored response, or starts the exchange at once, and then the one that answers a challenge.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        do {
            switch try await answer(to: request) {
            case .stored(let response): return response
            case .exchange(_, let start):
                let response = try await start()
                guard let next = try await response.challenge?() else { return response }
                response.body.discard()
                return try await next()
            }
        } catch {
            throw TransportError(error)
        }
    }

    public func storeResponse(_ body: Data, to request: TransportRequest, lifetime: Duration) async -> Bool { false }
}

/// A transport without a cache: each request is an exchange.
public struct UncachedTransport: ResponseCache {
    private let transport: any DataTransport

    /// Creates a cache that stores nothing in front of another transport.
    public init(_ transport: any DataTransport) { self.transport = transport }

    public func answer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer {
        .exchange(after: .noCache) { try await transport.send(request) }
    }

    public func removeStoredResponses(to request: TransportRequest) async {}
}

/// The source of a response.
@nonexhaustive
public enum ResponseSource: String, Sendable, Hashable, CaseIterable {
    /// From the network.
    case network
    /// From a cache, after the server confirmed that it is current.
    case validated
    /// From a cache, without a request to the server.
    case cache
    /// From a cache although it is stale: during revalidation, or because the server can't be reached.
    case stale
}
