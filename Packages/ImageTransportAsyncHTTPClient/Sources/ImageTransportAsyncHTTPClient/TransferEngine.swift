#if AsyncHTTPClient
    import AsyncHTTPClient
    import ImageTransporting
    import NIOCore
    import NIOPosix
    import Synchronization

    /// Starts transfers on a client's event loops. Limits how many run at the same time to the number of connections.
    final class TransferEngine: Sendable {
        let holder: ClientHolder
        private let queues: Mutex<OriginQueues<Transfer>>

        init(_ holder: ClientHolder, maxConnectionsPerHost: Int) {
            self.holder = holder
            queues = Mutex(OriginQueues(limit: maxConnectionsPerHost))
        }

        /// The monotonic time of the event loops in milliseconds.
        var now: Int64 { holder.client.eventLoopGroup.any().milliseconds }

        /// Starts a transfer.
        ///
        /// - Parameter deadline: The time at which the transfer times out, in milliseconds of `now`.
        func start(_ request: TransportRequest, deadline: Int64) -> TransferChannel {
            let transfer = Transfer(
                request, loop: holder.client.eventLoopGroup.any(), deadline: deadline, engine: self)
            let channel = TransferChannel(
                request: request, resume: { transfer.resume() }, stop: { transfer.stop() })
            transfer.enter(channel)
            return channel
        }

        // MARK: Transfer events

        func enter(_ transfer: Transfer) {
            admit(
                queues.withLock {
                    $0.enter(transfer, origin: transfer.origin, mayMultiplex: transfer.origin.hasPrefix("https:"))
                })
        }

        func connectionAttemptEnded(_ transfer: Transfer) {
            admit(queues.withLock { $0.connectionAttemptEnded(to: transfer.origin) })
        }

        func answeredOverHTTP2(_ transfer: Transfer) {
            admit(queues.withLock { $0.answeredOverHTTP2(from: transfer.origin) })
        }

        func leave(_ transfer: Transfer) { admit(queues.withLock { $0.leave(transfer.origin) }) }

        private func admit(_ transfers: [Transfer]) {
            for transfer in transfers { transfer.begin() }
        }
    }

    /// A client, and its event loops if they are the transport's own. Each transfer in progress retains it.
    final class ClientHolder: Sendable {
        let client: HTTPClient
        private let group: MultiThreadedEventLoopGroup?

        /// Holds a client that the application shuts down.
        init(_ client: HTTPClient) {
            self.client = client
            group = nil
        }

        /// Creates a client and event loops, which are shut down when this object is released.
        init(_ configuration: AsyncHTTPClientTransport.Configuration) {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: min(max(1, configuration.threadCount), 64))
            client = HTTPClient(eventLoopGroup: group, configuration: configuration.makeClientConfiguration())
            self.group = group
        }

        /// Closes the connections, then ends the threads. Doesn't wait, because this may run on one of the event loops;
        /// the closures retain both objects until then. The only error, a repeated shutdown, can't happen here.
        deinit {
            if let group { client.shutdown { _ in group.shutdownGracefully { _ in } } }
        }
    }

    extension EventLoop {
        /// The monotonic time in milliseconds.
        var milliseconds: Int64 { Int64(now.uptimeNanoseconds / 1_000_000) }
    }
#endif
