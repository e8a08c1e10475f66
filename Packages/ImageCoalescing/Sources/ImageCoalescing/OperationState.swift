import ImageCore

/// A caller that waits for an operation.
struct OperationCaller: Sendable {
    let id: Int
    let onProgress: @Sendable (WorkProgress) -> Void
    /// Called once. The error is nil if the caller receives the operation's own result.
    let onEnd: @Sendable ((any Error)?) -> Void
}

/// The callers of an operation, and the calls that follow from each event. Starts no task and takes no lock.
struct OperationState: Sendable {
    enum Call: Sendable {
        case progress(WorkProgress, [OperationCaller])
        /// The error is nil for the operation's own result.
        case end([OperationCaller], (any Error)?)
        case cancel(Task<Void, Never>)
    }

    private(set) var callers: [Int: OperationCaller] = [:]
    /// Whether it has ended, or has been left by all callers.
    private(set) var isOver = false
    var task: Task<Void, Never>?
    private var progress: WorkProgress?
    /// The calls to make, in order.
    private var calls: [Call] = []
    /// Whether a thread makes the calls at present.
    private var isCalling = false

    /// Returns false if it is over.
    mutating func add(_ caller: OperationCaller) -> Bool {
        if isOver { return false }
        callers[caller.id] = caller
        if let progress { calls.append(.progress(progress, [caller])) }
        return true
    }

    /// Returns true if this was the last caller.
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

    /// Ends all calls: with the operation's own result, or with an error and a cancellation.
    mutating func end(throwing error: (any Error)? = nil) {
        let callers = callersInOrder
        self.callers = [:]
        if error == nil { isOver = true } else { abandon() }
        calls.append(.end(callers, error))
    }

    /// The next call to make, unless another thread makes the calls already.
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
