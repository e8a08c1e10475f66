import Dispatch
import ImageCore

/// Runs work one at a time on a serial dispatch queue, outside of Swift's concurrency pool.
struct WorkQueue: Sendable {
    private let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: label) }

    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws(DataCacheError) -> Value {
        let result = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result { try work() }) }
        }
        return try result.mapError { DataCacheError(ofDisk: $0) }.get()
    }

    /// Runs work on the queue and returns without waiting for it.
    func async(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
