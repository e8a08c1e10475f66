import ImageCoalescing
import ImageCore
import ImageTesting
import Synchronization

extension BrokenCoalescer.Defect {
    // MARK: Results

    static let resultDefects = [
        change(
            "shares nothing", breaks: "callers that ask for a key while its operation runs share it",
            "the operation has the highest of its callers' priorities", "progress reaches every caller of the operation"
        ) { call in
            call.key += "\(call.number)"
        },
        change("ignores keys", breaks: "callers of different keys share nothing") { $0.key = "key" },
        keepsResults,
        answer("replaces errors", breaks: "the operation's error reaches each of its callers") { call, base in
            do { return try await call.forward(to: base) } catch is DecodingFailure { return 0 }
        },
        answer("never ends some calls", breaks: "a call that is made or cancelled at any moment ends exactly once") {
            call, base in
            let value = try await call.forward(to: base)
            if call.number > 5 { await Gate().pass() }
            return value
        },
        answer("returns other values", breaks: "a call that is made or cancelled at any moment ends exactly once") {
            call, base in
            let value = try await call.forward(to: base)
            return call.number > 5 ? value + 1 : value
        },
        answer(
            "inherits task-local values", breaks: "the operation inherits no task-local values from its caller"
        ) { call, base in
            var call = call
            let shared = Watched<(any SharedOperation)?>(nil)
            let inheriting = Task { [operation = call.operation] in
                await shared.reaches { $0 != nil }
                guard let shared = shared.value else { throw CancellationError() }
                return try await operation(shared)
            }
            call.operation = { operation in
                shared.change { $0 = operation }
                return try await inheriting.value
            }
            return try await call.forward(to: base)
        },
    ]

    /// Stores results, as a cache does.
    private static let keepsResults = Self(
        name: "keeps results", brokenRules: ["a caller that asks after the operation has ended starts a new one"]
    ) {
        let results = Mutex<[String: Int]>([:])
        return { call, base in
            if let result = results.withLock({ $0[call.key] }) {
                call.onProgress(WorkProgress(completedBytes: 0, totalBytes: nil))
                return result
            }
            let result = try await call.forward(to: base)
            results.withLock { $0[call.key] = result }
            return result
        }
    }

    // MARK: Cancellation

    static let cancellationDefects = [
        answer(
            "passes on CancellationError",
            breaks: "an operation that throws CancellationError without being cancelled fails with another error"
        ) { call, base in
            do {
                return try await call.forward(to: base)
            } catch CoalescingFailure.operationCancelledItself {
                throw CancellationError()
            }
        },
        answer(
            "waits for the operation's end",
            breaks: "a cancelled call throws CancellationError at once, while its operation still runs"
        ) { call, base in
            let value = try await Task { try await call.forward(to: base) }.value
            try Task.checkCancellation()
            return value
        },
        change("never cancels", breaks: "when the last caller leaves, the operation's task is cancelled") { call in
            let operation = call.operation
            call.operation = { shared in try await Task.detached { try await operation(shared) }.value }
        },
        joinsCancelledOperations,
        answer("starts for cancelled tasks", breaks: "a task that is cancelled before it calls starts no operation") {
            call, base in
            if Task.isCancelled { _ = try await Task { try await call.forward(to: base) }.value }
            return try await call.forward(to: base)
        },
        cancelsForAll,
    ]

    /// Another caller keeps each operation alive.
    private static let joinsCancelledOperations = answer(
        "joins cancelled operations",
        breaks:
            "callers that ask after the last one has left start a new operation, while the cancelled one still runs",
        "when the last caller leaves, the operation's task is cancelled"
    ) { call, base in
        if call.number == 0 {
            var other = call
            other.priority = LivePriority(.veryLow)
            other.onProgress = { _ in }
            Task { [other] in try await other.forward(to: base) }
        }
        return try await call.forward(to: base)
    }

