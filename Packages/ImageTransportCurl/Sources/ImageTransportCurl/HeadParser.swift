import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Puts a response head together from the lines that libcurl reports, skipping informational ones (RFC 9110, 15.2).
struct HeadParser {
    private let request: TransportRequest
    private var byteCount = 0
    private var status: Int?
    private var fields = HTTPFields()
    private var last: HTTPField.Name?
    private var isComplete = false

    init(_ request: TransportRequest) { self.request = request }

    /// Takes one line, its end included. Returns the head when the line completes a final one.
    mutating func take(_ line: UnsafeBufferPointer<UInt8>) throws(TransportFailure) -> ResponseHead? {
        guard !isComplete else { return nil }  // trailers
        byteCount += line.count
        guard byteCount <= request.maxHeadBytes else { throw .headTooLarge(allowedBytes: request.maxHeadBytes) }
        let content = unsafe line.prefix(line.lastIndex { !$0.isLineEnd }.map { $0 + 1 } ?? 0)
        if unsafe content.starts(with: "HTTP/".utf8) {
            unsafe try begin(content)
        } else if unsafe content.isEmpty {
            return try finish()
        } else {
            unsafe addField(content)
        }
        return nil
    }

    private mutating func begin(_ line: Slice<UnsafeBufferPointer<UInt8>>) throws(TransportFailure) {
        let words = unsafe line.split(separator: UInt8(ascii: " "), maxSplits: 2).map { unsafe text($0) }
        guard words.count >= 2, words[1].utf8.count == 3, let code = Int(words[1]), code >= 100 else {
            throw .malformedResponse("status line \(unsafe text(line).prefix(80))")
        }
        status = code
        fields = HTTPFields()
        last = nil
    }

    private mutating func addField(_ line: Slice<UnsafeBufferPointer<UInt8>>) {
        if unsafe line.first?.isBlank == true, let last {  // folded, RFC 9112, 5.2
            fields[last] = unsafe (fields[last] ?? "") + " " + text(trimmed(line))
            return
        }
        guard let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")),
            let name = unsafe HTTPField.Name(text(line[..<colon]))
        else { return }
        unsafe fields.append(HTTPField(name: name, value: text(trimmed(line[(colon + 1)...]))))
        last = name
    }

    private mutating func finish() throws(TransportFailure) -> ResponseHead? {
        guard let status else { throw .malformedResponse("no status line") }
        self.status = nil
        if status < 200 { return nil }
        isComplete = true
        return ResponseHead(
            status: .init(code: status), headers: fields, url: request.url, expectedBytes: expectedBytes(status))
    }

    private func expectedBytes(_ status: Int) -> Int? {
        if request.method == .head || status == 204 || status == 304 { return 0 }
        let coding = fields[.contentEncoding]?.lowercased() ?? "identity"
        guard !request.isDecoded || coding == "identity", fields[.transferEncoding] == nil else { return nil }
        guard let length = fields[.contentLength].flatMap({ Int($0) }), length >= 0 else { return nil }
        return length
    }

    private func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        unsafe String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
    }

    private func trimmed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
        let start = unsafe bytes.drop { $0.isBlank }
        return unsafe start.prefix(upTo: start.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? start.startIndex)
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
    fileprivate var isLineEnd: Bool { self == 0x0D || self == 0x0A }
}
