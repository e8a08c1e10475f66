#if canImport(CryptoKit)
    import CryptoKit
    private typealias SHA256 = CryptoKit.SHA256
#elseif CacheEncryption
    import Crypto
    private typealias SHA256 = Crypto.SHA256
#endif

#if canImport(CryptoKit) || CacheEncryption
    public import ImageCore

    /// Encrypts with AES-GCM (NIST SP 800-38D) and random nonces of 96 bits. Pseudonyms are HMAC-SHA-256. Replace a key
    /// after 2^32 encryptions, because a nonce could repeat.
    public struct AESGCMEncryption: DataEncryption {
        private let encryptionKey: SymmetricKey
        private let pseudonymKey: SymmetricKey

        /// Creates an encryption with keys that are derived from a secret key.
        ///
        /// - Parameter key: 32 random bytes. Don't use a password.
        /// - Throws: `InvalidKeyError` if the key has another length.
        public init(key: Data) throws(InvalidKeyError) {
            guard key.count == 32 else { throw InvalidKeyError(byteCount: key.count) }
            // HKDF (RFC 5869), so that neither derived key reveals anything about the other.
            func derived(_ purpose: String) -> SymmetricKey {
                HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: key), info: Data(purpose.utf8), outputByteCount: 32)
            }
            encryptionKey = derived("swift-image-loading seal")
            pseudonymKey = derived("swift-image-loading pseudonym")
        }

        /// An error that is thrown if a key doesn't have 32 bytes.
        public struct InvalidKeyError: Error, Hashable, CustomStringConvertible, LocalizedError {
            /// The length of the key, in bytes.
            public var byteCount: Int

            public var errorDescription: String? { description }
            public var description: String { "a key has 32 bytes, and this one \(byteCount)" }
        }

        /// Encrypts bytes and authenticates the context.
        ///
        /// - Returns: The nonce (12 bytes), the ciphertext and the tag (16 bytes).
        /// - Throws: An error of swift-crypto, or of CryptoKit.
        public func encrypt(_ bytes: Data, context: Data) throws -> Data {
            let box = try AES.GCM.seal(bytes, using: encryptionKey, authenticating: context)
            return box.nonce + box.ciphertext + box.tag
        }

        /// Decrypts the result of `encrypt(_:context:)`.
        ///
        /// - Throws: An error of swift-crypto, or of CryptoKit, if the key, the context or the bytes are others.
        public func decrypt(_ encrypted: Data, context: Data) throws -> Data {
            try AES.GCM.open(try AES.GCM.SealedBox(combined: encrypted), using: encryptionKey, authenticating: context)
        }

        /// Returns the HMAC-SHA-256 of a text as 64 hexadecimal digits.
        public func pseudonym(for text: String) -> String {
            HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: pseudonymKey).map { byte in
                let digits = String(byte, radix: 16)
                return byte < 16 ? "0" + digits : digits
            }.joined()
        }
    }
#endif
