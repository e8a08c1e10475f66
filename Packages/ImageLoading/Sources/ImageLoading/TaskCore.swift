import ImageCore
import Synchronization

/// A task's tale with its listeners: the thin shell around `TaskTale`. Nobody is called while the lock is held.
final class TaskCore: PictureWaiter {
    /// Who is told by being called.
    struct Receiver: Sendable {
        /// Whether it is told progress and previews, too, and not the end alone.
        var wantsAll: Bool
        var delivery: Delivery
        /// Tells an event, if there is one. False when whoever asked is gone.
        var tell: @Sendable (ImageTask.Event?) -> Bool

        /// - Parameter owner: held weakly.
        init<Owner: AnyObject & Sendable>(
            for owner: Owner, on delivery: Delivery, receive: @escaping @Sendable (Owner, ImageTask.Event) -> Void
        ) {
            wantsAll = true
            self.delivery = delivery
            tell = { [weak owner] event in
                guard let owner else { return false }
                if let event { receive(owner, event) }
                return true
            }
        }

        /// One that is told the end alone.
        ///
        /// - Parameter owner: held weakly.
        init<Owner: AnyObject & Sendable>(
            for owner: Owner, on delivery: Delivery,
            _ completion: @escaping @Sendable (Owner, Result<LoadedImage, ImageError>) -> Void
        ) {
            wantsAll = false
            self.delivery = delivery
            tell = { [weak owner] event in
                guard let owner else { return false }
                if case .finished(let result)? = event { completion(owner, result) }
                return true
            }
        }
    }

    private struct State {
        var tale = TaskTale()
        var priority: RequestPriority
        /// Its place among those who wait for the picture.
        var place: (any SharedWorkPlace)?
        /// What loads pictures of less quality, to be shown first.
        var lesser: [Task<Void, Never>] = []
        var listeners: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastListener: UInt64 = 0
        var receiver: Receiver?
        var cursor = TaskTale.Cursor()
        var isDelivering = false

        /// Where the receiver is to be called, unless it is being called, or there is none.
        mutating func beginDelivery() -> Delivery? {
            guard let receiver, !isDelivering else { return nil }
            isDelivering = true
            return receiver.delivery
        }

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

    init(_ request: ImageRequest, _ receiver: Receiver? = nil) {
        showsPreviews = request.isProgressive
        let cursor = receiver?.wantsAll == false ? TaskTale.Cursor.beforeEnd : TaskTale.Cursor()
        state = Mutex(State(priority: request.priority, receiver: receiver, cursor: cursor))
    }

    // MARK: What happens

    func progressed(_ progress: WorkProgress) {
        change { tale in
            tale.progressed(progress.withoutPreview)
            if showsPreviews, let preview = progress.preview { tale.previewed(preview) }
        }
    }

    func succeeded(with loaded: LoadedImage, of wait: PictureWait) {
        do throws(ImageError) {
            try wait.succeeded(loaded, isCancelled: isCancelled)
            ended(.success(loaded))
        } catch {
            ended(.failure(error))
        }
    }

    func failed(with error: any Error, of wait: PictureWait) {
        ended(.failure(wait.failed(error, isCancelled: isCancelled)))
    }

    func previewed(_ preview: ImagePreview) { change { $0.previewed(preview) } }

    func ended(_ result: Result<LoadedImage, ImageError>) {
        let (place, lesser, listeners, delivery) = state.withLock { state in
            state.tale.ended(result)
            return (state.place.take(), state.takeLesser(), state.takeListeners(), state.beginDelivery())
        }
        _ = consume place
        for task in lesser { task.cancel() }
        for listener in listeners { listener.resume() }
        delivery?.enqueue { self.tellReceiver() }
    }

    /// Nothing is handed out once this has returned, and the work has one waiter less.
    func cancel() {
        let (place, listeners, receiver) = state.withLock { state in
            state.tale.cancelled()
            return (state.place.take(), state.takeListeners(), state.receiver.take())
        }
        place?.leave()
        for listener in listeners { listener.resume() }
        _ = consume receiver  // goes here, not under the lock: it may hold anything
    }

    /// Nobody can ask any more, nor listen.
    func forgotten() {
        let isToldAll = state.withLock { $0.tale.isClosed && $0.receiver == nil }
        if !isToldAll { cancel() }
    }

    /// Something happened that is not the end.
    private func change(_ event: (inout TaskTale) -> Void) {
        let (listeners, receiver) = state.withLock { state in
            event(&state.tale)
            return (state.takeListeners(), state.receiver)
        }
        for listener in listeners { listener.resume() }
        guard let receiver else { return }
        guard receiver.tell(nil) else { return cancel() }
        if receiver.wantsAll { state.withLock { $0.beginDelivery() }?.enqueue { self.tellReceiver() } }
    }

    // MARK: Telling

    /// Tells the receiver, where it wants to be called, all that is new by then.
    private func tellReceiver() {
        while let (receiver, event, isLast) = nextForReceiver() {
            guard receiver.tell(event) else { return cancel() }
            if isLast { return }
        }
    }

    /// The receiver is let go of with the last event.
    private func nextForReceiver() -> (Receiver, ImageTask.Event, isLast: Bool)? {
        state.withLock { state in
            guard let receiver = state.receiver else { return nil }
            guard case .tell(let event) = state.tale.next(&state.cursor) else {
                state.isDelivering = false
                return nil
            }
            guard case .finished = event else { return (receiver, event, false) }
            state.receiver = nil
            return (receiver, event, true)
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

    /// Whether nothing is handed out any more, though nothing has ended.
    var isCancelled: Bool { state.withLock { $0.tale.isCancelled } }

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
