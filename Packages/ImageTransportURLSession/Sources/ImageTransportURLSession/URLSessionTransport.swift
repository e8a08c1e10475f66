#if canImport(ImageIO)
    import Dispatch
    // On Linux, over which Scripts/check-apple compiles this, URLSession is in another module.
    #if canImport(FoundationNetworking)
        import Foundation
    #else
        public import Foundation
    #endif
    import HTTPTypes
    import ImageCore
    public import ImageTransporting

    /// Sends requests with Foundation's URLSession, for Apple's platforms.
    ///
    /// **This module has never been compiled or run with Apple's Foundation.** Run `DataTransportContract` on an Apple
    /// machine before you rely on it.
    ///
    /// A task is suspended at 256 KiB of unread bytes, and resumed when you read them. Redirects are checked by
    /// `RedirectChain` and sent as new tasks. The system verifies certificates. The session has no cache and no
    /// cookies. The priority of a request is a hint for the server, also when it changes.
    ///
    /// URLSession has a single idle timer. It is set to `stallTimeout` and includes connecting, so `connectTimeout` has
    /// no effect. The session delivers decoded bodies and parsed heads. Therefore `headByteLimit` and
    /// `minBytesPerSecond` aren't enforced, and an encoded body that is too large throws `.tooLarge` instead of
    /// `.decodedBodyTooLarge`.
    public struct URLSessionTransport: DataTransport {
        private let owner: SessionOwner

        /// Creates a transport with a session of its own.
        ///
        /// - Parameters:
        ///   - configuration: Proxies, protocol classes, TLS versions, the connections per host and more. Changed: its
        ///     cache and its cookies are turned off. With a background configuration, requests fail.
        ///   - onChallenge: Answers the challenges of servers and proxies, for example to pin a certificate. Called on
        ///     the session's queue, so don't wait in it. With nil, the system answers.
        ///   - onMetrics: Receives the times of each task, which is a hop of a request, on the session's queue.
        public init(
            configuration: URLSessionConfiguration = .ephemeral,
            onChallenge: (
                @Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?)
            )? = nil,
            onMetrics: (@Sendable (URLSessionTaskMetrics) -> Void)? = nil
        ) {
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            let delegate = SessionDelegate(onChallenge: onChallenge, onMetrics: onMetrics)
            owner = SessionOwner(configuration: configuration, delegate: delegate)
        }

        /// Creates the transport of the kit, with an ephemeral session.
        package init(maxConnectionsPerServer: Int, allowsConstrainedNetworkAccess: Bool) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpMaximumConnectionsPerHost = max(1, maxConnectionsPerServer)
            configuration.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
            self.init(configuration: configuration)
        }

        /// Sends a request. Returns when the head of the final response has arrived.
        public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let deadline = request.totalTimeout.map { DispatchTime.now() + $0 / .seconds(1) }
            return try await RedirectChain.response(to: request) { hop throws(TransportError) in
                try await owner.start(hop, deadline: deadline).response()
            }
        }

        /// Sends later requests on new connections.
        public func closeIdleConnections() { owner.closeIdleConnections() }
    }

    /// Owns the session, and invalidates it when the transport and its transfers are released. A session retains its
    /// delegate until then.
    final class SessionOwner: Sendable {
        private let delegate: SessionDelegate
        private let session: URLSession

        init(configuration: URLSessionConfiguration, delegate: SessionDelegate) {
            self.delegate = delegate
            session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        }

        deinit { session.finishTasksAndInvalidate() }

        func closeIdleConnections() { session.flush {} }

        func start(_ request: TransportRequest, deadline: DispatchTime?) -> TransferChannel {
            let task = session.dataTask(with: Self.urlRequest(request))
            let following = Self.follow(request) { [weak task] in task?.priority = $0 }
            let pause = TransferPause(suspend: { task.suspend() }, resume: { task.resume() })
            // The closures retain this owner, so that the session exists as long as the transfer.
            let channel = TransferChannel(
                request: request, resume: { pause.end() }, stop: { [self] in stop(task) })
            delegate.add(SessionTransfer(channel: channel, pause: pause, following: following), for: task)
            channel.connected()
            task.resume()
            if let deadline { end(task, channel, at: deadline) }
            return channel
        }

        /// Ends a transfer at its deadline, if it still exists.
        private func end(_ task: URLSessionDataTask, _ channel: TransferChannel, at deadline: DispatchTime) {
            DispatchQueue.global().asyncAfter(deadline: deadline) { [weak task, weak channel] in
                channel?.ended(.timedOut(.total))
                task?.cancel()
            }
        }

        /// Sets the priority of a request's task, now and whenever it changes.
        static func follow(_ request: TransportRequest, set: @escaping @Sendable (Float) -> Void) -> ChangeObservation?
        {
            set(priority(request.priority))
            return request.livePriority?.observe { set(priority($0.value)) }
        }

        static func priority(_ priority: RequestPriority) -> Float {
            if priority == .normal { return URLSessionTask.defaultPriority }
            return priority > .normal ? URLSessionTask.highPriority : URLSessionTask.lowPriority
        }

        private func stop(_ task: URLSessionDataTask) { task.cancel() }

        static func urlRequest(_ request: TransportRequest) -> URLRequest {
            var made = URLRequest(url: request.url)
            made.httpMethod = request.method.rawValue
            made.httpBody = request.method == .head ? nil : request.body
            made.httpShouldHandleCookies = false
            made.timeoutInterval = request.stallTimeout / .seconds(1)
            made.allowsExpensiveNetworkAccess = request.allowsExpensiveNetworkAccess
            made.allowsConstrainedNetworkAccess = request.allowsConstrainedNetworkAccess
            for field in request.headers { made.addValue(field.byteText, forHTTPHeaderField: field.name.rawName) }
            return made
        }
    }
#endif
