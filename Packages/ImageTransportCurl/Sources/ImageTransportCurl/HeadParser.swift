import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Parses the header lines from libcurl into a response head. Skips informational responses (RFC 9110, 15.2).
struct HeadParser {
    private let request: TransportRequest
    private var byteCount = 0
    private var status: Int?
    private var fields = HTTPFields()
    /// The last field, which a folded line may continue.
    private var open: (name: HTTPField.Name, value: [UInt8])?
    private var isComplete = false
    private var framing = Framing()

    init(_ request: TransportRequest) { self.request = request }

    var codings: ContentCodings { framing.codings }

    /// Parses a line, including the line end. Returns the head if the line completes that of the final response.
    mutating func take(_ line: UnsafeBufferPointer<UInt8>) throws(TransportError) -> ResponseHead? {
        byteCount += line.count
        guard byteCount <= request.headByteLimit else { throw .headTooLarge(byteLimit: request.headByteLimit) }
        guard !isComplete else { return nil }  // trailers
        let content = unsafe Array(line)[...].trimmingSuffix(while: \.isLineEnd)
        if content.isEmpty { return try finish() }
        if content.starts(with: "HTTP/".utf8) {
            try begin(content)
        } else {
            addField(content)
        }
        return nil
    }

    private mutating func begin(_ line: ArraySlice<UInt8>) throws(TransportError) {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count >= 2, words[1].count == 3, let code = Int(words[1].text), code >= 100 else {
            throw .malformedResponse("status line \(line.text.prefix(80))")
        }
        status = code
        fields = HTTPFields()
        framing = Framing()
        open = nil
    }

    private mutating func addField(_ line: ArraySlice<UInt8>) {
        if line.first?.isBlank == true {  // line folding (RFC 9112, 5.2)
            open?.value += [0x20] + line.trimmingBlanks
            return
        }
        closeField()
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = HTTPField.Name(line[..<colon].text) else {
            return
        }
        open = (name, Array(line[colon...].dropFirst().trimmingBlanks))
    }

    /// Adds the last field. Its value keeps its bytes, which need not be UTF-8.
    private mutating func closeField() {
        guard let (name, value) = open.take() else { return }
        let field = HTTPField(name: name, value: value)
        fields.append(field)
        framing.note(field)
    }

    private mutating func finish() throws(TransportError) -> ResponseHead? {
        guard let status else { throw .malformedResponse("no status line") }
        closeField()
        self.status = nil
        if status < 200 { return nil }
        isComplete = true
        let length = request.expectedByteCount(
            status: status, length: framing.length, codings: codings, isTransferCoded: framing.isTransferCoded)
        return ResponseHead(status: .init(code: status), headers: fields, url: request.url, expectedByteCount: length)
    }
}

/// The header fields that describe the body. Collected while parsing, to avoid a search of all fields.
private struct Framing {
    var length: String?
    var codings = ContentCodings()
    var isTransferCoded = false

    mutating func note(_ field: HTTPField) {
        switch field.name {
        case .contentLength: length = length.map { "\($0), \(field.value)" } ?? field.value  // RFC 9110, 5.3
        case .contentEncoding: codings.add(field.value)
        case .transferEncoding: isTransferCoded = true
        default: break
        }
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
    fileprivate var isLineEnd: Bool { self == 0x0D || self == 0x0A }
}

extension ArraySlice<UInt8> {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }

    fileprivate var trimmingBlanks: Self { drop(while: \.isBlank).trimmingSuffix(while: \.isBlank) }

    fileprivate func trimmingSuffix(while isRemoved: (UInt8) -> Bool) -> Self {
        self[..<(lastIndex { !isRemoved($0) }.map { $0 + 1 } ?? startIndex)]
    }
}
