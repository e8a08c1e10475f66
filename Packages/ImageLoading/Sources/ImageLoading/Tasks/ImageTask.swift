public import ImageCore

/// A request in progress. Observe its events, change its priority or cancel it.
///
/// Retain a task of `task(for:)`: when it and all its `events` are released, the request is cancelled. A request of
/// `load(_:completion:)` runs until it ends.
public final class ImageTask: Hashable, Sendable {
    /// An event of a task.
    @nonexhaustive
    public enum Event: Sendable {
        /// The download has progressed.
        case progress(WorkProgress)
        /// The image is available in part or in lower quality.
        case preview(DecodedImage)
        /// The request has ended. The last event, except for cancelled tasks.
        case finished(Result<LoadedImage, ImageError>)
    }

    /// The request.
    public let request: ImageRequest
    let livePriority: LivePriority
    /// Outlives the task while events are delivered.
    package let state: ImageTaskState

    init(_ request: ImageRequest) {
        self.request = request
        livePriority = LivePriority(request.priority)
        state = ImageTaskState(reportsPreviews: request.isProgressive)
    }

    deinit { state.cancel() }

    /// The latest progress and preview, then all later events, then the result.
    ///
    /// Any number of tasks can iterate. A slow one misses older progress and previews, but never the result.
    public var events: Events { Events(task: self) }

    /// The current priority. An operation has the highest priority of its requests.
    public var priority: RequestPriority {
        get { livePriority.value }
        set { livePriority.value = newValue }
    }

    /// Tasks are equal if they are the same object.
    public static func == (left: ImageTask, right: ImageTask) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Whether the request has ended or was cancelled.
    package var hasEnded: Bool { state.hasEnded }

    /// Ends the request. A request that has ended keeps its result, for `image` and `events`.
    ///
    /// If you call it on the main actor, the handler of `load` is not called afterwards.
    public func cancel() { state.cancel() }

    /// Waits for the image. Also throws `.cancelled` if the calling task is cancelled, which does not end the request.
    public var image: LoadedImage {
        get async throws(ImageError) {
            var cursor = TaskEvents.Cursor.beforeResult
            guard case .finished(let result) = await state.next(&cursor) else { throw .cancelled }
            return try result.get()
        }
    }

    /// The events of a task. Ends after `finished`, and when the task or the iterating task is cancelled.
    public struct Events: AsyncSequence, Sendable {
        fileprivate let task: ImageTask

        public func makeAsyncIterator() -> Iterator { Iterator(task: task) }

        /// Iterates over the events of a task.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let task: ImageTask
            private var cursor = TaskEvents.Cursor()

            fileprivate init(task: ImageTask) { self.task = task }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
                await task.state.next(&cursor, isolation: actor)
            }
        }
    }
}
