import ImageCore

/// What a task has to tell: the latest progress, the latest preview, the end. Pure: knows no listener, lock or task.
///
/// Older progress and previews are forgotten when newer ones come, so that a slow listener costs no memory; each listener has a cursor
/// and is told what is newer than what it was told last, in the order in which it came. After a cancellation nothing is told any more.
struct TaskTale: Sendable {
    /// How far one listener is.
    struct Cursor: Sendable {
        fileprivate var told: UInt64 = 0
        fileprivate var isOver = false

        /// Of one who wants to know nothing but the end.
        static let beforeEnd = Cursor(told: .max)
    }

    enum Turn: Sendable {
        case tell(ImageTask.Event)
        /// There is nothing new.
        case wait
        /// There will be nothing new.
        case over
    }

    private var count: UInt64 = 0
    /// What came last, and as which piece of news.
    private var completedBytes = 0
    private var totalBytes: Int?
    private var progressNumber: UInt64 = 0
    private var preview: ImagePreview?
    private var previewNumber: UInt64 = 0
    private var end: Result<LoadedImage, ImageError>?
    private(set) var isCancelled = false

    /// True when nothing new will come.
    var isClosed: Bool { isCancelled || end != nil }

    /// - Parameter value: its preview and its bytes are left aside.
    mutating func progressed(_ value: WorkProgress) {
        let isNews = progressNumber == 0 || completedBytes != value.completedBytes || totalBytes != value.totalBytes
        guard !isClosed, isNews else { return }
        count += 1
        (completedBytes, totalBytes, progressNumber) = (value.completedBytes, value.totalBytes, count)
    }

    /// A preview that is no better than the last is no news.
    mutating func previewed(_ value: ImagePreview) {
        guard !isClosed, preview.map({ $0.number < value.number }) ?? true else { return }
        count += 1
        (preview, previewNumber) = (value, count)
    }

    /// The first end counts, and none after a cancellation.
    mutating func ended(_ result: Result<LoadedImage, ImageError>) {
        if !isClosed { end = result }
    }

    mutating func cancelled() {
        isCancelled = true
        (preview, end) = (nil, nil)
    }

    /// What a listener is to be told next.
    func next(_ cursor: inout Cursor) -> Turn {
        if isCancelled || cursor.isOver { return .over }
        let (hasProgress, hasPreview) = (progressNumber > cursor.told, previewNumber > cursor.told)
        if hasProgress, !hasPreview || progressNumber < previewNumber {
            cursor.told = progressNumber
            return .tell(.progress(WorkProgress(completedBytes: completedBytes, totalBytes: totalBytes)))
        }
        if hasPreview, let preview {
            cursor.told = previewNumber
            return .tell(.preview(preview.image))
        }
        guard let end else { return .wait }
        cursor.isOver = true
        return .tell(.finished(end))
    }
}
