import ImageCoalescing
import ImageCore
import ImageTesting
import Synchronization

extension BrokenCoalescer.Defect {
    private static let noneAfterEnd = "progress does not reach a caller whose call has ended"
    private static let inOrder = "merged progress reaches a caller in order, and all of it before the call ends"
    private static let reachesAll =
        "progress reaches every caller, and a caller that joins late receives the latest at once, with its preview"

    /// Defects in what a caller receives.
    static let progressDefects = [
        changeProgress("loses reports", breaks: inOrder) { onProgress in
            let count = Counter()
            return { if count.next() != 3 { onProgress($0) } }
        },
        changeProgress("repeats reports", breaks: inOrder) { onProgress in
            {
                onProgress($0)
                onProgress($0)
            }
        },
        changeProgress("forgets totals", breaks: inOrder) { onProgress in
            {
                onProgress(
                    WorkProgress(completedByteCount: $0.completedByteCount, totalByteCount: nil, preview: $0.preview))
            }
        },
        changeProgress("forgets previews", breaks: inOrder, reachesAll) { onProgress in
            { onProgress(WorkProgress(completedByteCount: $0.completedByteCount, totalByteCount: $0.totalByteCount)) }
        },
        Self(name: "reports only to the first caller", brokenRules: [reachesAll]) {
            { call, base in
                var call = call
                let (onProgress, count) = (call.onProgress, Counter())
                if call.number > 0 { call.onProgress = { if count.next() == 0 { onProgress($0) } } }
                return try await call.forward(to: base)
            }
        },
        answer("reports late", breaks: noneAfterEnd) { call, base in
            defer {
                Task {
                    for _ in 0..<1_000 { await Task.yield() }
                    call.onProgress(WorkProgress(completedByteCount: 90, totalByteCount: nil))
                }
            }
            return try await call.forward(to: base)
        },
        changeProgress("does not replay progress", breaks: reachesAll) { onProgress in
            { if $0.completedByteCount != 50 { onProgress($0) } }
        },
    ]

    /// Calls each handler in `report`, even if the handler is running or its call has ended.
    static let callsHandlersDirectly = Self(
        name: "calls handlers directly",
        brokenRules: [
            "progress handlers are called one at a time, even if a handler causes a report",
            noneAfterEnd,
        ]
    ) {
        let handlers = Mutex<[@Sendable (WorkProgress) -> Void]>([])
        return { call, base in
            handlers.withLock { $0.append(call.onProgress) }
            var call = call
            let operation = call.operation
            call.onProgress = { _ in }
            call.operation = { shared in
                let direct = ChangedOperation(priority: shared.priority) { progress in
                    for handler in handlers.withLock({ $0 }) { handler(progress) }
                }
                return try await operation(direct)
            }
            return try await call.forward(to: base)
        }
    }

    private static func changeProgress(
        _ name: String, breaks rules: String...,
        change: @escaping @Sendable (@escaping @Sendable (WorkProgress) -> Void) -> @Sendable (WorkProgress) -> Void
    ) -> Self {
        Self(name: name, brokenRules: rules) {
            { call, base in
                var call = call
                call.onProgress = change(call.onProgress)
                return try await call.forward(to: base)
            }
        }
    }
}
