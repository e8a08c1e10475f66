package import ImageCore
import Synchronization

/// The events of a task, their readers, and the tasks of the work. Calls no other code under its lock.
package final class ImageTaskState: Sendable {
    private struct Reader: Sendable {
        let cursor: TaskEvents.Cursor
        let signal = OneTimeSignal()
    }

    private struct State: Sendable {
        var events = TaskEvents()
        var work: [Task<Void, Never>] = []
        /// The readers that wait for their next event.
        var readers: [Reader] = []
        /// Whether `cancel` was called, also after the end.
        var wasCancelled = false
        var frames: (any AnimationFrames)?
    }

    private let state = Mutex(State())
    private let reportsPreviews: Bool

    init(reportsPreviews: Bool) { self.reportsPreviews = reportsPreviews }

    /// The number of readers that wait.
    package var readerCount: Int { state.withLock { $0.readers.count } }

    var hasEnded: Bool { state.withLock { $0.events.isClosed } }

    /// The frames of the result, if the task loads an animation.
    package var frames: (any AnimationFrames)? { state.withLock { $0.frames } }

    func setFrames(_ frames: any AnimationFrames) { state.withLock { $0.frames = frames } }

    func report(_ progress: WorkProgress) {
        change { state in
            state.events.report(progress)
            if reportsPreviews, let preview = progress.preview { state.events.report(preview) }
        }
    }

    func report(_ preview: ImagePreview) { change { $0.events.report(preview) } }

    func finish(_ result: Result<LoadedImage, ImageError>) { change { $0.events.finish(result) } }

    /// Ends the task unless it has ended, and all deliveries.
    func cancel() {
        change { state in
            state.events.cancel()
            state.wasCancelled = true
        }
    }

    /// Adds a task that is cancelled when this task ends.
    func add(_ work: Task<Void, Never>) { state.withLock { $0.work.append(work) } }

    /// Changes the events, then resumes the readers that can continue, and cancels the work after the end.
    private func change(_ event: (inout State) -> Void) {
        let (readers, work) = state.withLock { state in
            event(&state)
            let readers = state.readers.filter { !state.events.isWaiting($0.cursor) }
            state.readers.removeAll { !state.events.isWaiting($0.cursor) }
            let work = state.events.isClosed ? state.work : []
            if state.events.isClosed { state.work = [] }
            return (readers, work)
        }
        for task in work { task.cancel() }
        for reader in readers { reader.signal.send() }
    }

    /// Returns the next event for a reader, or nil after the last event or if the reader's task is cancelled.
    func next(
        _ cursor: inout TaskEvents.Cursor, isolation: isolated (any Actor)? = #isolation
    ) async -> ImageTask.Event? {
        while !Task.isCancelled {
            let reader = Reader(cursor: cursor)
            let step = state.withLock { state in
                let step = state.events.next(&cursor)
                if case .wait = step { state.readers.append(reader) }
                return step
            }
            switch step {
            case .event(let event): return event
            case .end: return nil
            case .wait:
                try? await reader.signal.wait()  // ends early if the task is cancelled
                if Task.isCancelled { state.withLock { $0.readers.removeAll { $0.signal === reader.signal } } }
            }
        }
        return nil
    }

    /// Passes events to `receive`, on the actor of the caller, until the last event or a cancellation.
    ///
    /// - Parameters:
    ///   - onlyResult: Whether to skip progress and previews.
    ///   - prepare: Called with each image before its event, outside of the actor.
    package func deliver(
        onlyResult: Bool = false, preparing prepare: (@Sendable (Bitmap) -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation, to receive: (ImageTask.Event) -> Void
    ) async {
        var cursor = onlyResult ? TaskEvents.Cursor.beforeResult : TaskEvents.Cursor()
        while let event = await next(&cursor) {
            if let prepare, let bitmap = event.bitmap { await Self.call(prepare, bitmap) }
            guard !state.withLock(\.wasCancelled) else { return }
            receive(event)
        }
    }

    @concurrent private static func call(_ prepare: @Sendable (Bitmap) -> Void, _ bitmap: Bitmap) async {
        prepare(bitmap)
    }
}

extension ImageTask.Event {
    /// The image of a preview or result.
    fileprivate var bitmap: Bitmap? {
        switch self {
        case .progress, .finished(.failure): nil
        case .preview(let image): image.bitmap
        case .finished(.success(let loaded)): loaded.bitmap
        }
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
        isCancelled = true
        preview = nil
    }

    /// Whether there is nothing new for a reader, who must wait.
    func isWaiting(_ cursor: Cursor) -> Bool {
        var cursor = cursor
        if case .wait = next(&cursor) { return true }
        return false
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
