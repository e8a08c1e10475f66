import ImageCore
import ImageLoading

extension OperationKey {
    var isImage: Bool { if case .image = product { true } else { false } }

    /// A description for violations.
    var text: String {
        switch product {
        case .image(let key, _): "image from \(key.identifier)"
        case .original(let original): "original \(original.identifier)"
        case .frame(_, let index): "frame \(index)"
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
