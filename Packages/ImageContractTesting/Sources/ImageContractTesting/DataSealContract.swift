public import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What every `DataSeal` promises.
public enum DataSealContract {
    /// A seal, and another with another key.
    public struct Subject: Sendable {
        public var seal: any DataSeal
        public var other: any DataSeal

        public init(_ seal: any DataSeal, other: any DataSeal) {
            self.seal = seal
            self.other = other
        }
    }

    public static let rules: [ContractRule<Subject>] = [
        ContractRule("opens what it sealed, whatever it was") { subject in
            for bytes in [Data(), Data([0]), text] {
                let opened = try subject.seal.open(try subject.seal.seal(bytes, context: context), context: context)
                try expect(opened == bytes, "\(bytes.count) bytes come back as others")
            }
        },
        ContractRule("what it sealed shows nothing of the bytes") { subject in
            let sealed = try subject.seal.seal(text, context: context)
            try expect(sealed.firstRange(of: text.prefix(8)) == nil, "the bytes are in it")
        },
        ContractRule("opens nothing with another context or another key") { subject in
            let sealed = try subject.seal.seal(text, context: context)
            try expectRefused("another context") { try subject.seal.open(sealed, context: Data("other".utf8)) }
            try expectRefused("another key") { try subject.other.open(sealed, context: context) }
        },
        ContractRule("opens nothing that was changed in any byte, cut or made up") { subject in
            let sealed = try subject.seal.seal(text, context: context)
            for index in sealed.indices {
                var changed = sealed
                changed[index] ^= 1
                try expectRefused("changed byte \(index)") { try subject.seal.open(changed, context: context) }
            }
            for count in 0..<sealed.count {
                try expectRefused("\(count) bytes") { try subject.seal.open(sealed.prefix(count), context: context) }
            }
        },
        ContractRule("names a text the same each time, other texts otherwise, and without showing it") { subject in
            let name = subject.seal.pseudonym(for: "https://pictures.example/private")
            try expect(
                name == subject.seal.pseudonym(for: "https://pictures.example/private"), "two names for one text")
            try expect(name != subject.seal.pseudonym(for: "https://pictures.example/public"), "one name for two texts")
            try expect(
                name != subject.other.pseudonym(for: "https://pictures.example/private"), "the key plays no part")
            try expect(!name.contains("private"), "the text is in its name")
        },
    ]

    private static let text = Data("a picture that nobody else may see".utf8)
    private static let context = Data("key".utf8)

    private static func expectRefused(_ what: String, _ open: () throws -> Data) throws {
        guard let opened = try? open() else { return }
        throw ContractViolation("\(what): opened as \(opened.count) bytes")
    }
}
