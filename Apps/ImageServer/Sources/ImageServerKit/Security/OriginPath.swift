import Foundation

/// The path of a source as bytes: what is checked is also what the file system or the server of a bucket is asked for.
struct OriginPath {
    static let slash = UInt8(ascii: "/")

    /// The path, decoded once.
    let bytes: [UInt8]
    /// Whether no server can leave a folder by the path, also one that decodes twice, as behind a proxy. False for
    /// separators that are encoded more often.
    let staysInFolder: Bool

    init(_ url: URL) { self.init(url.path(percentEncoded: true)) }

    /// - Parameter path: A percent-encoded path.
    init(_ path: some StringProtocol) {
        bytes = Array(path.utf8).percentDecoded()
        let twice = bytes.percentDecoded()
        let isDecoded = twice.percentDecoded { "%./\\".utf8.contains($0) } == twice
        staysInFolder = isDecoded && ![bytes, twice].contains(where: Self.hasDotSegments)
    }

    /// Returns whether the path is below a folder, which ends with a slash or a wildcard, or is that folder.
    func isIn(_ folder: Wildcards) -> Bool {
        guard staysInFolder else { return false }
        return folder.match(bytes[...]) != nil || folder.match((bytes + [Self.slash])[...])?.rest.isEmpty == true
    }

    /// The path without `.`, `..` and empty segments, as the file system sees it.
    var withoutDotSegments: [UInt8] {
        var segments: [ArraySlice<UInt8>] = []
        for segment in bytes.split(separator: Self.slash) where !segment.elementsEqual(".".utf8) {
            if segment.elementsEqual("..".utf8) { _ = segments.popLast() } else { segments.append(segment) }
        }
        return segments.flatMap { [Self.slash] + $0 }
    }

    /// A `\` is a separator for some servers, and `;` begins parameters of a segment.
    private static func hasDotSegments(_ path: [UInt8]) -> Bool {
        let segments = path.split { $0 == slash || $0 == UInt8(ascii: "\\") }
        return segments.map { $0.prefix { $0 != UInt8(ascii: ";") } }.contains {
            $0.count <= 2 && !$0.isEmpty && $0.allSatisfy { $0 == UInt8(ascii: ".") }
        }
    }
}
