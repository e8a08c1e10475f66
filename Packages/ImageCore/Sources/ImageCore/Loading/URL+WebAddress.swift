extension URL {
    /// Creates a URL from text, such as that in JSON and HTML, as browsers do (WHATWG URL Standard, 4.4).
    ///
    /// What is percent-encoded stays so, and what is not gets encoded: `/a%20[1].png` becomes `/a%20%5B1%5D.png`. With
    /// `URL(string:)` it becomes `/a%2520%5B1%5D.png`, and that can't be undone.
    ///
    /// - Spaces and control characters around the text are removed, and tabs and line breaks everywhere.
    /// - In http and https URLs, `\` is a `/`, any number of slashes may precede the host, dot segments are removed, and
    ///   hosts that aren't ASCII become IDNA names if Foundation supports it.
    /// - A `%` without two digits and `[ ] | ^` are encoded, because a `URL` can't contain them.
    ///
    /// - Parameters:
    ///   - text: An absolute URL, or a reference that is resolved against `base`, such as `../a.png` or `//host/a.png`.
    ///   - base: An http or https URL. Other URLs resolve no references.
    /// - Returns: nil if the text has no scheme and there is no base, or if the host or port is invalid.
    public init?(webAddress text: String, relativeTo base: URL? = nil) {
        self.init(webAddress: text.utf8, relativeTo: base)
    }

    /// Creates a URL from bytes. Those that aren't ASCII are percent-encoded as they are, in any encoding.
    package init?(webAddress bytes: some Sequence<UInt8>, relativeTo base: URL? = nil) {
        let text = WebAddress.cleaned(bytes)
        let base = base.flatMap { WebAddress(Array($0.absoluteString.utf8)[...], relativeTo: nil) }
        let encoded = WebAddress(text, relativeTo: base)?.text ?? WebAddress.encodedOther(text)
        guard let encoded else { return nil }
        self.init(string: String(decoding: encoded, as: UTF8.self), encodingInvalidCharacters: false)
    }
}

/// The parts of an http or https URL, before they are encoded.
private struct WebAddress {
    private let scheme: [UInt8]
    private let authority: ArraySlice<UInt8>
    private let path: ArraySlice<UInt8>
    private let query: ArraySlice<UInt8>?
    private let fragment: ArraySlice<UInt8>?

    /// Removes what browsers ignore: spaces and control characters around the text, and tabs and line breaks.
    static func cleaned(_ bytes: some Sequence<UInt8>) -> ArraySlice<UInt8> {
        let text = Array(bytes)
        guard let first = text.firstIndex(where: { $0 > 0x20 }), let last = text.lastIndex(where: { $0 > 0x20 }) else {
            return []
        }
        return text[first...last].filter { ![0x09, 0x0A, 0x0D].contains($0) }[...]
    }

    /// Splits a URL, or a reference that is resolved against `base` (WHATWG URL Standard, 4.4). Returns nil for other
    /// schemes, and for a reference without a base.
    init?(_ text: ArraySlice<UInt8>, relativeTo base: WebAddress?) {
        let (whole, fragment) = text.split(at: .hash)
        let named = whole.scheme
        let base = named == nil || named == base?.scheme ? base : nil
        guard let scheme = named ?? base?.scheme, scheme.isHTTP else { return nil }
        self.scheme = scheme
        self.fragment = fragment
        var rest = named.map { whole.dropFirst($0.count + 1) } ?? whole
        let slashCount = rest.prefix(while: \.isSlash).count
        if let base, slashCount < 2 {
            authority = base.authority
            (path, query) = base.resolve(rest)
        } else {
            rest = rest.dropFirst(slashCount)
            authority = rest.prefix { !$0.isSlash && $0 != .questionMark }
            (path, query) = rest.dropFirst(authority.count).split(at: .questionMark)
        }
    }

    /// Returns the path and the query of a reference without a host.
    private func resolve(_ reference: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
        let (path, query) = reference.split(at: .questionMark)
        guard let first = path.first else { return (self.path, query ?? self.query) }
        let folder = self.path.lastIndex(where: \.isSlash).map { self.path[...$0] } ?? []
        return (first.isSlash ? path : folder + path, query)
    }

