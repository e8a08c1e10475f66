#if CacheEncryption
    import Crypto
    public import ImageCore

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// Seals with AES-GCM (NIST SP 800-38D), by swift-crypto, each time with a random nonce of 96 bits; pseudonyms are HMAC-SHA-256.
    ///
    /// A key may encryption 2^32 times before a nonce is likely enough to repeat that another key should take its place.
    public struct AESGCMEncryption: DataEncryption {
        private let encryptionKey: SymmetricKey
        private let naming: SymmetricKey

        /// - Parameter key: 32 bytes that nobody can guess: random, or from a store of secrets; not a password.
        public init(key: Data) throws(InvalidKey) {
            guard key.count == 32 else { throw InvalidKey(byteCount: key.count) }
            // HKDF (RFC 5869), so that neither use of the key tells anything about the other.
            func derived(_ purpose: String) -> SymmetricKey {
                HKDF<Crypto.SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: key), info: Data(purpose.utf8), outputByteCount: 32)
            }
            encryptionKey = derived("swift-image-loading seal")
            naming = derived("swift-image-loading pseudonym")
        }

        /// A key has 32 bytes.
        public struct InvalidKey: Error, Hashable {
            public var byteCount: Int

            public init(byteCount: Int) { self.byteCount = byteCount }
        }

        public func encrypt(_ bytes: Data, context: Data) throws -> Data {
            let box = try AES.GCM.seal(bytes, using: encryptionKey, authenticating: context)
            return box.nonce + box.ciphertext + box.tag
        }

        public func decrypt(_ encrypted: Data, context: Data) throws -> Data {
            try AES.GCM.open(try AES.GCM.SealedBox(combined: encrypted), using: encryptionKey, authenticating: context)
        }

        public func pseudonym(for text: String) -> String {
            HMAC<Crypto.SHA256>.authenticationCode(for: Data(text.utf8), using: naming).map { byte in
                let digits = String(byte, radix: 16)
                return byte < 16 ? "0" + digits : digits
            }.joined()
        }
    }
#endif
