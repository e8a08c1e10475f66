import ImageCoalescing
import ImageCore
import Synchronization
import Testing

@testable import ImageTesting

/// A real coalescer with one defect.
final class BrokenCoalescer: RequestCoalescer {
    /// The arguments of a call. A defect changes them and forwards the call to the real coalescer.
    struct Call: Sendable {
        typealias Operation = @Sendable (any SharedOperation) async throws -> Int

        /// The number of the call, from 0.
        let number: Int
        var key: String
        var priority: LivePriority
        var onProgress: @Sendable (WorkProgress) -> Void
        var operation: Operation

        func forward(to base: any RequestCoalescer<String, Int>) async throws -> Int {
            try await base.value(for: key, priority: priority, onProgress: onProgress, operation: operation)
        }
    }

    struct Defect: Sendable {
        let name: String
        let brokenRules: [String]
        /// Makes the function that answers the calls of one coalescer.
        var makeCall: @Sendable () -> @Sendable (Call, TaskCoalescer<String, Int>) async throws -> Int = {
            { call, base in try await call.forward(to: base) }
        }
        var close: @Sendable (any Error, TaskCoalescer<String, Int>) -> Void = { $1.close(throwing: $0) }
    }

    private let defect: Defect
    private let call: @Sendable (Call, TaskCoalescer<String, Int>) async throws -> Int
    private let base = TaskCoalescer<String, Int>()
    private let calls = Counter()

    init(_ defect: Defect) {
        self.defect = defect
        call = defect.makeCall()
    }

    func value(
        for key: String, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping Call.Operation
    ) async throws -> Int {
        let arguments = Call(
            number: calls.next(), key: key, priority: priority, onProgress: onProgress, operation: operation)
        return try await call(arguments, base)
    }

    func close(throwing error: any Error) { defect.close(error, base) }
}

extension BrokenCoalescer.Defect: CustomTestStringConvertible {
    var testDescription: String { name }

    static let none = Self(name: "none", brokenRules: [])

    static let all =
        resultDefects + cancellationDefects + progressDefects + [
            Self(name: "ignores close", brokenRules: [closes], close: { _, _ in })
        ]

    /// Changes the arguments of each call.
    static func change(
        _ name: String, breaks rules: String..., change: @escaping @Sendable (inout BrokenCoalescer.Call) -> Void
    ) -> Self {
        Self(name: name, brokenRules: rules) {
            { call, base in
                var call = call
                change(&call)
                return try await call.forward(to: base)
            }
        }
    }

    /// Answers the calls with a function.
    static func answer(
        _ name: String, breaks rules: String...,
        answer: @escaping @Sendable (BrokenCoalescer.Call, TaskCoalescer<String, Int>) async throws -> Int
    ) -> Self {
        Self(name: name, brokenRules: rules) { answer }
    }
}

extension BrokenCoalescer.Defect {
    private static let receivesResults =
        "callers receive the operation's value or error, never its CancellationError, and later callers start a new one"
    private static let shares = "callers that ask for a key while its operation runs share it"
    private static let highestPriority =
        "an operation has the highest of its callers' priorities, and callers that leave do not affect the others"
    private static let endsAtOnce =
        "a cancelled call throws CancellationError at once, and the last one cancels the operation's task"
    private static let reachesAll =
        "progress reaches every caller, and a caller that joins late receives the latest at once, with its preview"
    private static let closes =
        "the first closing ends current and later calls with its error, and cancels the operations"

    private static let resultDefects = [
        change("shares nothing", breaks: shares, highestPriority) { $0.key += "\($0.number)" },
        change("ignores keys", breaks: shares) { $0.key = "key" },
        change("copies the priority", breaks: highestPriority) { $0.priority = LivePriority($0.priority.value) },
        keepsResults,
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

    private static let cancellationDefects = [
        answer("waits for the operation's end", breaks: endsAtOnce) { call, base in
            let value = try await Task { try await call.forward(to: base) }.value
            try Task.checkCancellation()
            return value
        },
        change("never cancels", breaks: endsAtOnce) { call in
            let operation = call.operation
            call.operation = { shared in try await Task.detached { try await operation(shared) }.value }
        },
    ]

    private static let progressDefects = [
        change("forgets previews", breaks: reachesAll) { call in
            let onProgress = call.onProgress
            call.onProgress = { onProgress($0.withoutPreview) }
        },
        change("reports only to the first caller", breaks: reachesAll) { call in
            let (onProgress, count) = (call.onProgress, Counter())
            if call.number > 0 { call.onProgress = { if count.next() == 0 { onProgress($0) } } }
        },
        change("does not replay progress", breaks: reachesAll) { call in
            let onProgress = call.onProgress
            call.onProgress = { if $0.completedByteCount != 50 { onProgress($0) } }
        },
    ]
}
