public import ImageCore

/// One request on its way, to be listened to, moved and cancelled.
///
/// Keep it: whoever lets go of it, and of its `events`, cancels it.
public final class ImageTask: Sendable {
    /// What happens to a request.
    public enum Event: Sendable {
        case progress(WorkProgress)
        /// The picture as far as it has come in. The final one follows, or a failure.
        case preview(DecodedImage)
        /// The end, told once. A cancelled task has none: cancelling is no failure, and whoever does it knows.
        case finished(Result<LoadedImage, ImageError>)
    }

    public let request: ImageRequest
    private let core: TaskCore

    init(_ request: ImageRequest, _ core: TaskCore) {
        self.request = request
        self.core = core
    }

    deinit { core.forgotten() }

    /// What happens from now on, after what there is to tell already: the latest progress, the latest preview, the end.
    ///
    /// Any number may listen. Who is slow misses older progress and older previews, never the end.
    public var events: Events { Events(task: self) }

    /// How urgent it is, from now on. What it shares runs at the highest priority of all that wait for it.
    public var priority: RequestPriority {
        get { core.priority }
        set { core.priority = newValue }
    }

    /// Ends the request. Once this has returned nothing is delivered any more, in any way; what was finished already is forgotten.
    ///
    /// Called on the executor on which a handler is called, it is exact. Called elsewhere, a handler that runs already runs on.
    public func cancel() { core.cancel() }

    /// The picture. Throws `.cancelled` when the task, or the one that waits here, is cancelled; the latter does not end the request.
    public func image() async throws(ImageError) -> LoadedImage {
        for await event in events {
            if case .finished(let result) = event { return try result.get() }
        }
        throw .cancelled
    }

    /// A task's events. Ends after `finished`, when the task is cancelled, and when the listener's own task is.
    public struct Events: AsyncSequence, Sendable {
        public typealias Element = Event
        public typealias Failure = Never

        fileprivate let task: ImageTask

        public func makeAsyncIterator() -> Iterator { Iterator(task: task) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let task: ImageTask
            private var cursor = TaskTale.Cursor()

            fileprivate init(task: ImageTask) { self.task = task }

            public mutating func next() async -> Event? { await task.core.next(&cursor) }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
                await task.core.next(&cursor)
            }
        }
    }
}
