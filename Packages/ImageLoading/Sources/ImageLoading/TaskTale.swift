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
    }

    enum Turn: Sendable {
        case tell(ImageTask.Event)
        /// There is nothing new.
        case wait
        /// There will be nothing new.
        case over
    }

    private var count: UInt64 = 0
    private var progress: (number: UInt64, value: WorkProgress)?
    private var preview: (number: UInt64, value: ImagePreview)?
    private var end: Result<LoadedImage, ImageError>?
    private var isCancelled = false

    /// True when nothing new will come.
    var isClosed: Bool { isCancelled || end != nil }

    mutating func progressed(_ value: WorkProgress) {
        guard !isClosed, progress?.value != value else { return }
        count += 1
        progress = (count, value)
    }

    /// A preview that is no better than the last is no news.
    mutating func previewed(_ value: ImagePreview) {
        guard !isClosed, preview.map({ $0.value.number < value.number }) ?? true else { return }
        count += 1
        preview = (count, value)
    }

    /// The first end counts, and none after a cancellation.
    mutating func ended(_ result: Result<LoadedImage, ImageError>) {
        if !isClosed { end = result }
    }

    mutating func cancelled() {
        isCancelled = true
        (progress, preview, end) = (nil, nil, nil)
    }

    /// What a listener is to be told next.
    func next(_ cursor: inout Cursor) -> Turn {
        if isCancelled || cursor.isOver { return .over }
        let latest = [
            progress.map { ($0.number, ImageTask.Event.progress($0.value)) },
            preview.map { ($0.number, ImageTask.Event.preview($0.value.image)) },
        ]
        let news = latest.compactMap(\.self).filter { $0.0 > cursor.told }
        if let oldest = news.min(by: { $0.0 < $1.0 }) {
            cursor.told = oldest.0
            return .tell(oldest.1)
        }
        guard let end else { return .wait }
        cursor.isOver = true
        return .tell(.finished(end))
    }
}
