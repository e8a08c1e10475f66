import ImageCore

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

    mutating func cancel() {
        isCancelled = true
        (preview, result) = (nil, nil)
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
