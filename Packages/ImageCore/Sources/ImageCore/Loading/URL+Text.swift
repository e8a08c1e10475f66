#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

// What each request asks of its URL. A string's own views cost some fifty instructions a byte here; its bytes in one piece cost two.

extension URL {
    /// `file:` and `data:` URLs.
    var isLocal: Bool { unsafe withText { text in unsafe text.hasScheme("file") || text.hasScheme("data") } }

    /// True for http and https with a host of letters, digits, dots and hyphens, and a path or nothing after it: what needs no closer
    /// look to be one that a transport can load.
    package var isPlainWeb: Bool {
        unsafe withText { text in
            guard unsafe text.hasScheme("http") || text.hasScheme("https"),
                let colon = unsafe text.firstIndex(of: UInt8(ascii: ":"))
            else { return false }
            let rest = unsafe text[(colon + 1)...]
            guard unsafe rest.starts(with: "//".utf8) else { return false }
            let host = unsafe rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
            return unsafe !host.isEmpty && host.allSatisfy { $0.isPlainInHost }
        }
    }

    var withoutFragment: String {
        let text = absoluteString
        let end = unsafe withText { unsafe $0.firstIndex(of: UInt8(ascii: "#")) }
        return end.map { String(text.utf8.prefix($0)) ?? text } ?? text
    }

    private func withText<Answer>(_ body: (UnsafeBufferPointer<UInt8>) -> Answer) -> Answer {
        var text = absoluteString
        return text.withUTF8(body)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the text of a URL has this scheme, which is given in lower case.
    fileprivate func hasScheme(_ scheme: StaticString) -> Bool {
        let length = scheme.utf8CodeUnitCount
        guard count > length, unsafe self[length] == UInt8(ascii: ":") else { return false }
        // Letters of either case differ in this bit, and nothing else becomes a letter by it.
        return (0..<length).allSatisfy { unsafe self[$0] | 0x20 == scheme.utf8Start[$0] }
    }
}

extension UInt8 {
    fileprivate var isPlainInHost: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E: true
        default: false
        }
    }
}
