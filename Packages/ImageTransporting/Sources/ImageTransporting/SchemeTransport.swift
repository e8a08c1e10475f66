#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Picks a transport by the scheme of the URL.
public struct SchemeTransport: DataTransport {
    private let transports: [String: any DataTransport]

    /// - Parameter transports: by scheme, in any case: `["https": curl, "file": FileTransport()]`.
    public init(_ transports: [String: any DataTransport]) {
        self.transports = Dictionary(transports.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    /// Throws `.invalidURL` when no transport is there for the scheme.
    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        guard let scheme = request.url.scheme?.lowercased() else {
            throw .invalidURL("\(request.url.absoluteString.prefix(200)) has no scheme")
        }
        guard let transport = transports[scheme] else { throw .invalidURL("no transport for the scheme \(scheme)") }
        return try await transport.send(request)
    }
}
