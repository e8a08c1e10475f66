#if RedisCaching
    import ImageCore

    /// Lets one of many processes do work whose result is stored in a shared cache. The others wait for the result.
    ///
    /// - Waiters look the result up with growing pauses. After `maxWait` they do the work themselves.
    /// - If the holder of a lease ends without releasing it, another caller acquires it after `duration` at most.
    /// - If the store of leases fails, the caller does the work itself.
    ///
    /// Work can be done twice, for example if it takes longer than `maxWait`. Use it together with a
    /// `RequestCoalescer`.
    public struct DistributedLease: Sendable {
        /// The pause between two lookups. Each is half as long again as the one before.
        private static let (firstPause, maxPause) = (Duration.milliseconds(20), Duration.milliseconds(250))

        private let store: any LeaseStore
        private let duration: Duration
        private let maxWait: Duration
        private let clock: any Clock<Duration>
        private let makeToken: @Sendable () -> String

        /// Creates a lease over a store.
        ///
        /// - Parameters:
        ///   - store: Stores the leases, for example a `RedisLeaseStore`.
        ///   - duration: The time after which a lease ends.
        ///   - maxWait: The maximum time to wait for the result of another process.
        ///   - clock: Measures the pauses.
        ///   - makeToken: Returns a text that no other holder has. By default, 128 random bits.
        public init(
            store: any LeaseStore, duration: Duration = .seconds(10), maxWait: Duration = .seconds(10),
            clock: any Clock<Duration> = ContinuousClock(),
            makeToken: @escaping @Sendable () -> String = { String(UInt128.random(in: .min ... .max), radix: 36) }
        ) {
            self.store = store
            self.duration = duration
            self.maxWait = maxWait
            self.clock = clock
            self.makeToken = makeToken
        }

        /// Returns the value of a key, which one process produces.
        ///
        /// If the task is cancelled while it waits, `produce` is called at once, and can throw.
        ///
        /// - Parameters:
        ///   - key: The name of the work.
        ///   - lookup: Returns the stored value, or nil if there is none.
        ///   - produce: Does the work, and stores the value where `lookup` finds it before it returns.
        /// - Throws: The error of `produce`. The lease is then released, and another caller does the work.
        public func value<Value: Sendable, Failure: Error>(
            for key: String, lookup: () async -> Value?, produce: () async throws(Failure) -> Value
        ) async throws(Failure) -> Value {
            if let value = await lookup() { return value }
            let token = makeToken()
            let waited = stopwatch(clock)
            var pause = Self.firstPause
            while true {
                let acquisition = await store.acquire(key, token: token, for: duration)
                if acquisition == .unavailable { break }
                // The holder may have stored the value between the last lookup and the end of its lease.
                let found = await lookup()
                if acquisition == .acquired { return try await release(key, token, after: found, or: produce) }
                if let found { return found }
                guard await hasSlept(for: min(pause, maxWait - waited())) else { break }
                pause = min(pause * 3 / 2, Self.maxPause)
            }
            return try await produce()
        }

        private func release<Value: Sendable, Failure: Error>(
            _ key: String, _ token: String, after found: Value?, or produce: () async throws(Failure) -> Value
        ) async throws(Failure) -> Value {
            let result: Result<Value, Failure>
            do throws(Failure) {
                let value = if let found { found } else { try await produce() }
                result = .success(value)
            } catch {
                result = .failure(error)
            }
            await store.release(key, token: token)
            return try result.get()
        }

        /// Returns false if there is no time to sleep, or if the task is cancelled.
        private func hasSlept(for duration: Duration) async -> Bool {
            guard duration > .zero else { return false }
            do {
                try await clock.sleep(for: duration)
                return true
            } catch {
                return false
            }
        }
    }

    /// Stores leases that many processes share. A lease has one holder at a time, and ends by itself.
    ///
    /// Promises:
    /// - Of all calls of `acquire` for a key, at most one returns `.acquired` until the lease ends or is released.
    /// - Only the holder, which knows the token, can release a lease.
    /// - No method throws. A store that fails returns `.unavailable` within a bounded time.
    public protocol LeaseStore: Sendable {
        /// Acquires the lease of a key, if nobody holds it.
        ///
        /// - Parameters:
        ///   - key: The name of the work.
        ///   - token: A text that no other holder has.
        ///   - duration: The time after which the lease ends by itself.
        func acquire(_ key: String, token: String, for duration: Duration) async -> LeaseAcquisition
        /// Releases the lease of a key. Does nothing if it has ended or has another holder.
        func release(_ key: String, token: String) async
    }

    /// The result of acquiring a lease.
    @nonexhaustive
    public enum LeaseAcquisition: Hashable, Sendable, CaseIterable {
        /// The caller holds the lease.
        case acquired
        /// Another process holds the lease.
        case held
        /// The store failed, and nothing is known about the lease.
        case unavailable
    }

    /// Stores leases on a Redis server (https://redis.io/docs/latest/develop/use/patterns/distributed-locks).
    ///
    /// A server that fails over to a replica can lose a lease. Two processes then do the same work.
    public struct RedisLeaseStore: LeaseStore {
        private static let releaseScript = """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('UNLINK', KEYS[1])
            """

        private let client: RedisClient
        private let keys: RedisKeys

        /// Shares the connection and the namespace of a cache, whose `removeAll` keeps the leases.
        public init(sharing cache: RedisDataCache) {
            client = cache.client
            keys = cache.keys
        }

        public func acquire(_ key: String, token: String, for duration: Duration) async -> LeaseAcquisition {
            let command = RedisCommand(
                "SET", keys.lease(key), token, "NX", "PX", String(duration.redisMilliseconds))
            switch try? await client.send(command) {
            case .status("OK"): return .acquired
            case .null: return .held
            default: return .unavailable
            }
        }

        public func release(_ key: String, token: String) async {
            // If the server doesn't reply, the lease ends by itself.
            _ = try? await client.send(RedisCommand("EVAL", Self.releaseScript, "1", keys.lease(key), token))
        }
    }
#endif
