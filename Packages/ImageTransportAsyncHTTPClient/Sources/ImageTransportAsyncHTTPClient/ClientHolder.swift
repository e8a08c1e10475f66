#if AsyncHTTPClient
    import AsyncHTTPClient
    import ImageTransporting
    import NIOCore
    import NIOPosix

    /// Owns a client and its event loops. Each transfer in progress retains it.
    protocol ClientHolder: Sendable {
        var client: HTTPClient { get }
    }

    /// A client that the application shuts down.
    struct BorrowedClient: ClientHolder {
        let client: HTTPClient

        init(_ client: HTTPClient) { self.client = client }
    }

    /// A client and event loops that are shut down when this object is released.
    final class OwnedClient: ClientHolder {
        let client: HTTPClient
        private let group: MultiThreadedEventLoopGroup

        init(_ configuration: AsyncHTTPClientTransport.Configuration) {
            group = MultiThreadedEventLoopGroup(numberOfThreads: min(max(1, configuration.threadCount), 64))
            client = HTTPClient(eventLoopGroup: group, configuration: configuration.makeClientConfiguration())
        }

        /// Closes the connections, then ends the threads. Doesn't wait, because this may run on one of the event loops;
        /// the closures retain both objects until then. Errors are ignored: the only one is a repeated shutdown, which
        /// can't happen here.
        deinit {
            let group = group
            client.shutdown { _ in group.shutdownGracefully { _ in } }
        }
    }
#endif
