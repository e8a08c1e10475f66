import CryptoExtras
import Foundation
import HTTPTypes
import ImageTransporting

/// The key of a service account at Google, as its file has it.
struct GoogleKey: Sendable {
    let account: String
    /// Where tokens are from.
    let tokens: URL
    private let key: _RSA.Signing.PrivateKey

    /// Throws if a text isn't the file of a key.
    init(_ text: String) throws {
        let file = try JSONDecoder().decode(File.self, from: Data(text.utf8))
        account = file.client_email
        tokens = file.token_uri
        key = try _RSA.Signing.PrivateKey(pemRepresentation: file.private_key)
    }

    private struct File: Decodable {
        let client_email, private_key: String
        let token_uri: URL
    }

    /// Returns a JSON Web Token, signed with RS256, which a token to read objects is given for (RFC 7519, RFC 7523).
    func assertion(now: Date) throws -> String {
        let time = Int(now.timeIntervalSince1970)
        let claims = Claims(
            iss: account, scope: "https://www.googleapis.com/auth/devstorage.read_only", aud: tokens.absoluteString,
            iat: time, exp: time + 3_600)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let parts = [Data(#"{"alg":"RS256","typ":"JWT"}"#.utf8), try encoder.encode(claims)]
        let text = parts.map { Base64URL.encode($0) }.joined(separator: ".")
        let signature = try key.signature(for: Data(text.utf8), padding: .insecurePKCS1v1_5)
        return "\(text).\(Base64URL.encode(signature.rawRepresentation))"
    }

    private struct Claims: Encodable {
        let iss, scope, aud: String
        let iat, exp: Int
    }
}

/// Sends a token with the requests for objects at Google.
struct GoogleSigner: BucketSigning {
    private let token: Renewed<String>

    /// - Parameter service: Asks for tokens.
    init(_ key: GoogleKey, _ service: KeyService, now: @escaping @Sendable () -> Date) {
        token = Renewed(now: now) {
            let start = now()
            let form = [
                ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                ("assertion", try key.assertion(now: start)),
            ]
            let reply = try JSONDecoder().decode(Reply.self, from: await service.body(key.tokens, form: form))
            return Expiring(value: reply.access_token, end: start.addingTimeInterval(reply.expires_in))
        }
    }

    private struct Reply: Decodable {
        let access_token: String
        let expires_in: TimeInterval
    }

    func sign(_ request: inout BucketRequest) async throws(TransportError) {
        request.headers[.authorization] = "Bearer \(try await token.value())"
    }
}
