import ImageCore
import Synchronization

/// The callers of an operation. Sends them progress, and notifies them of the end.
final class OperationCallers: SharedOperation {
    let priority = LivePriority(.veryLow)
    private let state = Mutex(OperationState())

    var count: Int { state.withLock { $0.callers.count } }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Sets the operation's task, which is cancelled when all callers have left.
    func setTask(_ task: Task<Void, Never>) {
        let isOver = state.withLock { state in
            state.task = task
            return state.isOver
        }
        if isOver { task.cancel() }
    }

    /// Adds a caller. If the operation is over, resumes the caller with false and returns false.
    ///
    /// Call `sendProgress` afterwards. The caller is resumed with true when the operation has ended.
    func add(
        _ id: Int, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void,
        _ continuation: CheckedContinuation<Bool, any Error>
    ) -> Bool {
        let following = self.priority.follow(priority)
        let caller = OperationCaller(id: id, onProgress: onProgress) { error in
            following.end()
            if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: true) }
        }
        if state.withLock({ $0.add(caller) }) { return true }
        following.end()
        continuation.resume(returning: false)
        return false
    }

    /// Sends the latest progress to callers that have just joined.
    func sendProgress() { change { _ in } }

    /// Ends a call with `CancellationError`. If it was the last one, cancels the operation and returns true.
    func remove(_ caller: Int) -> Bool { change { $0.remove(caller) } }

    func report(_ progress: WorkProgress) { change { $0.report(progress) } }

    /// Ends all calls with the operation's result.
    func end() { change { $0.end() } }

    /// Cancels the operation and ends all calls with the error.
    func cancel(throwing error: any Error) { change { $0.end(throwing: error) } }

    /// Applies an event, then makes the resulting calls in order, one at a time, without holding a lock.
    private func change<Output>(_ event: (inout OperationState) -> Output) -> Output {
        var (output, call) = state.withLock { state in (event(&state), state.firstCall()) }
        while let next = call {
            make(next)
            call = state.withLock { $0.nextCall() }
        }
        return output
    }

    private func make(_ call: OperationState.Call) {
        switch call {
        case .progress(let progress, let callers): for caller in callers { caller.onProgress(progress) }
        case .end(let callers, let error): for caller in callers { caller.onEnd(error) }
        case .cancel(let task): task.cancel()
        }
    }
}

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
