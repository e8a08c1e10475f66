#if RedisCaching
    import Foundation
    import ImageContractTesting
    import ImageCore
    import ImageRedisCaching
    import ImageTesting
    import ImageTieredCaching
    import RedisServerProcess
    import Testing

    @Suite("The contract of DataCache, for a cache on a Redis server")
    struct RedisContractTests {
        @Test(
            "the cache passes the rules for every cache",
            arguments: DataCacheContract.rules + DataCacheContract.gaplessReplacing)
        func rules(_ rule: ContractRule<DataCacheContract.Subject>) async throws {
            let server = try await RedisServerProcess()
            try await rule.check { limit in
                _ = try await server.command("FLUSHALL")
                return try RedisDataCache(on: server, byteLimit: limit)
            }
        }

        @Test("a cache in memory above the server passes the rules for every cache", arguments: DataCacheContract.rules)
        func tiered(_ rule: ContractRule<DataCacheContract.Subject>) async throws {
            let server = try await RedisServerProcess()
            try await rule.check { limit in
                _ = try await server.command("FLUSHALL")
                let upperLimit = limit * 45 / 1_000
                return FlushedCache(
                    TieredDataCache(
                        upper: InMemoryDataCache(byteLimit: upperLimit),
                        lower: try RedisDataCache(on: server, byteLimit: limit - upperLimit)))
            }
        }

        @Test("the server above a cache in memory passes the rules for every cache", arguments: DataCacheContract.rules)
        func tieredBelow(_ rule: ContractRule<DataCacheContract.Subject>) async throws {
            let server = try await RedisServerProcess()
            try await rule.check { limit in
                _ = try await server.command("FLUSHALL")
                let upperLimit = limit * 45 / 1_000
                return FlushedCache(
                    TieredDataCache(
                        upper: try RedisDataCache(on: server, byteLimit: upperLimit),
                        lower: InMemoryDataCache(byteLimit: limit - upperLimit)))
            }
        }

        @Test(
            "the cache passes the rules for persistent and shared caches",
            arguments: DataCacheContract.reopening + DataCacheContract.sharing)
        func reopening(_ rule: ContractRule<DataCacheContract.Reopening>) async throws {
            let server = try await RedisServerProcess()
            try await rule.check { try RedisDataCache(on: server, byteLimit: $0) }
        }

        @Test("the cache passes the rules about damage", arguments: DataCacheContract.damage)
        func damage(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Damageable>) async throws {
            let server = try await RedisServerProcess()
            try await rule.check { limit in
                let cache = try RedisDataCache(on: server, byteLimit: limit)
                return DataCacheContract.Damageable(cache: cache) { key in
                    try await server.command("SETRANGE", cache.keyName(of: key), "200", "damage")
                }
            }
        }

        @Test("the cache passes the rules about a full server", arguments: DataCacheContract.fullStore)
        func full(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Fillable>) async throws {
            let server = try await RedisServerProcess()
            try await rule.check { limit in
                _ = try await server.command("FLUSHALL")
                return DataCacheContract.Fillable(cache: try RedisDataCache(on: server, byteLimit: limit)) { isFull in
                    try await server.command("CONFIG", "SET", "maxmemory", isFull ? "1" : "0")
                }
            }
        }
    }

    extension RedisDataCache {
        /// Creates a cache whose timeouts a busy machine doesn't reach.
        init(
            on server: RedisServerProcess, byteLimit: Int? = nil, clock: ManualClock = ManualClock(),
            configure: (inout RedisCacheOptions) -> Void = { _ in }
        ) throws {
            var options = RedisCacheOptions()
            options.byteLimit = byteLimit
            options.connectTimeout = .seconds(60)
            options.commandTimeout = .seconds(60)
            configure(&options)
            try self.init(url: server.url, options: options, clock: clock)
        }
    }

    /// A tiered cache without pending writes, because the limits of the contract don't include them.
    private struct FlushedCache: DataCache {
        let cache: TieredDataCache

        init(_ cache: TieredDataCache) { self.cache = cache }

        func entry(for key: DataCacheKey) async throws(DataCacheFailure) -> DataCacheEntry? {
            try await cache.entry(for: key)
        }

        func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheFailure) {
            try await cache.store(entry, for: key)
            await cache.flush()
        }

        func remove(for key: DataCacheKey) async throws(DataCacheFailure) { try await cache.remove(for: key) }

        func removeAll() async throws(DataCacheFailure) { try await cache.removeAll() }
    }
#endif
