import ImageCoalescing
import ImageCore
import ImageTesting
import Testing

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
        resultDefects + cancellationDefects + progressDefects + [callsHandlersDirectly] + closingDefects

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
