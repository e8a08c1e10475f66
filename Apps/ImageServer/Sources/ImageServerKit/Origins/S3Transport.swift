import Foundation
import HTTPTypes
import ImageCore
import ImageTransporting

/// Sends requests to origins by their schemes. It is below the HTTP cache.
struct OriginNetwork: DataTransport {
    let http: any DataTransport
    /// For `s3:`; nil if no credentials are set.
    let buckets: S3Transport?

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard let buckets, request.url.scheme?.lowercased() == "s3" else { return try await http.send(request) }
        return try await buckets.send(request)
    }

    func closeIdleConnections() { http.closeIdleConnections() }
}

/// Loads `s3://bucket/key` and `s3://bucket/key?version` from a server with the protocol of Amazon S3.
struct S3Transport: DataTransport {
    private let network: any DataTransport
    private let endpoint: URL
    private let signature: S3Signature
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - network: Sends requests to the server.
    ///   - server: The address of the server, and the credentials.
    ///   - now: Returns the current time.
    init(_ network: any DataTransport, server: S3Server, now: @escaping @Sendable () -> Date) {
        self.network = network
        endpoint = server.endpoint
        signature = server.signature
        self.now = now
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard let bucket = request.url.host(), request.url.scheme == "s3" else {
            throw .invalidURL(request.url.absoluteString)
        }
        let prefix = endpoint.path(percentEncoded: true).trimmingSuffix("/")
        let path = prefix + S3Signature.encoded(Array("/\(bucket)".utf8) + OriginPath(request.url).bytes)
        let port = endpoint.port.map { ":\($0)" } ?? ""
        let host = (endpoint.host() ?? "") + port
        let query = request.url.query().map { "versionId=\($0)" } ?? ""
        let address = "\(endpoint.scheme ?? "https")://\(host)\(path)\(query.isEmpty ? "" : "?\(query)")"
        guard let url = URL(string: address, encodingInvalidCharacters: false) else {
            throw .invalidURL(request.url.absoluteString)
        }
        var signed = request
        signed.url = url
        // A redirect would lead to another server with a signature for this one.
        signed.followsRedirects = false
        signed.headers[OriginalClient.identityField] = nil
        let fields = signature.fields(request.method.rawValue, path: path, query: query, host: host, now: now())
        for field in fields { signed.headers[field.name] = field.value }
        var response = try await network.send(signed)
        response.head.url = request.url
        return response
    }
}

/// A server with the protocol of Amazon S3.
package struct S3Server: Sendable {
    let endpoint: URL
    let signature: S3Signature
}

extension SettingValues {
    /// Returns the S3 server; nil if no credentials are set.
    func s3Server() throws(SettingsFailure) -> S3Server? {
        guard let accessKey = self.bucketAccessKey else { return nil }
        guard let secretKey = self.bucketSecretKey else {
            throw .invalid("bucketSecretKey", "it is missing")
        }
        let region = self.bucketRegion
        let address = self.bucketEndpoint ?? "https://s3.\(region).amazonaws.com"
        guard let endpoint = URL(webAddress: address), endpoint.host() != nil, endpoint.query() == nil else {
            throw .invalid("bucketEndpoint", "not the address of a server")
        }
        return S3Server(
            endpoint: endpoint, signature: S3Signature(accessKey: accessKey, secretKey: secretKey, region: region))
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
