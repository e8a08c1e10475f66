import ImageCore

/// A caller that waits for an operation.
struct OperationCaller: Sendable {
    let id: Int
    let onProgress: @Sendable (WorkProgress) -> Void
    /// Called once. The error is nil if the caller receives the operation's result.
    let onEnd: @Sendable ((any Error)?) -> Void
}

/// A state machine for the callers of an operation: each event adds calls to make. It uses no tasks and no locks.
struct OperationState: Sendable {
    enum Call: Sendable {
        case progress(WorkProgress, [OperationCaller])
        /// The error is nil if the callers receive the operation's result.
        case end([OperationCaller], (any Error)?)
        case cancel(Task<Void, Never>)
    }

    private(set) var callers: [Int: OperationCaller] = [:]
    /// Whether the operation has ended or all callers have left.
    private(set) var isOver = false
    var task: Task<Void, Never>?
    private var progress: WorkProgress?
    /// The calls to make, in order.
    private var calls: [Call] = []
    /// Whether a thread is making the calls.
    private var isCalling = false

    /// Adds a caller. Returns false if the operation is over.
    mutating func add(_ caller: OperationCaller) -> Bool {
        if isOver { return false }
        callers[caller.id] = caller
        if let progress { calls.append(.progress(progress, [caller])) }
        return true
    }

    /// Removes a caller. Returns true if it was the last one.
    mutating func remove(_ id: Int) -> Bool {
        guard let caller = callers.removeValue(forKey: id) else { return false }
        if callers.isEmpty { abandon() }
        calls.append(.end([caller], CancellationError()))
        return callers.isEmpty
    }

    mutating func report(_ newer: WorkProgress) {
        if isOver || progress?.merge(newer) == false { return }
        let latest = progress ?? newer
        progress = latest
        calls.append(.progress(latest, callersInOrder))
    }

    /// Ends all calls with the operation's result. With an error, cancels the operation instead.
    mutating func end(throwing error: (any Error)? = nil) {
        let callers = callersInOrder
        self.callers = [:]
        if error == nil { isOver = true } else { abandon() }
        calls.append(.end(callers, error))
    }

    /// Returns the next call to make, or nil if another thread is already making the calls.
    mutating func firstCall() -> Call? { isCalling ? nil : nextCall() }

    mutating func nextCall() -> Call? {
        isCalling = !calls.isEmpty
        return calls.isEmpty ? nil : calls.removeFirst()
    }

    private var callersInOrder: [OperationCaller] {
        callers.count > 1 ? callers.values.sorted { $0.id < $1.id } : Array(callers.values)
    }

    private mutating func abandon() {
        isOver = true
        if let task { calls.append(.cancel(task)) }
    }
}