    private static let cancelsForAll = Self(
        name: "cancels for all callers", brokenRules: ["a caller that leaves does not affect the others"]
    ) {
        let leaving = Gate()
        return { call, base in
            var call = call
            let operation = call.operation
            call.operation = { shared in
                let task = Task { try await operation(shared) }
                Task {
                    await leaving.whenOpen()
                    task.cancel()
                }
                return try await task.value
            }
            return try await withTaskCancellationHandler { [call] in
                try await call.forward(to: base)
            } onCancel: {
                leaving.open()
            }
        }
    }

    // MARK: Priority

    static let priorityDefects = [
        change(
            "copies the priority", breaks: "the operation's priority changes with its caller's",
            "observers of the operation's priority are called after each change"
        ) { call in
            call.priority = LivePriority(call.priority.value)
        },
        changeOperation("hides priorities", breaks: "the operation has the highest of its callers' priorities") { _ in
            LivePriority(.normal)
        },
        Self(
            name: "misses changes during the join",
            brokenRules: ["a priority that changes while the caller joins takes effect"], makeCall: followsLater),
        changeOperation(
            "notifies once", breaks: "observers of the operation's priority are called after each change",
            "observers of the operation's priority are called after each change of the maximum"
        ) { priority in
            let copy = LivePriority(priority.value)
            _ = priority.observe { if copy.value == .low { copy.set($0.value) } }
            return copy
        },
        Self(
            name: "keeps the influence of calls that have ended",
            brokenRules: ["a call that has ended has no influence on the operation's priority"],
            makeCall: followsForever),
    ]

    /// Uses a copy of the caller's priority that only changes after the first progress.
    @Sendable private static func followsLater()
        -> @Sendable (BrokenCoalescer.Call, TaskCoalescer<String, Int>) async throws -> Int
    {
        { call, base in
            var call = call
            let (caller, copy) = (call.priority, LivePriority(call.priority.value))
            let onProgress = call.onProgress
            call.priority = copy
            call.onProgress = {
                onProgress($0)
                _ = caller.observe { copy.set($0.value) }
            }
            return try await call.forward(to: base)
        }
    }

    /// The first caller's priority follows those of all callers.
    @Sendable private static func followsForever()
        -> @Sendable (BrokenCoalescer.Call, TaskCoalescer<String, Int>) async throws -> Int
    {
        let all = LivePriority(.veryLow)
        return { call, base in
            _ = all.follow(call.priority)
            var call = call
            call.priority = all
            return try await call.forward(to: base)
        }
    }

    private static func changeOperation(
        _ name: String, breaks rules: String..., change: @escaping @Sendable (LivePriority) -> LivePriority
    ) -> Self {
        Self(name: name, brokenRules: rules) {
            { call, base in
                var call = call
                let operation = call.operation
                call.operation = { shared in
                    try await operation(ChangedOperation(priority: change(shared.priority), onReport: shared.report))
                }
                return try await call.forward(to: base)
            }
        }
    }

    // MARK: Closing

    static let closingDefects = [
        Self(
            name: "ignores close",
            brokenRules: [
                "closing ends every call with its error, and cancels the operations",
                "callers that ask after closing start nothing and receive its error",
            ], close: { _, _ in }),
        Self(
            name: "closes with CancellationError",
            brokenRules: ["closing ends every call with its error, and cancels the operations"],
            close: { $1.close(throwing: CancellationError()) }),
        lastClosingCounts,
    ]

    private static let lastClosingCounts: Self = {
        let error = Mutex<(any Error)?>(nil)
        return Self(
            name: "the last closing counts", brokenRules: ["only the first call of close has an effect"],
            makeCall: {
                { call, base in
                    do { return try await call.forward(to: base) } catch is ImageError {
                        throw error.withLock { $0 } ?? CancellationError()
                    }
                }
            },
            close: { newError, base in
                error.withLock { $0 = newError }
                base.close(throwing: newError)
            })
    }()
}

final class ChangedOperation: SharedOperation {
    let priority: LivePriority
    private let onReport: @Sendable (WorkProgress) -> Void

    init(priority: LivePriority, onReport: @escaping @Sendable (WorkProgress) -> Void) {
        self.priority = priority
        self.onReport = onReport
    }

    func report(_ progress: WorkProgress) { onReport(progress) }
}
