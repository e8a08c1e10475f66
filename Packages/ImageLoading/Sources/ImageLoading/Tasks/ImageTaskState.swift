import ImageCore
import Synchronization

/// The events of a task, their readers and receiver, and the tasks of the work. Calls no other code under its lock.
final class ImageTaskState: Sendable {
    private struct State: Sendable {
        var events = TaskEvents()
        var work: [Task<Void, Never>] = []
        /// The readers that wait for the next event.
        var readers: [OneTimeSignal<Void>] = []
        var receiver: EventReceiver?
        /// Whether no more events are delivered.
        var isSilent = false

        /// Returns the effects of a change of the events.
        mutating func takeEffects() -> Effects {
            var effects = Effects(readers: readers)
            readers = []
            if events.isClosed { swap(&effects.work, &work) }
            if isSilent { swap(&effects.releasedReceiver, &receiver) }
            guard let receiver else { return effects }
            effects.ownerIsGone = !events.isClosed && !receiver.hasOwner()
            if !receiver.isDelivering, receiver.wantsAll || events.isClosed {
                self.receiver?.isDelivering = true
                effects.delivery = receiver.delivery
            }
            return effects
        }
    }

    /// The effects of a change, applied without the lock.
    private struct Effects: Sendable {
        var readers: [OneTimeSignal<Void>]
        /// The tasks to cancel.
        var work: [Task<Void, Never>] = []
        /// The delivery to enqueue, if any.
        var delivery: Delivery?
        var ownerIsGone = false
        /// Released without the lock, because that may run other code.
        var releasedReceiver: EventReceiver?
    }

    private let state: Mutex<State>
    private let reportsPreviews: Bool

    init(_ receiver: EventReceiver?, reportsPreviews: Bool) {
        state = Mutex(State(receiver: receiver))
        self.reportsPreviews = reportsPreviews
    }

    func report(_ progress: WorkProgress) {
        change { state in
            state.events.report(progress)
            if reportsPreviews, let preview = progress.preview { state.events.report(preview) }
        }
    }

    func report(_ preview: ImagePreview) { change { $0.events.report(preview) } }

    func finish(_ result: Result<LoadedImage, ImageError>) { change { $0.events.finish(result) } }

    var hasEnded: Bool { state.withLock { $0.events.isClosed } }

    /// Ends the delivery, and the task unless it has ended.
    func cancel() {
        change { state in
            state.events.cancel()
            state.isSilent = true
        }
    }

    func cancelUnlessDelivered() {
        let isDelivered = state.withLock { $0.events.isClosed && $0.receiver == nil }
        if !isDelivered { cancel() }
    }

    /// Adds a task that is cancelled when this task ends.
    func add(_ work: Task<Void, Never>) {
        let isClosed = state.withLock { state in
            if !state.events.isClosed { state.work.append(work) }
            return state.events.isClosed
        }
        if isClosed { work.cancel() }
    }

    private func change(_ event: (inout State) -> Void) {
        let effects = state.withLock { state in
            event(&state)
            return state.takeEffects()
        }
        for task in effects.work { task.cancel() }
        for reader in effects.readers { reader.send(()) }
        if effects.ownerIsGone { return cancel() }
        effects.delivery?.enqueue { self.deliver() }
    }

    /// Delivers all new events.
    private func deliver() {
        while let (receiver, event) = nextDelivery() {
            guard receiver.hasOwner() else { return cancel() }
            receiver.receive(event)
        }
    }

    /// Returns the next event for the receiver, which is released with the last event.
    private func nextDelivery() -> (EventReceiver, ImageTask.Event)? {
        state.withLock { state in
            guard var receiver = state.receiver else { return nil }
            guard case .event(let event) = state.events.next(&receiver.cursor) else {
                state.receiver?.isDelivering = false
                return nil
            }
            state.receiver = receiver
            if case .finished = event { state.receiver = nil }
            return (receiver, event)
        }
    }

