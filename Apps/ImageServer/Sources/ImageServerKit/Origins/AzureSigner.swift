import Crypto
import Foundation
import HTTPTypes
import ImageTransporting

/// Signs requests for blobs of an account at Azure.
struct AzureSigner: BucketSigning {
    /// What proves the rights of this server.
    enum Secret: Sendable {
        /// The key of the account (Shared Key).
        case key(Data)
        /// Items of a query, which were signed elsewhere (Shared Access Signature).
        case accessSignature(String)
    }

    private static let version = "2021-08-06"

    let account: String
    let secret: Secret
    let now: @Sendable () -> Date

    func sign(_ request: inout BucketRequest) async throws(TransportError) {
        request.headers[Self.versionField] = Self.version
        request.headers[Self.date] = HTTPDate.format(now())
        switch secret {
        case .accessSignature(let query): request.query = query
        case .key(let key):
            let code = HMAC<SHA256>.authenticationCode(
                for: Data(text(of: request).utf8), using: SymmetricKey(data: key))
            request.headers[.authorization] = "SharedKey \(account):\(Data(code).base64EncodedString())"
        }
    }

    /// The text that is signed for a request without a body, as "Authorize with Shared Key" has it.
    private func text(of request: BucketRequest) -> String {
        // Those of a body, and Date, are empty.
        let fields =
            Array(repeating: "", count: 6)
            + [HTTPField.Name.ifModifiedSince, .ifMatch, .ifNoneMatch, .ifUnmodifiedSince, .range]
            .map { request.headers[$0] ?? "" }
        let own = request.headers.filter { $0.name.canonicalName.hasPrefix("x-ms-") }
            .map { "\($0.name.canonicalName):\($0.value)" }.sorted()
        return ([request.method] + fields + own + ["/\(account)\(request.path)"]).joined(separator: "\n")
    }

    private static let versionField = HTTPField.Name("x-ms-version") ?? .via
    private static let date = HTTPField.Name("x-ms-date") ?? .via
}
