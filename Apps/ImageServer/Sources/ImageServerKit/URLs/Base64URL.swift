import Foundation

/// The URL-safe alphabet of Base64, without padding (RFC 4648, section 5).
enum Base64URL {
    /// Returns the bytes of a text, or nil if it is not valid. Padding is optional.
    static func decode(_ text: some StringProtocol) -> Data? {
        var standard = text.prefix { $0 != "=" }.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        guard text.dropFirst(standard.count).allSatisfy({ $0 == "=" }) else { return nil }
        guard standard.count % 4 != 1 else { return nil }
        standard += Array(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: String(standard))
    }

    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let text = Data(bytes).base64EncodedString()
        return String(text.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}

enum Hexadecimal {
    /// Returns the bytes of pairs of digits, or nil if a character is not a digit or the number of digits is odd.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.map(\.hexDigitValue)
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let values = digits.compactMap(\.self)
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension Sequence<UInt8> {
    /// The bytes as text, in which all are percent-encoded that aren't ASCII or not kept (RFC 3986, section 2.1).
    func percentEncoded(keeping isKept: (Character) -> Bool) -> String {
        map { byte in
            let character = Character(UnicodeScalar(byte))
            if byte < 0x80, isKept(character) { return String(character) }
            return "%" + Hexadecimal.encode([byte]).uppercased()
        }.joined()
    }
}
