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
        keepsResults, keepsFailures, checksBeforeWaiting,
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

    private static let keepsFailures = Self(
        name: "keeps failures", brokenRules: ["a caller that asks after the operation has failed starts a new one"]
    ) {
        let failures = Mutex<[String: any Error]>([:])
        return { call, base in
            if let failure = failures.withLock({ $0[call.key] }) {
                call.onProgress(WorkProgress(completedBytes: 0, totalBytes: nil))
                throw failure
            }
            do {
                return try await call.forward(to: base)
            } catch {
                failures.withLock { $0[call.key] = error }
                throw error
            }
        }
    }

    /// Waits between looking for an operation and starting one, as an actor may.
    private static let checksBeforeWaiting = Self(
        name: "waits before it starts",
        brokenRules: ["callers that ask for a key at the same moment share one operation"]
    ) {
        let known = Mutex<[String: String]>([:])
        return { call, base in
            var call = call
            let running = known.withLock { $0[call.key] }
            for _ in 0..<100 { await Task.yield() }
            let shared = running ?? "\(call.key) \(call.number)"
            known.withLock { $0[call.key] = shared }
            call.key = shared
            return try await call.forward(to: base)
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
        lastClosingCounts, ignoresHandlers,
    ]

    /// Is not closed by a handler. One that calls handlers under its lock would end the process instead.
    private static let ignoresHandlers: Self = {
        let isInHandler = Mutex(false)
        return Self(
            name: "can't be closed by a handler", brokenRules: ["a progress handler can close the coalescer"],
            makeCall: {
                { call, base in
                    var call = call
                    let onProgress = call.onProgress
                    call.onProgress = { progress in
                        isInHandler.withLock { $0 = true }
                        onProgress(progress)
                        isInHandler.withLock { $0 = false }
                    }
                    return try await call.forward(to: base)
                }
            },
            close: { error, base in
                if !isInHandler.withLock({ $0 }) { base.close(throwing: error) }
            })
    }()

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
