import ImageCoalescing
import ImageCore
import ImageTesting
import Synchronization

extension BrokenCoalescer.Defect {
    private static let receivesResults =
        "callers receive the operation's value or error, never its CancellationError, and later callers start a new one"
    private static let shares = "callers that ask for a key while its operation runs share it"
    static let highestPriority =
        "an operation has the highest of its callers' priorities, and callers that leave do not affect the others"
    private static let closes =
        "the first closing ends current and later calls with its error, and cancels the operations"

    // MARK: Results

    static let resultDefects = [
        change("shares nothing", breaks: shares, highestPriority) { $0.key += "\($0.number)" },
        change("ignores keys", breaks: shares) { $0.key = "key" },
        change("copies the priority", breaks: highestPriority) { $0.priority = LivePriority($0.priority.value) },
        keepsResults, checksBeforeWaiting,
        answer("replaces errors", breaks: receivesResults) { call, base in
            do { return try await call.forward(to: base) } catch is ImageDecodingError { return 0 }
        },
        answer("passes on CancellationError", breaks: receivesResults) { call, base in
            do {
                return try await call.forward(to: base)
            } catch CoalescingError.operationCancelledItself {
                throw CancellationError()
            }
        },
        answer("never ends some calls", breaks: "a call that is made or cancelled at any moment ends exactly once") {
            call, base in
            let value = try await call.forward(to: base)
            if call.number > 5 { await TestGate().pass() }
            return value
        },
    ]

    /// Stores results, as a cache does.
    private static let keepsResults = Self(name: "keeps results", brokenRules: [receivesResults]) {
        let results = Mutex<[String: Int]>([:])
        return { call, base in
            if let result = results.withLock({ $0[call.key] }) {
                call.onProgress(WorkProgress(completedByteCount: 0, totalByteCount: nil))
                return result
            }
            let result = try await call.forward(to: base)
            results.withLock { $0[call.key] = result }
            return result
        }
    }

    /// Waits between looking for an operation and starting one, as an actor may.
    private static let checksBeforeWaiting = Self(name: "waits before it starts", brokenRules: [shares]) {
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

    // MARK: Closing

    static let closingDefects = [
        Self(name: "ignores close", brokenRules: [closes], close: { _, _ in }), lastClosingCounts,
    ]

    private static let lastClosingCounts: Self = {
        let error = Mutex<(any Error)?>(nil)
        return Self(
            name: "the last closing counts", brokenRules: [closes],
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
