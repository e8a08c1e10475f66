#if AsyncHTTPClient
    import AsyncHTTPClient
    import ImageTransporting
    import NIOCore
    import Synchronization

    /// Starts transfers on a client's event loops, as many at once as there may be connections.
    final class TransferEngine: Sendable {
        let holder: any ClientHolder
        private let queues: Mutex<OriginQueues<Transfer>>

        init(_ holder: any ClientHolder, maxConnectionsPerHost: Int) {
            self.holder = holder
            queues = Mutex(OriginQueues(limit: maxConnectionsPerHost))
        }

        /// Milliseconds of the event loops' monotonic time.
        var now: Int64 { holder.client.eventLoopGroup.any().milliseconds }

        /// - Parameter deadline: in milliseconds of `now`; then the transfer ends in any case.
        func start(_ request: TransportRequest, deadline: Int64) -> TransferChannel {
            let transfer = Transfer(
                request, loop: holder.client.eventLoopGroup.any(), deadline: deadline, engine: self)
            let channel = TransferChannel(
                request: request, resume: { transfer.resume() }, stop: { transfer.stop() })
            transfer.enter(channel)
            return channel
        }

        // MARK: What transfers tell

        func enter(_ transfer: Transfer) {
            admit(
                queues.withLock {
                    $0.enter(transfer, origin: transfer.origin, mayMultiplex: transfer.origin.hasPrefix("https:"))
                })
        }

        func connectionDecided(_ transfer: Transfer) {
            admit(queues.withLock { $0.connectionDecided(to: transfer.origin) })
        }

        func answeredOverHTTP2(_ transfer: Transfer) {
            admit(queues.withLock { $0.answeredOverHTTP2(from: transfer.origin) })
        }

        func leave(_ transfer: Transfer) { admit(queues.withLock { $0.leave(transfer.origin) }) }

        private func admit(_ transfers: [Transfer]) {
            for transfer in transfers { transfer.begin() }
        }
    }

    extension EventLoop {
        /// Monotonic.
        var milliseconds: Int64 { Int64(now.uptimeNanoseconds / 1_000_000) }
    }
#endif
