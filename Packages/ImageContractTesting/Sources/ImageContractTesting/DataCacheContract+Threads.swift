import Dispatch
public import ImageCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Rules for caches whose storage can block, such as files.
extension DataCacheContract {
    /// Makes an empty cache that calls `onAccess` before each access to its storage, on the same thread.
    public typealias Observable =
        @Sendable (_ byteLimit: Int, _ onAccess: @escaping @Sendable () -> Void) async throws
        -> any ImageDataCache

    /// The rules about blocking calls: they must not block the threads of the cooperative pool.
    public static var threads: [ContractRule<Observable>] {
        let operations: [(String, @Sendable (any ImageDataCache) async throws -> Void)] = [
            ("a lookup", { _ = try await $0.entry(for: key(1)) }),
            ("a write", { try await $0.store(entry(1_000, 2), for: key(2)) }),
            ("a removal", { try await $0.remove(for: key(1)) }),
            ("a removal of all entries", { try await $0.removeAll() }),
        ]
        return operations.map { name, operation in
            ContractRule("other tasks run while \(name) waits for the storage") { makeCache in
                let blocker = StorageBlocker()
                let cache = try await makeCache(100_000) { blocker.willAccess() }
                try await cache.store(entry(1_000, 1), for: key(1))
                try await blocker.check { try await operation(cache) }
            }
        }
    }
}

/// Blocks every thread that accesses the storage until an unrelated task has run.
private final class StorageBlocker: Sendable {
    private struct State {
        var isBlocked = false
        var accessCount = 0
        var isViolated = false
    }

    /// How often a thread of the pool yields before the rule fails. Few times, because each can take milliseconds on a busy
    /// machine, and no other task runs meanwhile.
    private let yieldLimit = WaitLimit.yields / 100
    /// More operations than a pool has threads.
    private static let operationCount = 256

    private let state = Mutex(State())
    /// Entered while the storage is blocked.
    private let blockade = DispatchGroup()

    /// Blocks the calling thread, which is about to access the storage.
    func willAccess() {
        let isBlocked = state.withLock { state in
            state.accessCount += 1
            return state.isBlocked
        }
        guard isBlocked else { return }
        if isOnPool { yieldUntilUnblocked() } else { blockade.wait() }
    }

    /// Whether the thread belongs to the cooperative pool.
    ///
    /// A thread without a task, or with a task that has an executor preference, may block.
    private var isOnPool: Bool {
        unsafe withUnsafeCurrentTask { task in unsafe task.map { unsafe $0.unownedTaskExecutor == nil } ?? false }
    }

    private func yieldUntilUnblocked() {
        for _ in 0..<yieldLimit {
            if state.withLock({ !$0.isBlocked }) { return }
            sched_yield()
        }
        state.withLock { state in
            state.isViolated = true
            state.isBlocked = false
        }
    }

    /// Starts more operations than the pool has threads, and then an unrelated task.
    func check(_ operation: @escaping @Sendable () async throws -> Void) async throws {
        blockade.enter()
        state.withLock { $0 = State(isBlocked: true) }
        let operations = (0..<Self.operationCount).map { _ in Task { try await operation() } }
        await Task {}.value
        _ = await WaitLimit.becomesTrue { state.withLock { $0.accessCount > 0 } }
        state.withLock { $0.isBlocked = false }
        blockade.leave()
        for operation in operations { try await operation.value }
        try expect(state.withLock { $0.accessCount > 0 }, "onAccess was never called")
        try expect(
            !state.withLock { $0.isViolated },
            "the cache blocks the threads of the cooperative pool, and no other task ran")
    }
}
