import ImageCoalescing
import ImageCore
import ImageTesting
import Synchronization

extension BrokenCoalescer.Defect {
    private static let endsAtOnce =
        "a cancelled call throws CancellationError at once, and the last one cancels the operation's task"
    private static let startsAnother =
        "callers that ask after the last one has left receive nothing of the cancelled operation, which still runs"

    static let cancellationDefects = [
        answer("waits for the operation's end", breaks: endsAtOnce) { call, base in
            let value = try await Task { try await call.forward(to: base) }.value
            try Task.checkCancellation()
            return value
        },
        change("never cancels", breaks: endsAtOnce) { call in
            let operation = call.operation
            call.operation = { shared in try await Task.detached { try await operation(shared) }.value }
        },
        joinsCancelledOperations, removesNewerAtEnd, reportsToNewer,
        answer("starts for cancelled tasks", breaks: "a task that is cancelled before it calls starts no operation") {
            call, base in
            if Task.isCancelled { _ = try await Task { try await call.forward(to: base) }.value }
            return try await call.forward(to: base)
        },
        cancelsForAll,
    ]

    /// Another caller keeps each operation alive.
    private static let joinsCancelledOperations = answer(
        "joins cancelled operations", breaks: startsAnother, endsAtOnce
    ) { call, base in
        if call.number == 0 {
            var other = call
            other.priority = LivePriority(.veryLow)
            other.onProgress = { _ in }
            Task { [other] in try await other.forward(to: base) }
        }
        return try await call.forward(to: base)
    }

    /// Removes the operation of its key, even if it is another one.
    private static let removesNewerAtEnd = Self(
        name: "removes a newer operation at the end of an older one",
        brokenRules: [
            "the late end of a cancelled operation leaves the newer one for its key, and callers still join that"
        ]
    ) {
        let ends = Mutex<[String: Int]>([:])
        return { call, base in
            var call = call
            let (key, operation) = (call.key, call.operation)
            call.key += " \(ends.withLock { $0[key, default: 0] })"
            call.operation = { shared in
                defer { ends.withLock { $0[key, default: 0] += 1 } }
                return try await operation(shared)
            }
            return try await call.forward(to: base)
        }
    }

    /// Finds the receivers of a report by its key.
    private static let reportsToNewer = Self(
        name: "reports to the newest operation of the key",
        brokenRules: [startsAnother]
    ) {
        let newest = Mutex<[String: any SharedOperation]>([:])
        return { call, base in
            var call = call
            let (key, operation) = (call.key, call.operation)
            call.operation = { shared in
                newest.withLock { $0[key] = shared }
                let redirected = ChangedOperation(priority: shared.priority) { progress in
                    newest.withLock { $0[key] }?.report(progress)
                }
                return try await operation(redirected)
            }
            return try await call.forward(to: base)
        }
    }

    private static let cancelsForAll = Self(name: "cancels for all callers", brokenRules: [highestPriority]) {
        let leaving = TestGate()
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
}
