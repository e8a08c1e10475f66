import ImageCore
import Synchronization

/// A task's tale with its listeners: the thin shell around `TaskTale`. Nobody is called while the lock is held.
final class TaskCore: SharedWorkWaiter {
    private struct State: ~Copyable {
        var tale = TaskTale()
        var priority: RequestPriority
        /// What waits for the picture, until that is answered, and its place among those who wait.
        var load: Load?
        var place: (any SharedWorkPlace)?
        /// What loads pictures of less quality, to be shown first.
        var lesser: [Task<Void, Never>] = []
        var listeners: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastListener: UInt64 = 0
        var receiver: TaskReceiver?

        mutating func takeLesser() -> [Task<Void, Never>] {
            defer { lesser = [] }
            return lesser
        }

        mutating func takeListeners() -> [CheckedContinuation<Void, Never>] {
            if listeners.isEmpty { return [] }
            defer { listeners = [:] }
            return Array(listeners.values)
        }
    }

    /// Whether the previews are wanted that reports carry.
    private let showsPreviews: Bool
    private let state: Mutex<State>

    init(_ request: borrowing ImageRequest, _ receiver: consuming TaskReceiver?, _ load: Load? = nil) {
        showsPreviews = request.isProgressive
        state = Mutex(State(priority: request.priority, load: load, receiver: receiver))
    }

    // MARK: What happens

    func progressed(_ progress: WorkProgress) {
        change { tale in
            tale.progressed(progress)
            if showsPreviews, let preview = progress.preview { tale.previewed(preview) }
        }
    }

    func succeeded(with loaded: LoadedImage) {
        let (load, isCancelled) = endWait()
        guard let load else { return }
        do throws(ImageError) {
            try load.ended(with: loaded, isCancelled: isCancelled)
            ended(.success(loaded))
        } catch {
            ended(.failure(error))
        }
    }

    func failed(with error: any Error) {
        let (load, isCancelled) = endWait()
        if let load { ended(.failure(load.ended(with: error, isCancelled: isCancelled))) }
    }

    /// What has waited, and whether nothing is handed out any more.
    private func endWait() -> (Load?, isCancelled: Bool) {
        state.withLock { ($0.load.take(), $0.tale.isCancelled) }
    }

    func previewed(_ preview: ImagePreview) { change { $0.previewed(preview) } }

    func ended(_ result: consuming Result<LoadedImage, ImageError>) {
        let (place, lesser, listeners, delivery) = state.withLock { state in
            state.tale.ended(result)
            return (state.place.take(), state.takeLesser(), state.takeListeners(), state.receiver?.begin())
        }
        _ = consume place
        for task in lesser { task.cancel() }
        for listener in listeners { listener.resume() }
        delivery?.enqueue { self.tellReceiver() }
    }

    /// Nothing is handed out once this has returned, and the work has one waiter less.
    func cancel() {
        var receiver: TaskReceiver?  // goes here, not under the lock: it may hold anything
        let (place, listeners) = state.withLock { state in
            state.tale.cancelled()
            receiver = state.receiver.take()
            return (state.place.take(), state.takeListeners())
        }
        place?.leave()
        for listener in listeners { listener.resume() }
        _ = consume receiver
    }

    /// Nobody can ask any more, nor listen.
    func forgotten() {
        let isToldAll = state.withLock { $0.tale.isClosed && $0.receiver == nil }
        if !isToldAll { cancel() }
    }

    /// Something happened that is not the end.
    private func change(_ event: (inout TaskTale) -> Void) {
        let (listeners, owner, hasReceiver, delivery) = state.withLock { state in
            event(&state.tale)
            let wantsAll = state.receiver?.wantsAll == true
            return (
                state.takeListeners(), state.receiver?.owner, state.receiver != nil,
                wantsAll ? state.receiver?.begin() : nil
            )
        }
        for listener in listeners { listener.resume() }
        if hasReceiver, owner == nil { return cancel() }
        delivery?.enqueue { self.tellReceiver() }
    }

    // MARK: Telling

    /// Tells the receiver, where it wants to be called, all that is new by then.
    private func tellReceiver() {
        while let turn = nextTurn() {
            guard let owner = turn.owner else { return cancel() }
            turn.tell(owner, turn.event)
            if turn.isLast { return }
        }
    }

    /// The receiver is let go of with the last event.
    private func nextTurn() -> TaskReceiver.Turn? {
        state.withLock { state in
            let turn = state.receiver?.turn(state.tale)
            if turn?.isLast == true { state.receiver = nil }
            return turn
        }
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

    /// Takes what is to be cancelled when the task is over.
    func take(lesser: [Task<Void, Never>]) { state.withLock { $0.lesser = lesser } }

    /// Takes a place, unless the task is over already.
    func take(_ place: any SharedWorkPlace) {
        let isOver = state.withLock { state in
            if !state.tale.isClosed { state.place = place }
            return state.tale.isClosed
        }
        if isOver { place.leave() }
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
            let (wanted, place) = state.withLock { ($0.priority, $0.place) }
            guard let place else { return }
            place.setPriority(wanted)
            if priority == wanted { return }
        }
    }
}
