import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The header lines of a request for libcurl.
extension TransportRequest {
    /// The header fields in libcurl's format, each with a null byte at its end. `Expect:` and `Content-Type:` without a
    /// value remove libcurl's defaults.
    var headerLines: [[CChar]] {
        var lines = headers.map(\.line)
        if isDecoded { lines.append(Array("Accept-Encoding: gzip".utf8)) }
        if bodyToSend != nil {
            lines.append(Array("Expect:".utf8))
            if headers[.contentType] == nil { lines.append(Array("Content-Type:".utf8)) }
        }
        return lines.map { line in line.map { CChar(bitPattern: $0) } + [0] }
    }
}

extension HTTPField {
    /// The field as libcurl expects it. A semicolon denotes an empty value.
    fileprivate var line: [UInt8] {
        let value = bytes
        return Array(name.rawName.utf8) + (value.isEmpty ? Array(";".utf8) : Array(": ".utf8) + value)
    }
}
