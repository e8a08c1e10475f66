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

    /// Adds a caller, whose priority the operation's follows, and sends it the latest progress. Nil if it is over.
    func add(
        _ id: Int, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) -> OperationCaller? {
        let caller = OperationCaller(id: id, onProgress: onProgress, following: self.priority.follow(priority))
        var wasAdded = false
        change { wasAdded = $0.add(caller) }
        return wasAdded ? caller : nil
    }

    /// Ends a call with `CancellationError`. If it was the last one, cancels the operation.
    func remove(_ caller: Int) { change { $0.remove(caller) } }

    func report(_ progress: WorkProgress) { change { $0.report(progress) } }

    /// Ends all calls with the operation's error, or with its value if there is no error.
    func end(throwing error: (any Error)?) { change { $0.end(throwing: error) } }

    /// Cancels the operation and ends all calls with the error.
    func cancel(throwing error: any Error) { change { $0.cancel(throwing: error) } }

    /// Applies an event, then makes the resulting calls in order, one at a time, without holding a lock.
    private func change(_ event: (inout OperationState) -> Void) {
        var call = state.withLock { state in
            event(&state)
            return state.firstCall()
        }
        while let next = call {
            switch next {
            case .progress(let progress, let callers): for caller in callers { caller.onProgress(progress) }
            case .end(let callers, let error): for caller in callers { caller.end(throwing: error) }
            case .cancel(let task): task.cancel()
            }
            call = state.withLock { $0.nextCall() }
        }
    }
}

/// A state machine for the callers of an operation: each event adds calls to make. It uses no tasks and no locks.
struct OperationState: Sendable {
    enum Call: Sendable {
        case progress(WorkProgress, [OperationCaller])
        /// The error is nil if the callers receive the operation's value.
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

    /// Removes a caller. Cancels the operation if it was the last one.
    mutating func remove(_ id: Int) {
        guard let caller = callers.removeValue(forKey: id) else { return }
        if callers.isEmpty { cancelTask() }
        calls.append(.end([caller], CancellationError()))
    }

    mutating func report(_ newer: WorkProgress) {
        if isOver || progress?.merge(newer) == false { return }
        let latest = progress ?? newer
        progress = latest
        calls.append(.progress(latest, callersInOrder))
    }

    /// Ends all calls with the operation's error, or with its value if there is no error.
    mutating func end(throwing error: (any Error)?) {
        isOver = true
        calls.append(.end(callersInOrder, error))
        callers = [:]
    }

    /// Cancels the operation and ends all calls with the error.
    mutating func cancel(throwing error: any Error) {
        cancelTask()
        end(throwing: error)
    }

    /// Returns the next call to make. Returns nil if there is none, or if another thread is already making the calls.
    mutating func firstCall() -> Call? { isCalling ? nil : nextCall() }

    mutating func nextCall() -> Call? {
        isCalling = !calls.isEmpty
        return calls.isEmpty ? nil : calls.removeFirst()
    }

    private var callersInOrder: [OperationCaller] {
        callers.count > 1 ? callers.values.sorted { $0.id < $1.id } : Array(callers.values)
    }

    private mutating func cancelTask() {
        isOver = true
        if let task { calls.append(.cancel(task)) }
    }
}

/// A caller that waits for an operation.
final class OperationCaller: Sendable {
    let id: Int
    let onProgress: @Sendable (WorkProgress) -> Void
    /// Raises the operation's priority to that of the caller.
    private let following: ChangeObservation
    private let ending = OneTimeSignal()

    init(id: Int, onProgress: @escaping @Sendable (WorkProgress) -> Void, following: ChangeObservation) {
        self.id = id
        self.onProgress = onProgress
        self.following = following
    }

    /// Waits until `end` is called, before or after this call. Throws its error, if there is one.
    func wait(onCancel: @Sendable () -> Void) async throws { try await ending.wait(onCancel: onCancel) }

    /// Ends the wait. Called once.
    ///
    /// - Parameter error: Nil if the caller receives the operation's value.
    func end(throwing error: (any Error)?) {
        following.cancel()
        if let error { ending.fail(error) } else { ending.send() }
    }
}
