#if AsyncHTTPClient
    import AsyncHTTPClient
    import NIOCore
    import NIOPosix
    import Synchronization

    /// The client for new transfers. A client can't close a single connection, so a new one replaces it if a server's
    /// connections are dead. The old one ends with its transfers.
    final class CurrentClient: Sendable {
        private let current: Mutex<ClientHolder>
        /// Nil if the application owns the client.
        private let makeClient: (@Sendable () -> ClientHolder)?

        init(_ client: HTTPClient) {
            current = Mutex(ClientHolder(client, threads: nil))
            makeClient = nil
        }

        init(_ options: AsyncHTTPClientTransport.Options) {
            let threads = EventLoopThreads(count: min(max(1, options.threadCount), 64))
            let makeClient: @Sendable () -> ClientHolder = {
                let made = options.makeClientConfiguration()
                return ClientHolder(HTTPClient(eventLoopGroup: threads.group, configuration: made), threads: threads)
            }
            current = Mutex(makeClient())
            self.makeClient = makeClient
        }

        var holder: ClientHolder { current.withLock { $0 } }
        var eventLoop: any EventLoop { holder.client.eventLoopGroup.any() }

        func replace() {
            guard let new = makeClient?() else { return }
            let old = current.withLock { client in
                defer { client = new }
                return client
            }
            withExtendedLifetime(old) {}  // it is shut down without the lock
        }
    }

    /// A client. Each of its transfers in progress retains it.
    final class ClientHolder: Sendable {
        let client: HTTPClient
        /// Nil if the application owns the client.
        private let threads: EventLoopThreads?

        init(_ client: HTTPClient, threads: EventLoopThreads?) {
            self.client = client
            self.threads = threads
        }

        /// Doesn't wait, because this may run on one of the event loops. The only error, a repeated shutdown, can't
        /// happen.
        deinit {
            if let threads { client.shutdown { _ in withExtendedLifetime(threads) {} } }
        }
    }

    /// Event loops, which end when the last client is shut down.
    final class EventLoopThreads: Sendable {
        let group: MultiThreadedEventLoopGroup

        init(count: Int) { group = MultiThreadedEventLoopGroup(numberOfThreads: count) }

        deinit { group.shutdownGracefully { _ in } }
    }
#endif
