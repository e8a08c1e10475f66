import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The header lines of a request for libcurl.
extension TransportRequest {
    /// The header fields in libcurl's format. `Expect:` and `Content-Type:` without a value remove libcurl's defaults.
    var headerLines: [String] {
        var lines = headers.map(\.line)
        if isDecoded { lines.append("Accept-Encoding: gzip") }
        guard bodyToSend != nil else { return lines }
        lines.append("Expect:")
        if headers[.contentType] == nil { lines.append("Content-Type:") }
        return lines
    }
}

extension HTTPField {
    /// The field as libcurl expects it. A semicolon denotes an empty value.
    fileprivate var line: String { value.isEmpty ? "\(name.rawName);" : "\(name.rawName): \(value)" }
}
