import ImageCore
import ImageLoading

/// The calls and operations in progress, as observed outside of the coalescers and the scheduler.
struct ExpectedState: Sendable {
    /// A call of a coalescer. It counts until it is cancelled or its operation ends.
    struct Caller: Sendable {
        var priority: LivePriority
        /// The operation that makes the call; nil for a request or a prefetch.
        var parent: OperationID?
        var isPrefetch = false
    }

    struct Operation: Sendable {
        var key: OperationKey
        var shared: any SharedOperation
        var isCancelled = false
        var transferCount = 0
    }

    private(set) var callers: [OperationKey: [CallID: Caller]] = [:]
    private(set) var operations: [OperationID: Operation] = [:]
    /// The cancelled calls of coalescers that have not returned.
    private(set) var cancelledCalls: Set<CallID> = []
    var lanes = ExpectedLanes()
    private(set) var prefetching = ExpectedPrefetching()
    private var lastID = 0

    var isEmpty: Bool { callers.isEmpty && operations.isEmpty && cancelledCalls.isEmpty && lanes.isEmpty }

    /// The number of requests and prefetches that wait.
    var requestCount: Int { callers.values.reduce(0) { $0 + $1.values.count { $0.parent == nil } } }

    var prefetchCount: Int { callers.values.reduce(0) { $0 + $1.values.count(where: \.isPrefetch) } }

    private mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    // MARK: Calls of coalescers

    mutating func called(_ key: OperationKey, _ caller: Caller) -> CallID {
        let id = CallID(rawValue: makeID())
        callers[key, default: [:]][id] = caller
        if caller.isPrefetch { prefetching.called() }
        return id
    }

    mutating func cancelled(_ id: CallID, _ key: OperationKey) {
        remove(id, key)
        cancelledCalls.insert(id)
    }

    mutating func returned(_ id: CallID, _ key: OperationKey) {
        remove(id, key)
        cancelledCalls.remove(id)
    }

    private mutating func remove(_ id: CallID, _ key: OperationKey) {
        callers[key]?[id] = nil
        if callers[key]?.isEmpty == true { callers[key] = nil }
    }

    /// Checks progress that a call receives.
    func progressed(_ id: CallID, _ key: OperationKey) -> Violation? {
        if callers[key]?[id] != nil { return nil }
        let promise: Promise = cancelledCalls.contains(id) ? .nothingAfterCancellation : .endsOnce
        return Violation(promise, "a call receives progress after its end: \(key.text)")
    }

    /// Ends all calls.
    mutating func closed() { callers = [:] }

    // MARK: Operations

    mutating func operationStarted(_ key: OperationKey, _ shared: any SharedOperation) -> OperationID {
        let id = OperationID(rawValue: makeID())
        operations[id] = Operation(key: key, shared: shared)
        return id
    }

    mutating func operationCancelled(_ id: OperationID) { operations[id]?.isCancelled = true }

    /// Ends an operation. Unless it was cancelled, all calls for its key receive its result.
    mutating func operationEnded(_ id: OperationID) {
        guard let operation = operations.removeValue(forKey: id), !operation.isCancelled else { return }
        callers[operation.key] = nil
    }

    mutating func transferStarted(_ id: OperationID) -> Violation? {
        operations[id]?.transferCount += 1
        guard let operation = operations[id], !operation.isCancelled else {
            return Violation(.noUnusedWork, "a cancelled operation sends a request")
        }
        return nil
    }

    mutating func transferEnded(_ id: OperationID) { operations[id]?.transferCount -= 1 }

    // MARK: Calls of the scheduler

    /// - Parameter operation: Nil for a preview, which is made in a separate task with its operation's priority.
    mutating func enqueued(
        in lane: WorkLane, server: String?, _ priority: LivePriority, by operation: OperationID?
    ) -> CallID {
        let id = CallID(rawValue: makeID())
        let owner = operation ?? operations.first { $1.shared.priority === priority }?.key
        lanes.enqueued(
            id, .init(lane: lane, server: server, priority: priority, operation: owner, isPreview: operation == nil))
        return id
    }

    // MARK: Prefetchers

    /// - Parameter runningCount: The maximum number of running prefetches.
    mutating func prefetchingPaused(runningCount: Int) { prefetching.pause(callsLeft: runningCount - prefetchCount) }

    mutating func prefetchingResumed() { prefetching.resume() }
}

/// Checks that prefetchers run a limited number of requests, and start none while paused.
struct ExpectedPrefetching: Sendable {
    static let limit = 2
    /// The limit of all prefetchers together.
    static let totalLimit = limit * ImagePrefetcher.Destination.allCases.count
    /// The number of prefetches that ran at the start of the pause and have not called a coalescer; nil without a
    /// pause.
    private var callsLeft: Int?

    mutating func pause(callsLeft: Int) { self.callsLeft = self.callsLeft ?? callsLeft }

    mutating func resume() { callsLeft = nil }

    mutating func called() { callsLeft? -= 1 }

    /// - Parameter count: The number of prefetches that wait for an operation.
    func violation(count: Int) -> Violation? {
        if count > Self.totalLimit { return Violation(.limits, "\(count) prefetches run, allowed \(Self.totalLimit)") }
        if let callsLeft, callsLeft < 0 { return Violation(.pausing, "a prefetch starts while paused") }
        return nil
    }
}
