#if RedisCaching
    /// Stores leases on a Redis server with the pattern of its documentation: `SET key token NX PX milliseconds`, and a
    /// script that compares the token (https://redis.io/docs/latest/develop/use/patterns/distributed-locks).
    ///
    /// A server that fails over to a replica can lose a lease. Two processes then do the same work, which is harmless for
    /// work whose result is stored in a cache.
    public struct RedisLeaseStore: LeaseStore {
        private static let releaseScript = """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('UNLINK', KEYS[1])
            """

        private let client: RedisClient
        private let keys: RedisKeys

        /// Creates a store that shares the connection and the namespace of a cache. `removeAll` of the cache keeps the
        /// leases.
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
