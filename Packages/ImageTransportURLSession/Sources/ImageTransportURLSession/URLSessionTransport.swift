#if canImport(Darwin)
    import Dispatch
    import Foundation
    import HTTPTypes
    public import ImageTransporting

    /// The transport port over Foundation's URLSession, for Apple's platforms.
    ///
    /// **Written without an Apple machine at hand: this module has never been compiled or run against Apple's Foundation.**
    /// Run `DataTransportContract` on it before relying on it.
    ///
    /// Bodies come through a data delegate. When 256 KiB wait unread the task is suspended, and resumed when they are taken.
    /// Redirects are not left to the session: each hop is checked by `RedirectTrail` and sent as a new task.
    /// URLSession has one idle timer: it is set to `stallTimeout` and covers the connection too, so `connectTimeout` has no
    /// effect of its own. `totalTimeout` is a timer of ours. `maxHeadBytes` and a limit apart for coded bodies are not enforced: the
    /// session hands over neither heads nor bodies as they came. Certificates are verified by the system. Nothing is cached, and no cookies are kept.
    public struct URLSessionTransport: DataTransport {
        private let owner: SessionOwner

        /// - Parameter maxConnectionsPerHost: connections to one host at once.
        public init(maxConnectionsPerHost: Int = 6) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpMaximumConnectionsPerHost = maxConnectionsPerHost
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            owner = SessionOwner(configuration: configuration)
        }

        public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
            let deadline = request.totalTimeout.map { DispatchTime.now() + $0 / .seconds(1) }
            return try await RedirectTrail.response(to: request) { hop throws(TransportFailure) in
                try await owner.start(hop, deadline: deadline).response()
            }
        }
    }

    /// Ends the session, which else keeps its delegate for ever, when the transport and its transfers are gone.
    final class SessionOwner: Sendable {
        private let delegate = SessionDelegate()
        private let session: URLSession

        init(configuration: URLSessionConfiguration) {
            session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        }

        deinit { session.finishTasksAndInvalidate() }

        func start(_ request: TransportRequest, deadline: DispatchTime?) -> TransferChannel {
            let task = session.dataTask(with: urlRequest(request))
            // The closures keep this owner, and so the session, alive as long as a transfer is.
            let channel = TransferChannel(
                request: request, resume: { [self] in resume(task) }, stop: { [self] in stop(task) })
            delegate.add(channel, for: task)
            channel.connected()
            task.resume()
            if let deadline { end(task, channel, at: deadline) }
            return channel
        }

        /// Ends what is still under way then. Both are forgotten before, when they have ended.
        private func end(_ task: URLSessionDataTask, _ channel: TransferChannel, at deadline: DispatchTime) {
            DispatchQueue.global().asyncAfter(deadline: deadline) { [weak task, weak channel] in
                channel?.ended(.timedOut(.whole))
                task?.cancel()
            }
        }

        private func resume(_ task: URLSessionDataTask) { task.resume() }

        private func stop(_ task: URLSessionDataTask) { task.cancel() }

        private func urlRequest(_ request: TransportRequest) -> URLRequest {
            var made = URLRequest(url: request.url)
            made.httpMethod = request.method.rawValue
            made.httpBody = request.method == .head ? nil : request.body
            made.httpShouldHandleCookies = false
            made.timeoutInterval = request.stallTimeout / .seconds(1)
            for field in request.headers { made.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
            return made
        }
    }
#endif
