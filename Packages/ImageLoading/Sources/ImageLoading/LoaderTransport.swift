public import ImageTransporting

/// The transport of a loader, with the cache that it fills.
///
/// The loader asks the cache for what needs no network, and sends the other requests. Both are one value, because they must
/// see the same requests: the cache would never find what is stored for a request with another header.
///
/// To change requests or to use another network, set `requestModifier` or `transport` of `ImageLoaderOptions` instead.
public struct LoaderTransport: DataTransport {
    private let transport: any DataTransport
    /// Returns stored responses; nil without a cache.
    let cache: (any ResponseCache)?

    /// Uses a transport that stores responses, such as `CachingTransport`. What changes requests must be such a transport
    /// itself; see `ModifyingTransport.cached`.
    public static func cached(_ transport: any DataTransport & ResponseCache) -> LoaderTransport {
        LoaderTransport(transport: transport, cache: transport)
    }

    /// Uses a transport without asking for stored responses: each image that isn't in memory waits for a download slot, and
    /// requests with the mode `onlyIfCached` fail.
    public static func uncached(_ transport: any DataTransport) -> LoaderTransport {
        LoaderTransport(transport: transport, cache: nil)
    }

    /// Returns a transport with others for these case-insensitive schemes, such as `["archive": ArchiveTransport()]`.
    public func adding(_ others: [String: any DataTransport]) -> LoaderTransport {
        LoaderTransport(transport: SchemeTransport(others, otherwise: transport), cache: cache)
    }

    /// Sends a request.
    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        try await transport.send(request)
    }
}
