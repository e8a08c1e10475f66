#if RedisCaching
    import NIOCore
    import NIOPosix

    /// The event loops of a client. Each connection retains them, also while a host name is resolved or a channel is
    /// closed, because nothing can be scheduled on a loop that has ended.
    final class RedisEventLoops: Sendable {
        let group: any EventLoopGroup
        private let isOwned: Bool

        /// - Parameter group: The event loops of the application, or nil for own ones, which end with this object.
        init(_ group: (any EventLoopGroup)?, threadCount: Int) {
            isOwned = group == nil
            self.group = group ?? MultiThreadedEventLoopGroup(numberOfThreads: min(max(1, threadCount), 64))
        }

        /// Ends the threads of own event loops. Doesn't wait, because this may run on one of them. The error is ignored:
        /// the only one is a repeated shutdown, which can't happen here.
        deinit {
            if isOwned { group.shutdownGracefully { _ in } }
        }
    }
#endif
