#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Selects a transport by the scheme of the URL.
public struct SchemeTransport: DataTransport {
    private let transports: [String: any DataTransport]
    private let other: (any DataTransport)?

    /// Creates a transport that forwards requests to other transports.
    ///
    /// - Parameters:
    ///   - transports: The transports by case-insensitive scheme: `["https": curl, "file": FileTransport()]`.
    ///   - other: The transport for all other schemes; nil for none.
    public init(_ transports: [String: any DataTransport], otherwise other: (any DataTransport)? = nil) {
        self.other = other
        self.transports = Dictionary(transports.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    /// Forwards the request. Throws `.invalidURL` if there is no transport for the scheme.
    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        guard let scheme = request.url.scheme?.lowercased() else {
            throw .invalidURL("\(request.url.absoluteString.prefix(200)) has no scheme")
        }
        guard let transport = transports[scheme] ?? other else {
            throw .invalidURL("no transport for the scheme \(scheme)")
        }
        return try await transport.send(request)
    }
}
