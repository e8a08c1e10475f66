import Crypto
import Foundation

/// The token of requests by operators (RFC 6750).
enum BearerToken {
    /// Returns whether the value of Authorization has the token. The time doesn't depend on where texts differ.
    static func isValid(_ field: String?, secret: String) -> Bool {
        guard let field, field.prefix(7).lowercased() == "bearer " else { return false }
        let given = field.dropFirst(7).drop { $0 == " " }
        let digests = [Data(given.utf8), Data(secret.utf8)].map { SHA256.hash(data: $0) }
        // swift-crypto compares digests in constant time.
        return digests[0] == digests[1]
    }
}
