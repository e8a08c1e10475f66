public import HTTPTypes
package import ImageCore

/// The directives of the Cache-Control field of a request or response (RFC 9111, 5.2).
///
/// The methods take names in lower case. Directives that violate the grammar are ignored. If a directive occurs twice,
/// the first one applies (4.2.1).
public struct CacheDirectives: Hashable, Sendable {
    /// The unquoted values by lowercase name. `nil` for directives without a value.
    private let values: [String: String?]

    /// Parses the Cache-Control fields among these header fields.
    public init(_ fields: HTTPFields) {
        var values: [String: String?] = [:]
        for element in fields[values: .cacheControl].flatMap(Self.elements) {
            guard let (name, value) = Self.directive(element), values[name] == nil else { continue }
            values.updateValue(value, forKey: name)
        }
        self.values = values
    }

    /// Returns whether a directive is present, with or without a value.
    public func contains(_ name: String) -> Bool { values[name] != nil }

    /// Returns the unquoted value of a directive. Returns nil if the directive is missing or has no value.
    public func value(of name: String) -> String? { values[name] ?? nil }

    /// Returns the time of a directive, such as `max-age`, from 0 to 2^31 seconds (RFC 9111, 1.2.2). Nil if it is
    /// missing, and 0 if its value isn't a number.
    public func duration(_ name: String) -> Duration? { seconds(name).map { .seconds($0) } }

    /// The same in seconds, for calculations with dates.
    package func seconds(_ name: String) -> TimeInterval? {
        guard let value = values[name] else { return nil }
        return value.flatMap(DeltaSeconds.parse) ?? 0
    }

    /// Returns the lowercase field names in the value of a directive, such as `no-cache="a, b"`.
    package func fieldNames(_ name: String) -> Set<String> {
        Set(value(of: name)?.listedNames ?? [])
    }

    /// Splits a list at the commas that are outside quoted strings (RFC 9110, 5.6.1).
    private static func elements(of list: String) -> [Substring] {
        var elements: [Substring] = []
        var start = list.startIndex
        var isQuoted = false
        var isEscaped = false
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

/// The syntax for numbers of seconds in HTTP (RFC 9111, 1.2.2).
package enum DeltaSeconds {
    /// The largest number, which also stands for greater ones.
    package static let largest = TimeInterval(1 << 31 as Int64)

    /// Parses a string of digits. Limits the result to 2^31. Returns nil for other strings.
    package static func parse(_ text: some StringProtocol) -> TimeInterval? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return min(TimeInterval(Int(text) ?? .max), largest)
    }
}

extension String {
    /// The field names in a comma-separated list, in lower case.
    package var listedNames: [String] { split(separator: ",").map { $0.trimmed.lowercased() }.filter { !$0.isEmpty } }
}

extension Substring {
    /// The substring without leading and trailing spaces and tabs.
    package var trimmed: Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return self[startIndex..<startIndex]
        }
        return self[first...last]
    }

    /// Whether the substring is a token (RFC 9110, 5.6.2).
    fileprivate var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    /// The content of a quoted string (RFC 9110, 5.6.4). `nil` if the substring isn't one.
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
