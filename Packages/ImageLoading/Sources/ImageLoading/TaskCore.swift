import ImageCore
import Synchronization

/// A task's tale with its listeners: the thin shell around `TaskTale`. Nobody is called while the lock is held.
final class TaskCore: Sendable {
    /// Who is told by being called.
    struct Receiver: Sendable {
        var delivery: Delivery
        /// False when whoever asked is gone.
        var isWanted: @Sendable () -> Bool
        var receive: @Sendable (ImageTask.Event) -> Void
    }

    private struct State {
        var tale = TaskTale()
        var priority: RequestPriority
        /// Moves the work to a priority, once there is work.
        var prioritise: (@Sendable (RequestPriority) -> Void)?
        var work: Task<Void, Never>?
        var listeners: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastListener: UInt64 = 0
        var receiver: Receiver?
        var cursor = TaskTale.Cursor()
        var isDelivering = false
    }

    private let state: Mutex<State>

    init(priority: RequestPriority, receiver: Receiver? = nil) {
        state = Mutex(State(priority: priority, receiver: receiver))
    }

    // MARK: What happens

    /// - Parameter showsPreview: whether the preview that the report carries is wanted.
    func progressed(_ progress: WorkProgress, showsPreview: Bool) {
        change { tale in
            tale.progressed(progress.withoutPreview)
            if showsPreview, let preview = progress.preview { tale.previewed(preview) }
        }
    }

    func previewed(_ preview: ImagePreview) { change { $0.previewed(preview) } }
    func ended(_ result: Result<LoadedImage, ImageError>) { change { $0.ended(result) } }

    /// Nothing is handed out once this has returned, and the work has one waiter less.
    func cancel() {
        let (work, listeners, receiver) = state.withLock { state in
            state.tale.cancelled()
            defer { (state.work, state.listeners, state.receiver, state.prioritise) = (nil, [:], nil, nil) }
            return (state.work, state.listeners, state.receiver)
        }
        work?.cancel()
        for listener in listeners.values { listener.resume() }
        _ = consume receiver  // goes here, not under the lock: it may hold anything
    }

    private func change(_ event: (inout TaskTale) -> Void) {
        let (listeners, receiver) = state.withLock { state in
            event(&state.tale)
            defer { state.listeners = [:] }
            return (state.listeners, state.receiver)
        }
        for listener in listeners.values { listener.resume() }
        guard let receiver else { return }
        if receiver.isWanted() { deliver(receiver) } else { cancel() }
    }

    // MARK: Telling

    /// Calls the receiver where it wants to be called, once for all that is new by then.
    private func deliver(_ receiver: Receiver) {
        let begins = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard begins else { return }
        receiver.delivery.enqueue { self.tellReceiver() }
    }

    private func tellReceiver() {
        while let (receiver, event) = nextForReceiver() {
            guard receiver.isWanted() else { return cancel() }
            receiver.receive(event)
        }
    }

    private func nextForReceiver() -> (Receiver, ImageTask.Event)? {
        let (answer, discarded) = state.withLock { state -> ((Receiver, ImageTask.Event)?, Receiver?) in
            guard let receiver = state.receiver else { return (nil, nil) }
            switch state.tale.next(&state.cursor) {
            case .tell(let event): return ((receiver, event), nil)
            case .wait:
                state.isDelivering = false
                return (nil, nil)
            case .over:
                state.receiver = nil
                return (nil, receiver)
            }
        }
        _ = consume discarded
        return answer
    }

    /// The next event for a listener that pulls; nil at the end, and when its task is cancelled.
    func next(_ cursor: inout TaskTale.Cursor) async -> ImageTask.Event? {
        while !Task.isCancelled {
            switch state.withLock({ $0.tale.next(&cursor) }) {
            case .tell(let event): return event
            case .over: return nil
            case .wait: await news(after: cursor)
            }
        }
        return nil
    }

    /// Returns when there is something newer than the cursor, or when the task is cancelled.
    private func news(after cursor: TaskTale.Cursor) async {
        let id = state.withLock { state in
            state.lastListener += 1
            return state.lastListener
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    var cursor = cursor
                    guard case .wait = state.tale.next(&cursor), !Task.isCancelled else { return false }
                    state.listeners[id] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.listeners.removeValue(forKey: id) }?.resume()
        }
    }

    // MARK: The work

    /// Starts the work, unless the task is cancelled already.
    ///
    /// - Parameter executor: the threads that it prefers; nil for Swift's cooperative pool.
    func start(
        on executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async -> Void,
        prioritise: @escaping @Sendable (RequestPriority) -> Void
    ) {
        let task = executor.map { Task(executorPreference: $0, operation: work) } ?? Task(operation: work)
        let isWanted = state.withLock { state in
            if state.tale.isClosed { return false }
            (state.work, state.prioritise) = (task, prioritise)
            return true
        }
        if !isWanted { task.cancel() }
    }

    var priority: RequestPriority {
        get { state.withLock { $0.priority } }
        set {
            state.withLock { $0.priority = newValue }
            applyPriority()
        }
    }

    /// Moves the work to the priority that is wanted now, and again while it changes under our hands.
    func applyPriority() {
        while true {
            let (wanted, prioritise) = state.withLock { ($0.priority, $0.prioritise) }
            guard let prioritise else { return }
            prioritise(wanted)
            if priority == wanted { return }
        }
    }
}
