import ImageCore
import ImageLoading

extension ExpectedState {
    /// The conditions at the time of a check.
    struct Moment: Sendable {
        /// Whether all work that the scheduler has chosen has started.
        var chosenWorkHasStarted: Bool
        /// Whether no task can take a step.
        var isIdle: Bool
    }

    /// Returns the first broken promise, or nil.
    mutating func violation(at moment: Moment) -> Violation? {
        let highest = highestPriorities
        return violationOfSharing() ?? violationOfParents(highest) ?? violationOfPriorities(highest)
            ?? violationOfWaitingWork(highest) ?? prefetching.violation(count: prefetchCount)
            ?? lanes.violationOfOrder(moment) ?? (moment.isIdle ? violationOfReturning() : nil)
    }

    private var highestPriorities: [OperationKey: RequestPriority] {
        callers.compactMapValues { callers in callers.values.lazy.map(\.priority.value).max() }
    }

    /// Checks that there is one operation per key, with one transfer, and none without callers.
    private func violationOfSharing() -> Violation? {
        var shared: Set<OperationKey> = []
        for operation in operations.values where !operation.isCancelled {
            let key = operation.key
            guard callers[key] != nil else { return Violation(.noUnusedWork, key.text) }
            guard shared.insert(key).inserted else { return Violation(.oneOperationPerKey, key.text) }
            let transfers = operation.transferCount
            if transfers > 1 { return Violation(.oneOperationPerKey, "\(transfers) transfers: \(key.text)") }
        }
        return nil
    }

    private func violationOfParents(_ highest: [OperationKey: RequestPriority]) -> Violation? {
        for caller in callers.values.lazy.flatMap(\.values) {
            guard let id = caller.parent else { continue }
            guard let parent = operations[id], !parent.isCancelled else {
                return Violation(.noUnusedWork, "a cancelled operation waits for another")
            }
            if let violation = violation("waits", at: caller.priority, parent, highest) { return violation }
        }
        return nil
    }

    private func violationOfPriorities(_ highest: [OperationKey: RequestPriority]) -> Violation? {
        for operation in operations.values where !operation.isCancelled {
            if let violation = violation("runs", at: operation.shared.priority, operation, highest) { return violation }
        }
        return nil
    }

    /// Checks waiting work. A preview may wait until its cancelled operation takes its next step.
    private func violationOfWaitingWork(_ highest: [OperationKey: RequestPriority]) -> Violation? {
        var previews: Set<OperationID> = []
        for work in lanes.waiting.values {
            guard let id = work.operation, let operation = operations[id], work.isPreview || !operation.isCancelled
            else { return Violation(.noUnusedWork, "work of a cancelled operation waits in a lane") }
            if work.isPreview, !previews.insert(id).inserted {
                return Violation(.limits, "two previews wait: \(operation.key.text)")
            }
            if operation.isCancelled { continue }
            if let violation = violation("waits in a lane", at: work.priority, operation, highest) { return violation }
        }
        return nil
    }

    private func violation(
        _ what: String, at priority: LivePriority, _ operation: Operation, _ highest: [OperationKey: RequestPriority]
    ) -> Violation? {
        guard let expected = highest[operation.key], priority.value != expected else { return nil }
        return Violation(
            .highestPriority, "an operation \(what) at \(priority.value) instead of \(expected): \(operation.key.text)")
    }

    private func violationOfReturning() -> Violation? {
        if cancelledCalls.isEmpty && lanes.cancelledCalls.isEmpty { return nil }
        return Violation(.endsOnce, "a cancelled call does not return")
    }
}
