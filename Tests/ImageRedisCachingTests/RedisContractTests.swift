#if RedisCaching
    import Foundation
    import ImageContractTesting
    import ImageCore
    import ImageRedisCaching
    import ImageTesting
    import RedisServerProcess
    import Testing

    @Suite("The contract of ImageDataCache, for a cache on a Redis server")
    struct RedisContractTests {
        /// The server limits the sum of all entries, so the rules about it don't apply.
        private static func withoutSum<Subject>(_ rules: [ContractRule<Subject>]) -> [ContractRule<Subject>] {
            rules.filter { rule in
                !["the limit holds", "a smaller limit"].contains { rule.name.contains($0) }
            }
        }

        @Test(
            "the cache passes the rules for every cache",
            arguments: withoutSum(DataCacheContract.rules + DataCacheContract.gaplessReplacing))
        func rules(_ rule: ContractRule<DataCacheContract.Subject>) async throws {
            let server = try await RedisServerProcess()
            try await rule.check { limit in
                _ = try await server.command("FLUSHALL")
                return try RedisDataCache(on: server) { $0.entryByteLimit = limit }
            }
        }

        @Test(
            "the cache passes the rules for persistent and shared caches",
            arguments: withoutSum(DataCacheContract.reopening + DataCacheContract.sharing))
        func reopening(_ rule: ContractRule<DataCacheContract.Reopening>) async throws {
            let server = try await RedisServerProcess()
            try await rule.check { _ in try RedisDataCache(on: server) }
        }

        @Test("the cache passes the rules about damage", arguments: DataCacheContract.damage)
        func damage(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Damageable>) async throws {
            let server = try await RedisServerProcess()
            try await rule.check { _ in
                let cache = try RedisDataCache(on: server)
                return DataCacheContract.Damageable(cache: cache) { key in
                    try await server.command("SETRANGE", cache.keyName(of: key), "200", "damage")
                }
            }
        }

        @Test("the cache passes the rules about a full server", arguments: DataCacheContract.fullStore)
        func full(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Fillable>) async throws {
            let server = try await RedisServerProcess()
            try await rule.check { _ in
                _ = try await server.command("FLUSHALL")
                return DataCacheContract.Fillable(cache: try RedisDataCache(on: server)) { isFull in
                    try await server.command("CONFIG", "SET", "maxmemory", isFull ? "1" : "0")
                }
            }
        }
    }

    extension RedisDataCache {
        /// Creates a cache whose timeouts a busy machine doesn't reach.
        ///
        /// - Parameters:
        ///   - user: The user and the password in the URL, with an at sign.
        ///   - query: The query of the URL.
        init(
            on server: RedisServerProcess, user: String = "", query: String = "", clock: ManualClock = ManualClock(),
            configure: (inout RedisCacheOptions) -> Void = { _ in }
        ) throws {
            var options = RedisCacheOptions()
            options.connectTimeout = .seconds(60)
            options.commandTimeout = .seconds(60)
            configure(&options)
            let url = try #require(URL(string: "unix://\(user)\(server.socketPath)\(query)"))
            try self.init(url: url, options: options, clock: clock)
        }
    }
#endif
