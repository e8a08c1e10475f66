import HTTPTypes
import ImageCore
import ImageTransporting

/// Adds a `User-Agent` header with the version of this package to requests without one (RFC 9110, section 10.1.5).
struct UserAgentTransport: DataTransport {
    let base: any DataTransport

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        guard request.headers[.userAgent] == nil else { return try await base.send(request) }
        var request = request
        request.headers[.userAgent] = "swift-image-loading/\(PackageVersion.current)"
        return try await base.send(request)
    }
}
