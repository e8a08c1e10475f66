import HTTPTypes
import ImageCore

/// Decodes `data:` URLs (RFC 2397). Whitespace in base64 is ignored, and padding may be missing.
public struct DataURLTransport: DataTransport {
    /// Creates a transport for `data:` URLs.
    public init() {}

    /// Returns the payload of the URL as the body of a 200 response.
    ///
    /// - Throws: `.invalidURL`, `.malformedResponse` if the payload isn't base64, and `.tooLarge`.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        if Task.isCancelled { throw .cancelled }
        let parsed = try DataURL(request.url)
        let data = request.method == .head ? Data() : try parsed.payload(allowing: request.bodyByteLimit)
        let head = ResponseHead(
            status: .ok, headers: [.contentType: parsed.mediaType], url: request.url, expectedByteCount: data.count)
        return TransportResponse(head: head, body: TransportBody(data))
    }
}

/// The parts of a `data:` URL: `data:[mediatype][;base64],payload`.
struct DataURL {
    let mediaType: String
    private let isBase64: Bool
    private let encoded: Substring.UTF8View

    init(_ url: URL) throws(TransportError) {
        let whole = url.absoluteString
        guard url.scheme?.lowercased() == "data", let colon = whole.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw .invalidURL("not a data: URL: \(whole.prefix(80))")
        }
        let rest = whole[whole.utf8.index(after: colon)...].utf8.prefix { $0 != UInt8(ascii: "#") }
        guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else {
            throw .invalidURL("the data: URL has no comma")
        }
        var type = String(decoding: Array(rest[..<comma])[...].percentDecoded, as: UTF8.self)
        isBase64 = type.lowercased().hasSuffix(";base64")
        if isBase64 { type.removeLast(7) }
        if type.first == ";" { type = "text/plain" + type }
        mediaType = type.isEmpty ? "text/plain;charset=US-ASCII" : type
        encoded = Substring(rest[rest.index(after: comma)...]).utf8
    }

    func payload(allowing maxBytes: Int) throws(TransportError) -> Data {
        let bytes = Array(encoded)[...].percentDecoded
        guard isBase64 else {
            guard bytes.count <= maxBytes else { throw .tooLarge(byteLimit: maxBytes) }
            return Data(bytes)
        }
        var text = bytes.filter { !isSpace($0) }
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        guard text.count / 4 * 3 + text.count % 4 * 3 / 4 <= maxBytes else { throw .tooLarge(byteLimit: maxBytes) }
        text += Array(repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(text)) else {
            throw .malformedResponse("the data: URL is not base64")
        }
        return data
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
