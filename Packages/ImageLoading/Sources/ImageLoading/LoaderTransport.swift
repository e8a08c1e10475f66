public import ImageCore
public import ImageTransporting

/// The way of a loader to originals: its disk cache, its network, and transports for other schemes.
///
/// To change requests or to use another network, set `requestModifier` or `makeTransport` of `ImageLoaderOptions` instead.
public struct LoaderTransport: ResponseCache {
    /// Measures and empties the disk under the cache; nil for none.
    public var maintenance: (any DiskMaintenance)?
    /// Whether responses are stored.
    let isCached: Bool
    private let transport: any ResponseCache
    private var others: [String: any DataTransport] = [:]

    /// Uses a transport that stores responses, such as `CachingTransport`, perhaps behind a `ModifyingTransport`. Bytes
    /// that the application fetches itself are stored there, too, as responses for URLs of the scheme `fetch`.
    public static func cached(_ transport: any ResponseCache) -> LoaderTransport {
        LoaderTransport(isCached: true, transport: transport)
    }

    /// Uses a transport without asking for stored responses: each image that isn't in memory waits for a download slot,
    /// and requests with the mode `onlyIfCached` fail.
    public static func uncached(_ transport: any DataTransport) -> LoaderTransport {
        LoaderTransport(isCached: false, transport: UncachedTransport(transport))
    }

    private init(isCached: Bool, transport: any ResponseCache) {
        self.isCached = isCached
        self.transport = transport
    }

    /// Returns a transport with another one for a scheme, in any case: `.adding(ArchiveTransport(), forScheme: "archive")`.
    public func adding(_ transport: any DataTransport, forScheme scheme: String) -> LoaderTransport {
        var result = self
        result.others[scheme.lowercased()] = transport
        return result
    }

    /// Returns a stored response, or the exchange of the transport for the scheme.
    public func answer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer {
        try await transport(for: request).answer(to: request)
    }

    public func removeStoredResponses(to request: TransportRequest) async {
        await transport(for: request).removeStoredResponses(to: request)
    }

    public func storeResponse(_ body: Data, to request: TransportRequest, lifetime: Duration) async -> Bool {
        await transport(for: request).storeResponse(body, to: request, lifetime: lifetime)
    }

    private func transport(for request: TransportRequest) -> any ResponseCache {
        guard let other = others[request.url.scheme?.lowercased() ?? ""] else { return transport }
        return UncachedTransport(other)
    }
}
