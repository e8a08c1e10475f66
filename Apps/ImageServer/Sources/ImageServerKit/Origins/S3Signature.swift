import Crypto
import Foundation
import HTTPTypes

/// Signs requests for a server with the protocol of Amazon S3 (AWS Signature Version 4).
struct S3Signature: Sendable {
    let accessKey: String
    let secretKey: String
    let region: String

    /// Returns the header fields of a signed GET or HEAD request, with `headers`.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The encoded path, as `encoded` returns it.
    ///   - query: The query, with one item at most.
    ///   - host: The value of Host.
    ///   - headers: Further fields to sign.
    ///   - now: The time of the request.
    func fields(
        _ method: String, path: String, query: String = "", host: String, headers: HTTPFields = [:], now: Date
    ) -> HTTPFields {
        let time = Self.timestamp(now)
        var fields = headers
        fields[Self.contentDigest] = Self.emptyDigest
        fields[Self.date] = time
        var signed = fields.map { ($0.name.canonicalName, $0.value) } + [("host", host)]
        signed.sort { $0.0 < $1.0 }
        let names = signed.map(\.0).joined(separator: ";")
        let lines = signed.map { "\($0.0):\($0.1)\n" }.joined()
        let request = [method, path, query, lines, names, Self.emptyDigest].joined(separator: "\n")
        let scope = "\(time.prefix(8))/\(region)/s3/aws4_request"
        let text = ["AWS4-HMAC-SHA256", time, scope, Self.digest(request)].joined(separator: "\n")
        fields[.authorization] =
            "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope), SignedHeaders=\(names), "
            + "Signature=\(Hexadecimal.encode(Self.code(text, key: key(day: String(time.prefix(8))))))"
        return fields
    }

    /// Returns a path with percent-encodings for all bytes except unreserved characters and slashes.
    static func encoded(_ path: [UInt8]) -> String {
        path.percentEncoded { $0.isLetter || $0.isNumber || "-._~/".contains($0) }
    }

    private func key(day: String) -> [UInt8] {
        [day, region, "s3", "aws4_request"].reduce(Array("AWS4\(secretKey)".utf8)) { Self.code($1, key: $0) }
    }

    private static func code(_ text: String, key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key)))
    }

    private static func digest(_ text: String) -> String { Hexadecimal.encode(SHA256.hash(data: Data(text.utf8))) }

    /// Returns a time such as 20130524T000000Z.
    private static func timestamp(_ time: Date) -> String {
        time.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted).dateTimeSeparator(.standard))
    }

    private static let emptyDigest = digest("")
    private static let contentDigest = HTTPField.Name("x-amz-content-sha256") ?? .via
    private static let date = HTTPField.Name("x-amz-date") ?? .via
}
