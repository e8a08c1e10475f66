#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Each request needs these. A string's own views cost about fifty instructions a byte here, its contiguous bytes two.

extension URL {
    /// `file:` and `data:` URLs.
    var isLocal: Bool {
        var text = absoluteString
        return text.withUTF8 { unsafe $0.hasScheme("file") || $0.hasScheme("data") }
    }

    var withoutFragment: String {
        var text = absoluteString
        let end = text.withUTF8 { unsafe $0.firstIndex(of: UInt8(ascii: "#")) }
        return end.map { String(text.utf8.prefix($0)) ?? text } ?? text
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
