#if canImport(ImageIO)
    import Foundation
    import HTTPTypes
    import ImageTransporting
    import Synchronization

    /// Forwards the events of the session to the transfers of its tasks. The session calls it on a serial queue.
    final class SessionDelegate: NSObject, URLSessionDataDelegate {
        typealias ChallengeHandler =
            @Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?)

        private let transfers = Mutex<[Int: SessionTransfer]>([:])
        private let onChallenge: ChallengeHandler?
        private let onMetrics: (@Sendable (URLSessionTaskMetrics) -> Void)?

        init(
            onChallenge: ChallengeHandler? = nil, onMetrics: (@Sendable (URLSessionTaskMetrics) -> Void)? = nil
        ) {
            self.onChallenge = onChallenge
            self.onMetrics = onMetrics
        }

        func add(_ transfer: SessionTransfer, for task: URLSessionTask) {
            transfers.withLock { $0[task.taskIdentifier] = transfer }
        }

        private func transfer(of task: URLSessionTask) -> SessionTransfer? {
            transfers.withLock { $0[task.taskIdentifier] }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)  // deliver the redirect as a response, for `RedirectChain`
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let answer = onChallenge?(challenge) ?? (.performDefaultHandling, nil)
            completionHandler(answer.0, answer.1)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            onMetrics?(metrics)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            guard let channel = transfer(of: dataTask)?.channel, let response = response as? HTTPURLResponse else {
                return completionHandler(.cancel)
            }
            let head = ResponseHead(response, to: channel.request)
            let allowed = channel.request.bodyByteLimit
            if let expected = head.expectedByteCount, expected > allowed, !RedirectChain.isRedirect(head) {
                channel.ended(.tooLarge(byteLimit: allowed))
                return completionHandler(.cancel)
            }
            channel.headArrived(head)
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            guard let transfer = transfer(of: dataTask) else { return dataTask.cancel() }
            switch transfer.channel.arrived(data) {
            case .deliver, .buffer: break
            // The consumer may have emptied the buffer meanwhile.
            case .pause: transfer.pause.begin { transfer.channel.isPaused }
            case .stop, .fail: dataTask.cancel()
            }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            guard let channel = transfers.withLock({ $0.removeValue(forKey: task.taskIdentifier) })?.channel else {
                return
            }
            let failure = failure(error, channel)
            // The connection may be dead: the next request gets a new one.
            if case .timedOut = failure { session.flush {} }
            channel.ended(failure)
        }

        private func failure(_ error: (any Error)?, _ channel: TransferChannel) -> TransportError? {
            let (received, expected) = channel.progress
            guard let error else {
                guard channel.hasHead else { return .connectionLost("no response") }
                guard let expected, received < expected else { return nil }
                return .closedEarly(received: received, expected: expected)
            }
            return SessionFailure(error).failure(hasHead: channel.hasHead, received: received, expected: expected)
        }
    }

    extension ResponseHead {
        fileprivate init(_ response: HTTPURLResponse, to request: TransportRequest) {
            var fields = HTTPFields()
            for (name, value) in response.allHeaderFields {
                guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                    continue
                }
                fields.append(HTTPField(name: name, byteText: value))
            }
            let status = response.statusCode
            let isBodiless = request.method == .head || status == 204 || status == 304
            // The session decodes more codings than `ContentCodings` knows.
            let isCoded = fields[.transferEncoding] != nil || !ContentCodings(fields).isEmpty
            let length = isCoded ? nil : fields[.contentLength].flatMap { Int($0) }
            self.init(
                status: .init(code: status), headers: fields, url: request.url,
                expectedByteCount: isBodiless ? 0 : length)
        }
    }

    /// Maps an error of URLSession to a `TransportError`.
    private struct SessionFailure {
        private let error: any Error

        init(_ error: any Error) { self.error = error }

        func failure(hasHead: Bool, received: Int, expected: Int?) -> TransportError {
            let text = error.localizedDescription
            guard let code = (error as? URLError)?.code else { return .other(text) }
            switch code {
            case .cancelled: return .cancelled
            case .timedOut: return .timedOut(hasHead ? .body : .head)
            case .badURL, .unsupportedURL: return .invalidURL(text)
            case .cannotFindHost, .dnsLookupFailed: return .unresolvedHost(text)
            case .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
                return .connectionFailed(text)
            case .networkConnectionLost:
                return hasHead ? .closedEarly(received: received, expected: expected) : .connectionLost(text)
            case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
                return .malformedResponse(text)
            case .dataLengthExceedsMaximum: return .malformedResponse(text)
            default: return isTLS(code) ? .tls(text) : .other(text)
            }
        }

        private func isTLS(_ code: URLError.Code) -> Bool {
            switch code {
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
                .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
                true
            default: false
            }
        }
    }
#endif
