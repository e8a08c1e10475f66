import ImageCore

/// The latest progress, the latest preview and the result of a task. Takes no lock and starts no task.
///
/// Newer progress and previews replace older ones. Each reader has a cursor, and receives what is newer than its last event.
struct TaskEvents: Sendable {
    /// How far one reader is.
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
        /// Nothing will follow.
        case end
    }

    private var count: UInt64 = 0
    private var progress: (value: WorkProgress, number: UInt64)?
    private var preview: (value: ImagePreview, number: UInt64)?
    private var result: Result<LoadedImage, ImageError>?
    private(set) var isCancelled = false

    /// Whether nothing new will follow.
    var isClosed: Bool { isCancelled || result != nil }

    /// The preview of the progress is ignored.
    mutating func report(_ newer: WorkProgress) {
        let newer = newer.withoutPreview
        if isClosed || newer == progress?.value { return }
        count += 1
        progress = (newer, count)
    }

    /// Ignored if it is no better than the last preview.
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
