extension URL {
    /// The text of the URL in keys. Equivalent URLs have the same text (RFC 3986, 6.2.2 and 6.2.3).
    ///
    /// - Scheme and host are in lower case, and outside of the host the digits of percent-encodings in upper case.
    /// - Percent-encoded letters, digits, `-`, `.`, `_` and `~` are decoded. Dot segments are removed.
    /// - There is no fragment, no default or empty port, and the path of an http or https URL is never empty.
    /// - A digest replaces user and password.
    package var normalizedText: String {
        var text = absoluteString
        let isNormalized = text.withUTF8 { unsafe $0.isPlainURL }
        return isNormalized ? text : String(decoding: NormalizedURL(Array(text.utf8)).text, as: UTF8.self)
    }
}

extension URL {
    /// Whether it has a user or a password.
    package var hasCredentials: Bool { user != nil || password != nil }

    /// The URL without user and password.
    package var withoutCredentials: URL {
        guard hasCredentials, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        parts.user = nil
        parts.password = nil
        return parts.url ?? self
    }
}

extension String {
    /// The text with its percent-encodings in the form that `URL.normalizedText` has.
    package var withNormalizedPercentEncoding: String {
        String(decoding: NormalizedURL.percentNormalized(Array(utf8)[...]), as: UTF8.self)
    }
}

/// Normalizes a URL part by part.
private struct NormalizedURL {
    private(set) var text: [UInt8] = []

    init(_ url: [UInt8]) {
        let withoutFragment = url[..<(url.firstIndex(of: .hash) ?? url.endIndex)]
        let schemeEnd = withoutFragment.firstIndex { $0 == .colon || $0 == .slash || $0 == .questionMark }
        guard let colon = schemeEnd, withoutFragment[colon] == .colon else {
            text = Self.percentNormalized(withoutFragment)  // not an absolute URL
            return
        }
        let scheme = withoutFragment[..<colon].map(\.lowercased)
        text = scheme + [.colon]
        var rest = withoutFragment[(colon + 1)...]
        let hasAuthority = rest.starts(with: [.slash, .slash])
        if hasAuthority {
            let end = rest.dropFirst(2).firstIndex { $0 == .slash || $0 == .questionMark } ?? rest.endIndex
            appendAuthority(rest[..<end].dropFirst(2), scheme)
            rest = rest[end...]
        }
        let query = rest.firstIndex(of: .questionMark) ?? rest.endIndex
        appendPath(rest[..<query], scheme, removesDotSegments: hasAuthority)
        text += Self.percentNormalized(rest[query...])
    }

    private mutating func appendAuthority(_ authority: ArraySlice<UInt8>, _ scheme: [UInt8]) {
        let parts = URLAuthority(authority)
        let user = Self.percentNormalized(parts.user)
        text += [.slash, .slash]
        if !user.isEmpty { text += Array(SHA256.hexadecimalDigest(of: user).utf8) + [.at] }
        text += Self.percentNormalized(parts.host).map(\.lowercased)
        let port = parts.port.dropFirst()
        if !port.isEmpty, !port.elementsEqual(Self.defaultPort(scheme)) { text += [.colon] + port }
    }

    /// Without an authority, dot segments are kept: `file:/.//a` must not become `file://a`.
    private mutating func appendPath(_ path: ArraySlice<UInt8>, _ scheme: [UInt8], removesDotSegments: Bool) {
        let path = Self.percentNormalized(path)
        if path.isEmpty {
            if !Self.defaultPort(scheme).isEmpty { text.append(.slash) }
        } else {
            text += removesDotSegments && path.first == .slash ? path[...].withoutDotSegments : path
        }
    }

    /// Returns the default port of http or https. Empty for other schemes.
    private static func defaultPort(_ scheme: [UInt8]) -> String.UTF8View {
        if scheme.elementsEqual("http".utf8) { return "80".utf8 }
        return scheme.elementsEqual("https".utf8) ? "443".utf8 : "".utf8
    }

    /// Decodes percent-encoded unreserved characters, and writes other percent-encodings in upper case.
    static func percentNormalized(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(.percent) else { return Array(bytes) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard let byte = bytes.encodedByte(at: index) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            if byte.isUnreserved {
                result.append(byte)
            } else {
                result += [.percent, bytes[index + 1].uppercased, bytes[index + 2].uppercased]
            }
            index += 3
        }
        return result
    }
}

// Used for each request. A string's views take about fifty instructions per byte here, its contiguous bytes few.
extension UnsafeBufferPointer<UInt8> {
    /// Whether this text of a URL is surely normalized: it has no uppercase letter before its path, no port, no user, no
    /// fragment, no segment that begins with a dot, and only percent-encodings of characters that need them, in upper
    /// case.
    fileprivate var isPlainURL: Bool {
        guard let colon = unsafe firstIndex(where: { !$0.isPlainInAuthority }), unsafe self[colon] == .colon else {
            return false
        }
        var rest = unsafe self[(colon + 1)...]
        if unsafe rest.first == .slash, unsafe rest.dropFirst().first == .slash {
            unsafe rest = unsafe rest.dropFirst(2).drop(while: \.isPlainInAuthority)
            guard unsafe rest.first == .slash else { return false }
        }
        return unsafe UnsafeBufferPointer(rebasing: rest).isPlainPath
    }

    private var isPlainPath: Bool {
        for index in 0..<count where unsafe self[index] <= .dot {  // most characters are greater
            switch unsafe self[index] {
            case .hash: return false
            case .dot where unsafe index > 0 && self[index - 1] == .slash: return false
            case .percent:
                guard index + 2 < count, let high = unsafe self[index + 1].hexadecimalValue,
                    let low = unsafe self[index + 2].hexadecimalValue, !(high << 4 | low).isUnreserved,
                    unsafe self[index + 1].uppercased == self[index + 1],
                    unsafe self[index + 2].uppercased == self[index + 2]
                else { return false }
            default: continue
            }
        }
        return true
    }
}

extension UInt8 {
    static var hash: UInt8 { UInt8(ascii: "#") }
    static var percent: UInt8 { UInt8(ascii: "%") }
    static var dot: UInt8 { UInt8(ascii: ".") }
    static var slash: UInt8 { UInt8(ascii: "/") }
    static var colon: UInt8 { UInt8(ascii: ":") }
    static var at: UInt8 { UInt8(ascii: "@") }
    static var questionMark: UInt8 { UInt8(ascii: "?") }
    static var closingBracket: UInt8 { UInt8(ascii: "]") }

    var isDigit: Bool { (0x30...0x39).contains(self) }
    private var isLowercase: Bool { (0x61...0x7A).contains(self) }
    private var isUppercase: Bool { (0x41...0x5A).contains(self) }

    var lowercased: UInt8 { isUppercase ? self + 0x20 : self }
    var uppercased: UInt8 { isLowercase ? self - 0x20 : self }

    /// The value of a hexadecimal digit in upper or lower case.
    var hexadecimalValue: UInt8? {
        if isDigit { return self - 0x30 }
        return (0x41...0x46).contains(uppercased) ? uppercased - 0x37 : nil
    }

    /// Whether the character needs no percent-encoding anywhere in a URL (RFC 3986, 2.3).
    var isUnreserved: Bool {
        isDigit || isLowercase || isUppercase || self == 0x2D || self == .dot || self == 0x5F || self == 0x7E
    }

    /// Whether it is a lowercase letter, a digit, `-` or `.`.
    var isPlainInAuthority: Bool { isLowercase || (0x2D...0x39).contains(self) && self != .slash }
}
