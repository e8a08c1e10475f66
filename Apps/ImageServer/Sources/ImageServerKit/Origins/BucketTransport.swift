import Foundation
import HTTPTypes
import ImageCore
import ImageTransporting

/// Sends requests to origins by their schemes. It is below the HTTP cache.
struct OriginNetwork: DataTransport {
    let http: any DataTransport
    /// For the schemes of buckets.
    let buckets: [BucketScheme: BucketTransport]

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let scheme = request.url.scheme.flatMap { BucketScheme(rawValue: $0.lowercased()) }
        guard let transport = scheme.flatMap({ buckets[$0] }) else { return try await http.send(request) }
        return try await transport.send(request)
    }

    func closeIdleConnections() { http.closeIdleConnections() }
}

/// The schemes of sources in buckets, as imgproxy names them.
enum BucketScheme: String, Sendable, CaseIterable {
    case amazon = "s3"
    case google = "gs"
    case azure = "abs"

    /// The item of a query with the version of an object; nil if versions can't be asked for.
    var versionItem: String? {
        switch self {
        case .amazon: "versionId"
        case .google: "generation"
        case .azure: nil
        }
    }
}

/// A request for an object, before it is signed.
struct BucketRequest {
    let method: String
    let host: String
    /// The encoded path.
    let path: String
    var query: String
    var headers: HTTPFields
}

/// Proves to the server of a bucket that this server may read the objects.
protocol BucketSigning: Sendable {
    /// Adds header fields, or items of the query. May wait for a temporary key.
    func sign(_ request: inout BucketRequest) async throws(TransportError)
}

/// Loads `s3://bucket/key`, `gs://bucket/key` and `abs://container/key`, perhaps with `?version`.
struct BucketTransport: DataTransport {
    /// Sends requests to the server.
    let network: any DataTransport
    /// The scheme of the URLs.
    let scheme: BucketScheme
    /// The address of the server. The bucket follows its path.
    let endpoint: URL
    /// Signs the requests.
    let signer: any BucketSigning

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard let bucket = request.url.host(), request.url.scheme == scheme.rawValue else {
            throw .invalidURL(request.url.absoluteString)
        }
        var signed = request
        // A redirect would lead to another server with a signature for this one.
        signed.followsRedirects = false
        signed.headers[OriginalClient.identityField] = nil
        let prefix = endpoint.path(percentEncoded: true).trimmingSuffix("/")
        let version = scheme.versionItem.flatMap { item in request.url.query().map { "\(item)=\($0)" } }
        var object = BucketRequest(
            method: request.method.rawValue, host: endpoint.hostField,
            path: prefix + Self.encoded(Array("/\(bucket)".utf8) + OriginPath(request.url).bytes),
            query: version ?? "", headers: signed.headers)
        try await signer.sign(&object)
        let query = object.query.isEmpty ? "" : "?\(object.query)"
        let address = "\(endpoint.scheme ?? "https")://\(object.host)\(object.path)\(query)"
        guard let url = URL(string: address, encodingInvalidCharacters: false) else {
            throw .invalidURL(request.url.absoluteString)
        }
        signed.url = url
        signed.headers = object.headers
        var response = try await network.send(signed)
        response.head.url = request.url
        return response
    }

    /// Returns a path with percent-encodings for all bytes except unreserved characters and slashes.
    private static func encoded(_ path: [UInt8]) -> String {
        path.percentEncoded { $0.isLetter || $0.isNumber || "-._~/".contains($0) }
    }
}

extension URL {
    /// The value of Host, which is signed. The default port is left out, as clients do (RFC 9110, 7.2).
    var hostField: String {
        let host = URLComponents(url: self, resolvingAgainstBaseURL: false)?.encodedHost ?? ""
        guard let port, port != (scheme == "https" ? 443 : 80) else { return host }
        return "\(host):\(port)"
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
