import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What of a request goes to libcurl, and how.
extension TransportRequest {
    /// The fields as libcurl takes them, those with which it is to add nothing of its own to a body among them.
    var headerLines: [String] {
        var lines = headers.map(\.line)
        if isDecoded { lines.append("Accept-Encoding: gzip") }
        guard sentBody != nil else { return lines }
        lines.append("Expect:")
        if headers[.contentType] == nil { lines.append("Content-Type:") }
        return lines
    }
}

extension HTTPField {
    /// A semicolon stands for an empty value.
    fileprivate var line: String { value.isEmpty ? "\(name.rawName);" : "\(name.rawName): \(value)" }
}
