import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Puts a response head together from the lines that libcurl reports, skipping informational ones (RFC 9110, 15.2).
struct HeadParser {
    /// The most bytes that heads may take in all.
    static let maxBytes = 256 << 10

    private var bytes = 0
    private var status: Int?
    private var fields = HTTPFields()
    private var last: HTTPField.Name?
    private var isComplete = false

    init() {}

    /// Takes one line, its end included. Returns the head when the line completes a final one.
    mutating func take(_ line: some Collection<UInt8>, for request: TransportRequest, decodes: Bool)
        throws(TransportFailure) -> ResponseHead?
    {
        guard !isComplete else { return nil }  // trailers
        bytes += line.count
        guard bytes <= Self.maxBytes else { throw .malformedResponse("the head is larger than \(Self.maxBytes) bytes") }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            try begin(text)
        } else if text.allSatisfy(\.isNewline) {
            return try finish(for: request, decodes: decodes)
        } else {
            addField(text)
        }
        return nil
    }

    private mutating func begin(_ line: String) throws(TransportFailure) {
        let words = line.split(maxSplits: 2, whereSeparator: \.isWhitespace)
        guard words.count >= 2, words[1].count == 3, let code = Int(words[1]), code >= 100 else {
            throw .malformedResponse("status line \(line.prefix(80).filter { !$0.isNewline })")
        }
        status = code
        fields = HTTPFields()
        last = nil
    }

    private mutating func addField(_ line: String) {
        if let first = line.first, first == " " || first == "\t", let last {  // folded, RFC 9112, 5.2
            fields[last] = (fields[last] ?? "") + " " + line.trimmed
            return
        }
        guard let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon])) else { return }
        fields.append(HTTPField(name: name, value: line[line.index(after: colon)...].trimmed))
        last = name
    }

    private mutating func finish(
        for request: TransportRequest, decodes: Bool
    ) throws(TransportFailure) -> ResponseHead? {
        guard let status else { throw .malformedResponse("no status line") }
        self.status = nil
        if status < 200 { return nil }
        isComplete = true
        return ResponseHead(
            status: .init(code: status), headers: fields, url: request.url,
            expectedBytes: expectedBytes(status: status, method: request.method, decodes: decodes))
    }

    private func expectedBytes(status: Int, method: HTTPRequest.Method, decodes: Bool) -> Int? {
        if method == .head || status == 204 || status == 304 { return 0 }
        let coding = fields[.contentEncoding]?.lowercased() ?? "identity"
        guard !decodes || coding == "identity", fields[.transferEncoding] == nil else { return nil }
        guard let length = fields[.contentLength].flatMap({ Int($0) }), length >= 0 else { return nil }
        return length
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(
            start[..<(start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex)])
    }
}
