#if AsyncHTTPClient
    import AsyncHTTPClient
    import HTTPTypes
    import ImageTransporting
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOSSL

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Conversions between the types of the transport and the client.
    extension TransportRequest {
        /// Throws the client's error if it can't parse the URL, or would send `/` for a path whose percent-encodings
        /// aren't UTF-8.
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
        func head(_ head: HTTPResponseHead) throws(TransportError) -> ResponseHead {
            guard head.byteCount <= headByteLimit else { throw .headTooLarge(byteLimit: headByteLimit) }
            let status = HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase)
            var fields = HTTPFields()
            for (name, value) in head.headers {
                guard let name = HTTPField.Name(name), !Self.isDamaged(name, value) else { continue }
                fields.append(HTTPField(name: name, value: value))
            }
            let length = expectedByteCount(
                status: status.code, length: fields[.contentLength], codings: ContentCodings(fields),
                isTransferCoded: fields[.transferEncoding] != nil)
            let answer = ResponseHead(status: status, headers: fields, url: url, expectedByteCount: length)
            try checkLength(answer)
            _ = try hasUnknownTransferCoding(answer)
            return answer
        }

        /// SwiftNIO has replaced bytes that aren't UTF-8. The server wouldn't recognize such a validator or URL.
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

    extension TransportRequest {
        /// Maps an error of the client, SwiftNIO or TLS. Without a channel, the transfer has ended.
        func failure(for error: any Error, isConnected: Bool, _ channel: TransferChannel?) -> TransportError {
            let text = String(describing: error)
            return switch error {
            case let failure as TransportError: failure
            case let error as HTTPClientError: failure(ofClient: error, isConnected: isConnected, channel)
            case let error as HTTPParserError:
                switch error {
                case .invalidEOFState, .closedConnection: broken(channel, text)
                case .headerOverflow: .headTooLarge(byteLimit: headByteLimit)
                default: .malformedResponse(text)
                }
            case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
                isConnected ? broken(channel, text) : .tls(text)
            case let error as NIOConnectionError where error.connectionErrors.isEmpty: .unresolvedHost(text)
            default: isConnected ? broken(channel, text) : .connectionFailed(text)
            }
        }

        private func failure(
            ofClient error: HTTPClientError, isConnected: Bool, _ channel: TransferChannel?
        ) -> TransportError {
            switch error {
            case .cancelled: .cancelled
            case .invalidURL, .emptyHost, .emptyScheme: .invalidURL(url.absoluteString)
            case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout, .httpProxyHandshakeTimeout,
                .socksHandshakeTimeout:
                .timedOut(.connect)
            case .remoteConnectionClosed where !isConnected && url.scheme?.lowercased() == "https":
                .tls("the connection was closed during the handshake")
            case .remoteConnectionClosed, .uncleanShutdown: broken(channel, String(describing: error))
            default: .other(String(describing: error))
            }
        }

        private func broken(_ channel: TransferChannel?, _ text: String) -> TransportError {
            guard let channel, channel.hasHead else { return .connectionLost(text) }
            let (received, expected) = channel.progress
            return .closedEarly(received: received, expected: expected)
        }
    }
#endif
