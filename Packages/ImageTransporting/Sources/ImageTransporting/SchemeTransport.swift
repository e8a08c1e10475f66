#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Selects a transport by the scheme of the URL.
public struct SchemeTransport: DataTransport {
    private let transports: [String: any DataTransport]

    /// Creates a transport that forwards requests to other transports.
    ///
    /// - Parameter transports: The transports by case-insensitive scheme: `["https": curl, "file": FileTransport()]`.
    public init(_ transports: [String: any DataTransport]) {
        self.transports = Dictionary(transports.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    /// Forwards the request. Throws `.invalidURL` if there is no transport for the scheme.
    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        guard let scheme = request.url.scheme?.lowercased() else {
            throw .invalidURL("\(request.url.absoluteString.prefix(200)) has no scheme")
        }
        guard let transport = transports[scheme] else { throw .invalidURL("no transport for the scheme \(scheme)") }
        return try await transport.send(request)
    }
}
