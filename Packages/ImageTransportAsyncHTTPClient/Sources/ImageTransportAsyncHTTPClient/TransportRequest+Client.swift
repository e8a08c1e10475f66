#if AsyncHTTPClient
    import AsyncHTTPClient
    import HTTPTypes
    import ImageTransporting
    import NIOCore
    import NIOHTTP1

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Conversions between the types of the transport and the client.
    extension TransportRequest {
        /// Returns the request for the client. Throws the client's error if it can't parse the URL, or would send `/` for a
        /// path whose percent-encodings aren't UTF-8.
        func makeClientRequest() throws -> HTTPClient.Request {
            if url.path(percentEncoded: false).isEmpty, !url.path(percentEncoded: true).isEmpty {
                throw HTTPClientError.invalidURL
            }
            var made = HTTPHeaders(headers.map { ($0.name.rawName, $0.value) })
            if isDecoded { made.add(name: "Accept-Encoding", value: "gzip") }
            return try HTTPClient.Request(
                url: url, method: HTTPMethod(rawValue: method.rawValue), headers: made, body: clientBody)
        }

        private var clientBody: HTTPClient.Body? {
            guard let bodyToSend, !bodyToSend.isEmpty else { return nil }
            return .byteBuffer(ByteBuffer(bytes: bodyToSend))
        }

        /// Converts a response head. Throws if the head or the announced body is too large.
        func head(_ head: HTTPResponseHead) throws(TransportFailure) -> ResponseHead {
            guard head.byteCount <= maxHeadBytes else { throw .headTooLarge(allowedBytes: maxHeadBytes) }
            let status = HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase)
            var fields = HTTPFields()
            for (name, value) in head.headers {
                guard let name = HTTPField.Name(name), !Self.isDamaged(name, value) else { continue }
                fields.append(HTTPField(name: name, value: value))
            }
            let length = expectedBytes(
                status: status.code, length: fields[.contentLength], codings: ContentCodings(fields),
                isTransferCoded: fields[.transferEncoding] != nil)
            let answer = ResponseHead(status: status, headers: fields, url: url, expectedBytes: length)
            try checkLength(answer)
            _ = try hasUnknownTransferCoding(answer)
            return answer
        }

        /// Whether a field must be left out because SwiftNIO has replaced bytes of it that aren't UTF-8. The origin
        /// wouldn't recognize such a validator or URL.
        private static func isDamaged(_ name: HTTPField.Name, _ value: String) -> Bool {
            [.eTag, .location].contains(name) && value.contains("\u{FFFD}")
        }
    }

    extension HTTPResponseHead {
        /// The size of the head in HTTP/1.1, with one space after each colon.
        fileprivate var byteCount: Int {
            let lines = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
            return lines + status.reasonPhrase.utf8.count + 17
        }
    }
#endif
