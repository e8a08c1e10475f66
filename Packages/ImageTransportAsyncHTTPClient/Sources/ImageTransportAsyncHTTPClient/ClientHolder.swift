#if AsyncHTTPClient
    import AsyncHTTPClient
    import ImageTransporting
    import NIOCore
    import NIOPosix

    /// Owns a client and its event loops. Each transfer in progress retains it.
    protocol ClientHolder: Sendable {
        var client: HTTPClient { get }
    }

    /// The application's: it shuts it down.
    struct BorrowedClient: ClientHolder {
        let client: HTTPClient

        init(_ client: HTTPClient) { self.client = client }
    }

    /// A client and event loops of the transport's own, which are shut down when the last holder has gone.
    final class OwnedClient: ClientHolder {
        let client: HTTPClient
        private let group: MultiThreadedEventLoopGroup

        init(_ configuration: AsyncHTTPClientTransport.Configuration) {
            group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.threadCount))
            client = HTTPClient(eventLoopGroup: group, configuration: configuration.makeClientConfiguration())
        }

        /// Neither may wait here: this may run on one of the event loops. Connections are closed first, then the threads end; the
        /// closures keep both until then. An error here would be one of somebody who shut down the client before: nobody can.
        deinit {
            let group = group
            client.shutdown { _ in group.shutdownGracefully { _ in } }
        }
    }
#endif
