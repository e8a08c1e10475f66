import Dispatch
public import ImageCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// For caches that read and write files or the like.
extension DataCacheContract {
    /// Makes an empty cache that calls `onAccess` on the thread that is about to touch the store, each time.
    public typealias Observable =
        @Sendable (_ byteLimit: Int, _ onAccess: @escaping @Sendable () -> Void) async throws
        -> any DataCache

    public static var threads: [ContractRule<Observable>] {
        let operations: [(String, @Sendable (any DataCache) async throws -> Void)] = [
            ("a look-up", { _ = try await $0.entry(for: key(1)) }),
            ("a store", { try await $0.store(entry(1_000, 2), for: key(2)) }),
            ("a removal", { try await $0.remove(for: key(1)) }),
            ("a removal of everything", { try await $0.removeAll() }),
        ]
        return operations.map { name, operation in
            ContractRule("while the store stands still in \(name), the tasks of others go on") { makeCache in
                let standstill = Standstill()
                let cache = try await makeCache(100_000) { standstill.pass() }
                try await cache.store(entry(1_000, 1), for: key(1))
                try await standstill.check { try await operation(cache) }
            }
        }
    }
}

/// Holds every thread that touches a store until a task that has nothing to do with it has run.
private final class Standstill: Sendable {
    private struct State {
        var isClosed = false
        var arrivals = 0
        var isViolated = false
    }

    /// How often a thread of a task gives way to others before it takes them for lost.
    private static let patience = 100_000
    /// More than any pool has threads.
    private static let operationCount = 256

    private let state = Mutex(State())
    /// Entered while the store stands still.
    private let standing = DispatchGroup()

    /// To be called by a thread that is about to touch the store.
    func pass() {
        let isHeld = state.withLock { state in
            state.arrivals += 1
            return state.isClosed
        }
        guard isHeld else { return }
        if isOnPool { giveWay() } else { standing.wait() }
    }

    /// A thread that runs no task, or one that prefers an executor of its own, is none of the pool's, and may wait for as long as it
    /// takes.
    private var isOnPool: Bool {
        unsafe withUnsafeCurrentTask { task in unsafe task.map { unsafe $0.unownedTaskExecutor == nil } ?? false }
    }

    private func giveWay() {
        for _ in 0..<Self.patience {
            if state.withLock({ !$0.isClosed }) { return }
            sched_yield()
        }
        state.withLock { state in
            state.isViolated = true
            state.isClosed = false
        }
    }

    /// Starts more operations than the pool has threads, and behind them a bystander.
    func check(_ operation: @escaping @Sendable () async throws -> Void) async throws {
        standing.enter()
        state.withLock { $0 = State(isClosed: true) }
        let operations = (0..<Self.operationCount).map { _ in Task { try await operation() } }
        await Task {}.value
        _ = await Patience.comesTrue { state.withLock { $0.arrivals > 0 } }
        state.withLock { $0.isClosed = false }
        standing.leave()
        for operation in operations { try await operation.value }
        try expect(state.withLock { $0.arrivals > 0 }, "it never told of an access to the store")
        try expect(
            !state.withLock { $0.isViolated }, "it waits on threads of the cooperative pool, and no other task ran")
    }
}
