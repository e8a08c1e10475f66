import Crypto
import Foundation

/// Verifies and creates the signatures of URLs: HMAC-SHA256 of a salt and the path, in URL-safe Base64.
///
/// Several pairs of key and salt are valid at the same time, so that keys can be replaced without downtime.
struct URLSignature: Sendable {
    /// A key and a salt.
    struct Pair: Sendable {
        fileprivate let key: SymmetricKey
        fileprivate let salt: Data

        /// Creates a pair from hexadecimal digits. Returns nil if a text is empty or not hexadecimal.
        init?(hexadecimalKey key: String, salt: String) {
            guard let key = Hexadecimal.decode(key), let salt = Hexadecimal.decode(salt), !key.isEmpty else {
                return nil
            }
            self.key = SymmetricKey(data: key)
            self.salt = Data(salt)
        }
    }

    private let pairs: [Pair]
    private let byteCount: Int
    private let trusted: [String]

    /// - Parameters:
    ///   - pairs: The valid pairs. The first one signs.
    ///   - byteCount: The number of bytes of the digest that are used, from 1 to 32.
    ///   - trusted: Texts that are valid for every path.
    init(_ pairs: [Pair], byteCount: Int = 32, trusted: [String] = []) {
        self.pairs = pairs
        self.trusted = trusted
        self.byteCount = min(max(1, byteCount), 32)
    }

    /// Returns the signature of a path, or nil if there is no pair.
    /// - Parameter path: What follows the signature, from its leading slash.
    func sign(_ path: some StringProtocol) -> String? {
        pairs.first.map { Base64URL.encode(digest(of: path, $0)) }
    }

    /// Returns whether a text is valid for every path. The time does not depend on where it differs from others.
    func trusts(_ signature: some StringProtocol) -> Bool {
        trusted.map { Self.areEqual(Data(signature.utf8), Data($0.utf8)) }.contains(true)
    }

    /// Returns whether a signature is valid. The time does not depend on where the digests differ.
    func verify(_ signature: some StringProtocol, of path: some StringProtocol) -> Bool {
        guard let given = Base64URL.decode(signature) else { return false }
        // No early end: the time must not tell which pair matched.
        return pairs.map { Self.areEqual(given, digest(of: path, $0)) }.contains(true)
    }

    private func digest(of path: some StringProtocol, _ pair: Pair) -> Data {
        var hmac = HMAC<SHA256>(key: pair.key)
        hmac.update(data: pair.salt)
        hmac.update(data: Data(path.utf8))
        return Data(hmac.finalize().prefix(byteCount))
    }

    private static func areEqual(_ left: Data, _ right: Data) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
