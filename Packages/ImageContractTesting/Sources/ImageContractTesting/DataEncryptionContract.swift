public import ImageCore

/// The contract of `DataEncryption`.
public enum DataEncryptionContract {
    /// Two encryptions with different keys.
    public struct Subject: Sendable {
        /// The encryption under test.
        public var encryption: any DataEncryption
        /// An encryption of the same type with another key.
        public var other: any DataEncryption

        /// Creates a subject from two encryptions with different keys.
        public init(_ encryption: any DataEncryption, other: any DataEncryption) {
            self.encryption = encryption
            self.other = other
        }
    }

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("decrypting returns the bytes that were encrypted, whatever they are") { subject in
            for bytes in [Data(), Data([0]), text] {
                let decrypted = try subject.encryption.decrypt(
                    try subject.encryption.encrypt(bytes, context: context), context: context)
                try expect(decrypted == bytes, "\(bytes.count) bytes are decrypted to others")
            }
        },
        ContractRule("encrypted data does not contain the original bytes") { subject in
            let encrypted = try subject.encryption.encrypt(text, context: context)
            try expect(encrypted.firstRange(of: text.prefix(8)) == nil, "it contains the bytes")
        },
        ContractRule("decrypting with another context or another key fails") { subject in
            let encrypted = try subject.encryption.encrypt(text, context: context)
            try expectFailure("another context") {
                try subject.encryption.decrypt(encrypted, context: Data("other".utf8))
            }
            try expectFailure("another key") { try subject.other.decrypt(encrypted, context: context) }
        },
        ContractRule("decrypting fails if any byte was changed or the data was truncated") { subject in
            let encrypted = try subject.encryption.encrypt(text, context: context)
            for index in encrypted.indices {
                var changed = encrypted
                changed[index] ^= 1
                try expectFailure("changed byte \(index)") { try subject.encryption.decrypt(changed, context: context) }
            }
            for count in 0..<encrypted.count {
                try expectFailure("\(count) bytes") {
                    try subject.encryption.decrypt(encrypted.prefix(count), context: context)
                }
            }
        },
        ContractRule("a pseudonym is stable, differs for other texts and keys, and does not contain the text") {
            subject in
            let name = subject.encryption.pseudonym(for: "https://images.example/private")
            try expect(
                name == subject.encryption.pseudonym(for: "https://images.example/private"),
                "two pseudonyms for one text")
            try expect(
                name != subject.encryption.pseudonym(for: "https://images.example/public"),
                "one pseudonym for two texts")
            try expect(
                name != subject.other.pseudonym(for: "https://images.example/private"),
                "the key does not affect the pseudonym")
            try expect(!name.contains("private"), "the pseudonym contains the text")
        },
    ]

    private static let text = Data("an image that nobody else may see".utf8)
    private static let context = Data("key".utf8)

    private static func expectFailure(_ what: String, _ decrypt: () throws -> Data) throws {
        guard let bytes = try? decrypt() else { return }
        throw ContractViolation("\(what): decrypted to \(bytes.count) bytes")
    }
}