    /// Returns the next event for a reader, or nil after the last event or if the reader's task is cancelled.
    func next(_ cursor: inout TaskEvents.Cursor) async -> ImageTask.Event? {
        while !Task.isCancelled {
            let signal = OneTimeSignal<Void>()
            let step = state.withLock { state in
                let step = state.events.next(&cursor)
                if case .wait = step { state.readers.append(signal) }
                return step
            }
            switch step {
            case .event(let event): return event
            case .end: return nil
            case .wait: try? await signal.value()  // ends early if the task is cancelled
            }
        }
        return nil
    }
}

/// The latest progress, the latest preview and the result of a task. It takes no locks and starts no tasks.
///
/// Newer progress and previews replace older ones. Each reader has a cursor and receives the events after it.
struct TaskEvents: Sendable {
    /// The position of a reader.
    struct Cursor: Sendable {
        fileprivate var lastRead: UInt64 = 0
        fileprivate var isAtEnd = false

        /// For a reader that wants only the result.
        static let beforeResult = Cursor(lastRead: .max)
    }

    enum Step: Sendable {
        case event(ImageTask.Event)
        /// There is nothing new yet.
        case wait
        /// There are no more events.
        case end
    }

    private var count: UInt64 = 0
    private var progress: (value: WorkProgress, number: UInt64)?
    private var preview: (value: ImagePreview, number: UInt64)?
    private var result: Result<LoadedImage, ImageError>?
    private(set) var isCancelled = false

    /// Whether there will be no new events.
    var isClosed: Bool { isCancelled || result != nil }

    /// Records progress, without its preview.
    mutating func report(_ newer: WorkProgress) {
        let newer = newer.withoutPreview
        if isClosed || newer == progress?.value { return }
        count += 1
        progress = (newer, count)
    }

    /// Records a preview, unless it is no better than the last one.
    mutating func report(_ newer: ImagePreview) {
        if isClosed || newer.number <= preview?.value.number ?? .min { return }
        count += 1
        preview = (newer, count)
    }

    mutating func finish(_ result: Result<LoadedImage, ImageError>) {
        if !isClosed { self.result = result }
    }

    /// Ends a task that has no result. Has no effect otherwise.
    mutating func cancel() {
        guard result == nil else { return }
        (isCancelled, preview) = (true, nil)
    }

    func next(_ cursor: inout Cursor) -> Step {
        if isCancelled || cursor.isAtEnd { return .end }
        let newProgress = progress.flatMap { [cursor] in $0.number > cursor.lastRead ? $0 : nil }
        let newPreview = preview.flatMap { [cursor] in $0.number > cursor.lastRead ? $0 : nil }
        if let newProgress, newProgress.number < newPreview?.number ?? .max {
            cursor.lastRead = newProgress.number
            return .event(.progress(newProgress.value))
        }
        if let newPreview {
            cursor.lastRead = newPreview.number
            return .event(.preview(newPreview.value.image))
        }
        guard let result else { return .wait }
        cursor.isAtEnd = true
        return .event(.finished(result))
    }
}

/// The handler of a task's events, and a weak reference to its owner.
struct EventReceiver: Sendable {
    let delivery: Delivery
    /// Whether it receives all events, or only the result.
    let wantsAll: Bool
    let hasOwner: @Sendable () -> Bool
    /// Does nothing if the owner was released.
    let receive: @Sendable (ImageTask.Event) -> Void
    var cursor: TaskEvents.Cursor
    /// Whether a delivery is enqueued or running.
    var isDelivering = false

    init<Owner: AnyObject & Sendable>(
        for owner: Owner, on delivery: Delivery, wantsAll: Bool = true,
        receive: @escaping @Sendable (Owner, ImageTask.Event) -> Void
    ) {
        self.delivery = delivery
        self.wantsAll = wantsAll
        cursor = wantsAll ? TaskEvents.Cursor() : .beforeResult
        hasOwner = { [weak owner] in owner != nil }
        self.receive = { [weak owner] event in
            if let owner { receive(owner, event) }
        }
    }
}
