public import ImageCore

/// A request in progress. Observe its events, change its priority or cancel it.
///
/// Keep it: when the task and all its `events` are released, the request is cancelled.
public final class ImageTask: Sendable {
    public enum Event: Sendable {
        case progress(WorkProgress)
        /// The image as far as it has arrived, or in lower quality.
        case preview(DecodedImage)
        /// The last event. A cancelled task has none.
        case finished(Result<LoadedImage, ImageError>)
    }

    public let request: ImageRequest
    let livePriority: LivePriority
    let state: ImageTaskState

    init(_ request: ImageRequest, _ receiver: EventReceiver? = nil) {
        self.request = request
        livePriority = LivePriority(request.priority)
        state = ImageTaskState(receiver, reportsPreviews: request.isProgressive)
    }

    deinit { state.cancelUnlessDelivered() }

    /// The events from now on, after the latest progress, the latest preview and the result, as far as there are any.
    ///
    /// Any number of tasks may iterate. A slow one misses older progress and previews, but never the result.
    public var events: Events { Events(task: self) }

    /// The present priority. Shared work runs at the highest priority of its requests.
    public var priority: RequestPriority {
        get { livePriority.value }
        set { livePriority.set(newValue) }
    }

    /// Ends the request. No event is delivered after this returns, not even those that had already occurred.
    ///
    /// A handler that is running on another executor meanwhile continues.
    public func cancel() { state.cancel() }

    /// Waits for the image.
    ///
    /// - Throws: `.cancelled` also if the calling task is cancelled, which does not end the request.
    public func image() async throws(ImageError) -> LoadedImage {
        for await event in events {
            if case .finished(let result) = event { return try result.get() }
        }
        throw .cancelled
    }

    /// The events of a task. Ends after `finished`, when the task is cancelled, and when the iterating task is cancelled.
    public struct Events: AsyncSequence, Sendable {
        public typealias Element = Event
        public typealias Failure = Never

        fileprivate let task: ImageTask

        public func makeAsyncIterator() -> Iterator { Iterator(task: task) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let task: ImageTask
            private var cursor = TaskEvents.Cursor()

            fileprivate init(task: ImageTask) { self.task = task }

            public mutating func next() async -> Event? { await task.state.next(&cursor) }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
                await task.state.next(&cursor)
            }
        }
    }
}