    /// The encoded text. `nil` if the host is invalid.
    var text: [UInt8]? {
        guard let authority = encodedAuthority else { return nil }
        var text = scheme + "://".utf8 + authority
        text += path.withoutDotSegments[...].encoded { $0.isPathCharacter }
        // Browsers encode the apostrophe in the queries of these schemes.
        if let query { text += [.questionMark] + query.encoded { $0.isQueryCharacter && $0 != .apostrophe } }
        if let fragment { text += [.hash] + fragment.encoded(\.isQueryCharacter) }
        return text
    }

    private var encodedAuthority: [UInt8]? {
        let parts = URLAuthority(authority)
        guard let host = Self.host(parts.host), parts.port.dropFirst().allSatisfy(\.isDigit) else { return nil }
        let prefix =
            parts.user.isEmpty ? [] : parts.user.encoded { $0.isPathCharacter && $0 != .slash && $0 != .at } + [.at]
        return prefix + host + parts.port
    }

    /// Returns a host in lower case, without percent-encodings. Returns nil if it is empty or has a forbidden character.
    private static func host(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        if text.first == .openingBracket { return Array(text) }
        let host = text.percentDecoded
        guard !host.isEmpty, !host.contains(where: \.isForbiddenInHost) else { return nil }
        if host.allSatisfy({ $0 < 0x80 }) { return host.map(\.lowercased) }
        // Foundation knows IDNA.
        let url = String(validating: host, as: UTF8.self).flatMap { URL(string: "http://\($0)/") }
        let name = url.map { Array($0.absoluteString.utf8.dropFirst(7).dropLast()) } ?? []
        return name.isEmpty || name.contains(where: { $0 >= 0x80 || $0.isForbiddenInHost }) ? nil : name
    }

    /// Returns a URL with another scheme, encoded where a `URL` requires it. Returns nil for text without a scheme.
    static func encodedOther(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard let scheme = text.scheme, !scheme.isHTTP else { return nil }
        if URL(string: String(decoding: text, as: UTF8.self), encodingInvalidCharacters: false) != nil {
            return Array(text)
        }
        let (whole, fragment) = text.split(at: .hash)
        let encoded = whole.encoded { $0.isQueryCharacter }
        return fragment.map { encoded + [.hash] + $0.encoded(\.isQueryCharacter) } ?? encoded
    }
}

extension [UInt8] {
    /// Whether a scheme is http or https.
    fileprivate var isHTTP: Bool { elementsEqual("http".utf8) || elementsEqual("https".utf8) }
}

extension ArraySlice<UInt8> {
    /// The scheme in lower case, if the text begins with one and a colon.
    fileprivate var scheme: [UInt8]? {
        guard let colon = firstIndex(of: .colon), let first, first.isLetter,
            self[..<colon].allSatisfy({ $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) })
        else { return nil }
        return self[..<colon].map(\.lowercased)
    }

    /// Returns the parts before and after the first separator. The second one is nil if there is none.
    fileprivate func split(at separator: UInt8) -> (ArraySlice, ArraySlice?) {
        guard let index = firstIndex(of: separator) else { return (self, nil) }
        return (self[..<index], self[(index + 1)...])
    }

    /// Returns the text with percent-encodings for all bytes except those in encodings and those that need none.
    fileprivate func encoded(_ needsNone: (UInt8) -> Bool) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(count)
        for index in indices {
            let byte = self[index]
            if needsNone(byte) || encodedByte(at: index) != nil {
                text.append(byte)
            } else {
                text += [.percent, byte.highDigit, byte.lowDigit]
            }
        }
        return text
    }
}

extension UInt8 {
    fileprivate static var apostrophe: UInt8 { UInt8(ascii: "'") }
    fileprivate static var openingBracket: UInt8 { UInt8(ascii: "[") }

    fileprivate var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    /// Whether a URL may contain the byte in its path (RFC 3986, 3.3).
    fileprivate var isPathCharacter: Bool { isUnreserved || "!$&'()*+,;=:@/".utf8.contains(self) }
    fileprivate var isQueryCharacter: Bool { isPathCharacter || self == .questionMark }

    /// Whether it is a forbidden domain code point (WHATWG URL Standard, 3.2).
    fileprivate var isForbiddenInHost: Bool {
        self <= 0x20 || self == 0x7F || "#/:<>?@[\\]^|%".utf8.contains(self)
    }

    fileprivate var highDigit: UInt8 { Self.digits[Int(self >> 4)] }
    fileprivate var lowDigit: UInt8 { Self.digits[Int(self & 0x0F)] }
    private static let digits = Array("0123456789ABCDEF".utf8)
}
