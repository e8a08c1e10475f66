import ImageCore
import ImageLoading

/// Identifies a shared image or original.
enum WorkKey: Hashable, Sendable, CustomStringConvertible {
    case image(ImageJobKey), data(DataJobKey)

    var isImage: Bool { if case .image = self { true } else { false } }

    var description: String {
        switch self {
        case .image(let key): "image from \(key.image.source)"
        case .data(let key): "original \(key.source)"
        }
    }
}

/// Identifies a shared operation.
struct OperationID: Hashable, Sendable {
    let rawValue: Int
}

/// Identifies a call of a coalescer or of the scheduler.
struct CallID: Hashable, Sendable {
    let rawValue: Int
}

/// The operation or request of a task.
enum TaskContext {
    /// The operation that the task runs; nil in requests, prefetches, progress handlers and the tasks that make
    /// previews.
    @TaskLocal static var operation: OperationID?
    /// Whether a request started the task. False for prefetches.
    @TaskLocal static var isRequest = false
}
