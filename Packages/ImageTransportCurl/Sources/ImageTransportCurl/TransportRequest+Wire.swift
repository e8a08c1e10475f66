import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What of a request goes to libcurl, and how.
extension TransportRequest {
    /// Whether a coded body is to be decoded. Ranges count coded bytes, and who names codings wants them as they are.
    var isDecoded: Bool { decodesContent && headers[.range] == nil && headers[.acceptEncoding] == nil }

    /// The body, empty where the method wants one and there is none (RFC 9110, 8.6); nil where none is sent.
    var sentBody: Data? {
        switch method {
        case .head: nil
        case .post, .put, .patch: body ?? Data()
        default: body
        }
    }

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
