#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Used for each request. A string's views take about fifty instructions per byte here, its contiguous bytes two.

extension URL {
    /// Whether it is a `file:` or `data:` URL.
    var isLocal: Bool {
        var text = absoluteString
        return text.withUTF8 { unsafe $0.hasScheme("file") || $0.hasScheme("data") }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns whether the text of a URL has a scheme, which is passed in lowercase.
    fileprivate func hasScheme(_ scheme: StaticString) -> Bool {
        let length = scheme.utf8CodeUnitCount
        guard count > length, unsafe self[length] == UInt8(ascii: ":") else { return false }
        // Upper and lowercase letters differ in this bit, and no other character becomes a letter if it is set.
        return (0..<length).allSatisfy { unsafe self[$0] | 0x20 == scheme.utf8Start[$0] }
    }
}
