#if RedisCaching
    import Foundation
    import ImageCore
    import ImageRedisCaching
    import ImageTesting
    import RedisServerProcess
    import Synchronization
    import Testing

    @Suite("A lease of work that many processes share")
    struct DistributedLeaseTests {
        private let clock = ManualClock()
        private let store = InMemoryLeaseStore()
        /// The shared cache.
        private let values = Watched<[String: Int]>([:])

        private func lease(maxWait: Duration = .seconds(10)) -> DistributedLease {
            DistributedLease(store: store, maxWait: maxWait, clock: clock)
        }

        private func value(_ lease: DistributedLease, produce: () async throws -> Int) async throws -> Int {
            try await lease.value(for: "a") {
                values.value["a"]
            } produce: {
                let value = try await produce()
                values.change { $0["a"] = value }
                return value
            }
        }

        @Test("a stored value is returned without a lease")
        func found() async throws {
            values.change { $0["a"] = 7 }
            let result = try await value(lease()) {
                Issue.record("the work is done")
                return 0
            }
            #expect(result == 7)
            #expect(store.log.value.isEmpty)
        }

        @Test("the first caller does the work and releases the lease")
        func produced() async throws {
            #expect(try await value(lease()) { 1 } == 1)
            #expect(store.log.value == [.acquire(.acquired), .release])
            #expect(store.holder(of: "a") == nil)
        }

        @Test("other callers wait for the result, and the work is done once")
        func shared() async throws {
            let gate = TestGate()
            let first = Task {
                try await value(lease()) {
                    await gate.pass()
                    return 1
                }
            }
            await gate.waitForArrivals(1)
            let others = (1...5).map { _ in
                Task {
                    try await value(lease()) {
                        Issue.record("the work is done twice")
                        return 2
                    }
                }
            }
            await clock.waitForSleepers(5)
            gate.open()
            #expect(try await first.value == 1)
            clock.advance(by: .milliseconds(20))
            for other in others { #expect(try await other.value == 1) }
        }

        @Test("after the limit, a waiter does the work itself")
        func maxWait() async throws {
            store.hold("a")
            let waiter = Task { try await value(lease(maxWait: .milliseconds(100))) { 2 } }
            // The pauses are 20, 30, 45 and the last 5 milliseconds.
            for pause in [20, 30, 45, 5] {
                await clock.waitForSleepers(1)
                clock.advance(by: .milliseconds(pause) - .microseconds(1))
                await clock.waitForSleepers(1)
                clock.advance(by: .microseconds(1))
            }
            #expect(try await waiter.value == 2)
            #expect(store.log.value == Array(repeating: .acquire(.held), count: 5))
        }

        @Test("the pauses of a waiter grow to 250 milliseconds")
        func longestPause() async throws {
            store.hold("a")
            let waiter = Task { try await value(lease(maxWait: .seconds(1))) { 2 } }
            // The last pause is what is left of the second.
            for pause in [20, 30, 45, 67.5, 101.25, 151.875, 227.8125, 250, 106.5625] {
                await clock.waitForSleepers(1)
                clock.advance(by: .nanoseconds(Int(pause * 1_000_000)))
            }
            #expect(try await waiter.value == 2)
            #expect(store.log.value.count == 10)
        }

        @Test("a waiter acquires the lease of a holder that ended")
        func holderEnds() async throws {
            store.hold("a")
            let waiter = Task { try await value(lease()) { 3 } }
            await clock.waitForSleepers(1)
            store.expire("a")
            clock.advance(by: .milliseconds(20))
            #expect(try await waiter.value == 3)
        }

        @Test("the next caller does the work after a failure")
        func failure() async throws {
            struct Broken: Error {}
            await #expect(throws: Broken.self) { try await value(lease()) { throw Broken() } }
            #expect(store.holder(of: "a") == nil)
            #expect(try await value(lease()) { 4 } == 4)
        }

        @Test("without a store of leases, each caller does the work itself")
        func unavailable() async throws {
            store.fail()
            #expect(try await value(lease()) { 5 } == 5)
            #expect(store.log.value == [.acquire(.unavailable)])
        }

        @Test("a value that was stored just before the lease was acquired is returned")
        func storedMeanwhile() async throws {
            let lookups = Mutex(0)
            let result = try await lease().value(for: "a") {
                lookups.withLock { count -> Int? in
                    count += 1
                    return count == 2 ? 6 : nil
                }
            } produce: { () async throws -> Int in
                Issue.record("the work is done")
                return 0
            }
            #expect(result == 6)
            #expect(store.log.value == [.acquire(.acquired), .release])
        }

        @Test("a cancelled waiter stops waiting")
        func cancelled() async throws {
            store.hold("a")
            let waiter = Task {
                try await value(lease()) {
                    try Task.checkCancellation()
                    return 0
                }
            }
            await clock.waitForSleepers(1)
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
        }
    }

    /// Leases in memory, which never end by themselves.
    private final class InMemoryLeaseStore: LeaseStore {
        enum Message: Hashable, Sendable {
            case acquire(LeaseAcquisition)
            case release
        }

        let log = Watched<[Message]>([])
        private let state = Mutex((holders: [String: String](), isBroken: false))

        func holder(of key: String) -> String? { state.withLock { $0.holders[key] } }

        /// Gives the lease to another holder.
        func hold(_ key: String) { state.withLock { $0.holders[key] = "another" } }

        func expire(_ key: String) { state.withLock { $0.holders[key] = nil } }

        func fail() { state.withLock { $0.isBroken = true } }

        func acquire(_ key: String, token: String, for duration: Duration) async -> LeaseAcquisition {
            let result = state.withLock { state -> LeaseAcquisition in
                if state.isBroken { return .unavailable }
                if state.holders[key] != nil { return .held }
                state.holders[key] = token
                return .acquired
            }
            log.change { $0.append(.acquire(result)) }
            return result
        }

        func release(_ key: String, token: String) async {
            state.withLock { if $0.holders[key] == token { $0.holders[key] = nil } }
            log.change { $0.append(.release) }
        }
    }

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

        @Test("leases of two namespaces are separate")
        func namespaces() async throws {
            let server = try await RedisServerProcess()
            for name in ["first", "second"] {
                let store = RedisLeaseStore(sharing: try RedisDataCache(on: server) { $0.namespace = name })
                #expect(await store.acquire("a", token: name, for: minute) == .acquired)
            }
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
            let key = DataCacheKey(identifier: "a")
            let productions = Watched(0)
            let results = try await withThrowingTaskGroup(of: Data.self) { group in
                for number in 0..<200 {
                    let cache = caches[number % 2]
                    let lease = DistributedLease(
                        store: RedisLeaseStore(sharing: cache), duration: .seconds(600), maxWait: .seconds(600),
                        clock: ContinuousClock())
                    group.addTask {
                        try await lease.value(for: key.identifier) {
                            await cache.entry(for: key)?.data
                        } produce: {
                            let count = productions.change { count in
                                count += 1
                                return count
                            }
                            let entry = DataCacheEntry(
                                data: Data([UInt8(count)]), creationDate: Date(timeIntervalSinceReferenceDate: 0))
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
