#if RedisCaching
    import ImageRedisCaching
    import ImageTesting
    import Synchronization
    import Testing

    @Suite("A lease of work that many processes share")
    struct DistributedLeaseTests {
        private let clock = ManualClock()
        private let store = InMemoryLeaseStore()
        /// The shared cache.
        private let values = Watched<[String: Int]>([:])

        private func lease(waitLimit: Duration = .seconds(10)) -> DistributedLease {
            DistributedLease(store: store, waitLimit: waitLimit, clock: clock)
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
            let gate = Gate()
            let first = Task {
                try await value(lease()) {
                    await gate.pass()
                    return 1
                }
            }
            await gate.arrivals(1)
            let others = (1...5).map { _ in
                Task {
                    try await value(lease()) {
                        Issue.record("the work is done twice")
                        return 2
                    }
                }
            }
            await clock.sleepers(5)
            gate.open()
            #expect(try await first.value == 1)
            clock.advance(by: .milliseconds(20))
            for other in others { #expect(try await other.value == 1) }
        }

        @Test("after the limit, a waiter does the work itself")
        func waitLimit() async throws {
            store.hold("a")
            let waiter = Task { try await value(lease(waitLimit: .milliseconds(100))) { 2 } }
            // The pauses are 20, 30, 45 and the last 5 milliseconds.
            for pause in [20, 30, 45, 5] {
                await clock.sleepers(1)
                clock.advance(by: .milliseconds(pause) - .microseconds(1))
                await clock.sleepers(1)
                clock.advance(by: .microseconds(1))
            }
            #expect(try await waiter.value == 2)
            #expect(store.log.value == Array(repeating: .acquire(.held), count: 5))
        }

        @Test("a waiter acquires the lease of a holder that ended")
        func holderEnds() async throws {
            store.hold("a")
            let waiter = Task { try await value(lease()) { 3 } }
            await clock.sleepers(1)
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
            await clock.sleepers(1)
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
#endif
