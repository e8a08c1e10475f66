#if RedisCaching
    import Foundation
    import ImageCore
    import ImageRedisCaching
    import ImageTesting
    import RedisServerProcess
    import Testing

    @Suite("Leases on a real server")
    struct RedisLeaseStoreTests {
        private let minute = Duration.seconds(60)

        @Test("a lease has one holder until it is released")
        func oneHolder() async throws {
            let server = try await RedisServerProcess()
            let first = RedisLeaseStore(sharing: try RedisDataCache(on: server))
            let second = RedisLeaseStore(sharing: try RedisDataCache(on: server))
            #expect(await first.acquire("a", token: "1", for: minute) == .acquired)
            #expect(await second.acquire("a", token: "2", for: minute) == .held)
            #expect(await second.acquire("b", token: "2", for: minute) == .acquired)
            await second.release("a", token: "2")
            #expect(await second.acquire("a", token: "2", for: minute) == .held)
            await first.release("a", token: "1")
            #expect(await second.acquire("a", token: "2", for: minute) == .acquired)
        }

        @Test("a lease of a holder that ended can be acquired after its time")
        func ends() async throws {
            let server = try await RedisServerProcess()
            let store = RedisLeaseStore(sharing: try RedisDataCache(on: server))
            #expect(await store.acquire("a", token: "1", for: .milliseconds(1)) == .acquired)
            // The server's clock ends the lease. Each attempt is a round trip.
            var acquisition = LeaseAcquisition.held
            while acquisition == .held { acquisition = await store.acquire("a", token: "2", for: minute) }
            #expect(acquisition == .acquired)
        }

        @Test("leases outlive the removal of all entries")
        func removeAll() async throws {
            let server = try await RedisServerProcess()
            let cache = try RedisDataCache(on: server)
            let store = RedisLeaseStore(sharing: cache)
            _ = await store.acquire("a", token: "1", for: minute)
            try await cache.removeAll()
            #expect(await store.acquire("a", token: "2", for: minute) == .held)
        }

        @Test("without a server, nothing is known about a lease")
        func unavailable() async throws {
            let server = try await RedisServerProcess()
            try await server.crash()
            let store = RedisLeaseStore(sharing: try RedisDataCache(on: server))
            #expect(await store.acquire("a", token: "1", for: minute) == .unavailable)
        }

        @Test("many callers of two processes produce a value once, and all receive it")
        func producesOnce() async throws {
            let server = try await RedisServerProcess()
            let caches = [try RedisDataCache(on: server), try RedisDataCache(on: server)]
            let key = DataCacheKey(source: "a")
            let productions = Watched(0)
            let results = try await withThrowingTaskGroup(of: Data.self) { group in
                for number in 0..<200 {
                    let cache = caches[number % 2]
                    let lease = DistributedLease(
                        store: RedisLeaseStore(sharing: cache), duration: .seconds(600), waitLimit: .seconds(600),
                        clock: ContinuousClock())
                    group.addTask {
                        try await lease.value(for: key.source) {
                            await cache.entry(for: key)?.data
                        } produce: {
                            let count = productions.change { count in
                                count += 1
                                return count
                            }
                            let entry = DataCacheEntry(
                                data: Data([UInt8(count)]), createdAt: Date(timeIntervalSinceReferenceDate: 0))
                            try await cache.store(entry, for: key)
                            return entry.data
                        }
                    }
                }
                return try await group.reduce(into: [Data]()) { $0.append($1) }
            }
            #expect(productions.value == 1)
            #expect(results == Array(repeating: Data([1]), count: 200))
        }
    }
#endif
