public import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The directives of a Cache-Control field, of a request or a response (RFC 9111, 5.2).
///
/// Names are compared without regard to case. What is no directive by the grammar, as one with space around its `=`, is left out; what
/// is in a quoted string is a value and nothing else. Of a directive that comes twice the first counts (4.2.1).
public struct CacheDirectives: Hashable, Sendable {
    /// Values by names in lower case, unquoted; nil where a directive has none.
    private let values: [String: String?]

    public init(_ fields: HTTPFields) {
        var values: [String: String?] = [:]
        for element in fields[values: .cacheControl].flatMap(Self.elements) {
            guard let (name, value) = Self.directive(element), values[name] == nil else { continue }
            values.updateValue(value, forKey: name)
        }
        self.values = values
    }

    public func contains(_ name: String) -> Bool { values[name] != nil }

    /// What the directive is given, unquoted; nil when it is not there or is given nothing.
    public func value(of name: String) -> String? { values[name] ?? nil }

    /// A directive's delta-seconds (RFC 9111, 1.2.2), at most 2^31. Nil when it is not there; 0 when it is there and no number, so that
    /// a lifetime that can't be understood has passed (4.2.1).
    public func seconds(_ name: String) -> TimeInterval? {
        guard let value = values[name] else { return nil }
        return value.flatMap(DeltaSeconds.parse) ?? 0
    }

    /// Names of fields that a directive is given, in lower case: `no-cache="a, b"`.
    package func fieldNames(_ name: String) -> Set<String> {
        Set(value(of: name)?.listedNames ?? [])
    }

    /// Splits a list at the commas outside quoted strings (RFC 9110, 5.6.1).
    private static func elements(of list: String) -> [Substring] {
        var elements: [Substring] = []
        var start = list.startIndex
        var (isQuoted, isEscaped) = (false, false)
        for index in list.indices {
            let character = list[index]
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            guard character == ",", !isQuoted else { continue }
            elements.append(list[start..<index])
            start = list.index(after: index)
        }
        return elements + [list[start...]]
    }

    private static func directive(_ element: Substring) -> (name: String, value: String?)? {
        let text = element.trimmed
        guard let sign = text.firstIndex(of: "=") else { return text.isToken ? (text.lowercased(), nil) : nil }
        let name = text[..<sign]
        let value = text[text.index(after: sign)...]
        guard name.isToken, let plain = value.isToken ? String(value) : value.unquoted else { return nil }
        return (name.lowercased(), plain)
    }
}

/// A number of seconds as HTTP writes it (RFC 9111, 1.2.2).
package enum DeltaSeconds {
    /// Digits alone; what is larger than 2^31 counts as that.
    package static func parse(_ text: some StringProtocol) -> TimeInterval? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return TimeInterval(min(Int(text) ?? .max, 1 << 31))
    }
}

extension String {
    /// The names of fields in a list with commas between, in lower case.
    package var listedNames: [String] { split(separator: ",").map { $0.trimmed.lowercased() }.filter { !$0.isEmpty } }
}

extension Substring {
    /// Without spaces and tabs at both ends.
    package var trimmed: Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return self[startIndex..<startIndex]
        }
        return self[first...last]
    }

    /// RFC 9110, 5.6.2.
    fileprivate var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    /// What a quoted string says (RFC 9110, 5.6.4); nil when it is none.
    fileprivate var unquoted: String? {
        guard count >= 2, first == "\"", last == "\"" else { return nil }
        var text = ""
        var isEscaped = false
        for character in dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else if character == "\"", !isEscaped {
                return nil
            } else {
                text.append(character)
                isEscaped = false
            }
        }
        return isEscaped ? nil : text
    }
}
