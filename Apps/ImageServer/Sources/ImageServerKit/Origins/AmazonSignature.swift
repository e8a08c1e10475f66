import Crypto
import Foundation
import HTTPTypes
import ImageTransporting

/// The keys of an account or a role at Amazon.
struct AmazonKeys: Hashable, Sendable {
    let accessKey: String
    let secretKey: String
    /// What temporary keys are valid with; nil for others.
    var sessionToken: String?
}

/// Signs requests for a service of Amazon, or of a server with its protocol (AWS Signature Version 4).
struct AmazonSignature: Sendable {
    let keys: AmazonKeys
    let region: String
    var service = "s3"

    /// Returns the header fields of a signed request, with `headers`.
    ///
    /// - Parameters:
    ///   - path: The encoded path.
    ///   - query: The query, with one item at most.
    ///   - headers: Further fields to sign.
    func fields(
        _ method: String, path: String, query: String = "", host: String, headers: HTTPFields = [:],
        body: String = "", now: Date
    ) -> HTTPFields {
        let (time, bodyDigest) = (Self.timestamp(now), Self.digest(body))
        var fields = headers
        fields[Self.contentDigest] = bodyDigest
        fields[Self.date] = time
        fields[Self.token] = keys.sessionToken
        var signed = fields.map { ($0.name.canonicalName, $0.value) } + [("host", host)]
        signed.sort { $0.0 < $1.0 }
        let names = signed.map(\.0).joined(separator: ";")
        let lines = signed.map { "\($0.0):\($0.1)\n" }.joined()
        let request = [method, path, query, lines, names, bodyDigest].joined(separator: "\n")
        let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
        let text = ["AWS4-HMAC-SHA256", time, scope, Self.digest(request)].joined(separator: "\n")
        fields[.authorization] =
            "AWS4-HMAC-SHA256 Credential=\(keys.accessKey)/\(scope), SignedHeaders=\(names), "
            + "Signature=\(Hexadecimal.encode(Self.code(text, key: key(day: String(time.prefix(8))))))"
        return fields
    }

    private func key(day: String) -> [UInt8] {
        [day, region, service, "aws4_request"].reduce(Array("AWS4\(keys.secretKey)".utf8)) { Self.code($1, key: $0) }
    }

    private static func code(_ text: String, key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key)))
    }

    private static func digest(_ text: String) -> String { Hexadecimal.encode(SHA256.hash(data: Data(text.utf8))) }

    /// Returns a time such as 20130524T000000Z.
    private static func timestamp(_ time: Date) -> String {
        time.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted).dateTimeSeparator(.standard))
    }

    private static let contentDigest = HTTPField.Name("x-amz-content-sha256") ?? .via
    private static let date = HTTPField.Name("x-amz-date") ?? .via
    private static let token = HTTPField.Name("x-amz-security-token") ?? .via
}

/// Signs requests for objects with the keys that are valid at the time.
struct AmazonSigner: BucketSigning {
    private let keys: Renewed<AmazonKeys>
    private let region: String
    private let now: @Sendable () -> Date

    /// - Parameter service: Asks for temporary keys.
    init(_ account: AmazonAccount, _ service: KeyService, now: @escaping @Sendable () -> Date) {
        keys = Renewed(now: now) { try await account.keys(from: account.source, service, now()) }
        region = account.region
        self.now = now
    }

    func sign(_ request: inout BucketRequest) async throws(TransportError) {
        let signature = AmazonSignature(keys: try await keys.value(), region: region)
        let fields = signature.fields(
            request.method, path: request.path, query: request.query, host: request.host, now: now())
        for field in fields { request.headers[field.name] = field.value }
    }
}
