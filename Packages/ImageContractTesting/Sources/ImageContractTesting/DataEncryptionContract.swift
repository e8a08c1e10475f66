public import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What every `DataEncryption` promises.
public enum DataEncryptionContract {
    /// An encryption, and another with another key.
    public struct Subject: Sendable {
        public var encryption: any DataEncryption
        public var other: any DataEncryption

        public init(_ encryption: any DataEncryption, other: any DataEncryption) {
            self.encryption = encryption
            self.other = other
        }
    }

    public static let rules: [ContractRule<Subject>] = [
        ContractRule("opens what it encrypted, whatever it was") { subject in
            for bytes in [Data(), Data([0]), text] {
                let opened = try subject.encryption.decrypt(
                    try subject.encryption.encrypt(bytes, context: context), context: context)
                try expect(opened == bytes, "\(bytes.count) bytes come back as others")
            }
        },
        ContractRule("what it encrypted shows nothing of the bytes") { subject in
            let encrypted = try subject.encryption.encrypt(text, context: context)
            try expect(encrypted.firstRange(of: text.prefix(8)) == nil, "the bytes are in it")
        },
        ContractRule("opens nothing with another context or another key") { subject in
            let encrypted = try subject.encryption.encrypt(text, context: context)
            try expectRefused("another context") {
                try subject.encryption.decrypt(encrypted, context: Data("other".utf8))
            }
            try expectRefused("another key") { try subject.other.decrypt(encrypted, context: context) }
        },
        ContractRule("opens nothing that was changed in any byte, cut or made up") { subject in
            let encrypted = try subject.encryption.encrypt(text, context: context)
            for index in encrypted.indices {
                var changed = encrypted
                changed[index] ^= 1
                try expectRefused("changed byte \(index)") { try subject.encryption.decrypt(changed, context: context) }
            }
            for count in 0..<encrypted.count {
                try expectRefused("\(count) bytes") {
                    try subject.encryption.decrypt(encrypted.prefix(count), context: context)
                }
            }
        },
        ContractRule("names a text the same each time, other texts otherwise, and without showing it") { subject in
            let name = subject.encryption.pseudonym(for: "https://images.example/private")
            try expect(
                name == subject.encryption.pseudonym(for: "https://images.example/private"), "two names for one text")
            try expect(
                name != subject.encryption.pseudonym(for: "https://images.example/public"), "one name for two texts")
            try expect(
                name != subject.other.pseudonym(for: "https://images.example/private"), "the key plays no part")
            try expect(!name.contains("private"), "the text is in its name")
        },
    ]

    private static let text = Data("an image that nobody else may see".utf8)
    private static let context = Data("key".utf8)

    private static func expectRefused(_ what: String, _ open: () throws -> Data) throws {
        guard let opened = try? open() else { return }
        throw ContractViolation("\(what): opened as \(opened.count) bytes")
    }
}
