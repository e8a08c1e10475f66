import Foundation
import ImageCore
import Synchronization

/// A scheduler whose lanes are operation queues of Foundation. It has no limits per server.
///
/// An operation of a queue is a slot in its lane. The caller runs its work between the start and the end of the
/// operation.
final class OperationQueueScheduler: WorkScheduler {
    private let limits: [WorkLane: Int]
    private let queues = Mutex<[WorkLane: OperationQueue]>([:])

    /// - Parameter limits: The number of closures that each lane runs at once. Other lanes run one at a time.
    init(limits: [WorkLane: Int]) { self.limits = limits }

    func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value {
        let slot = SlotOperation()
        let observation = priority.observe { slot.setPriority($0) }
        defer { observation.cancel() }
        slot.setPriority(priority)
        queue(of: lane).addOperation(slot)
        defer { slot.release() }
        for await _ in slot.starts {
            try Task.checkCancellation()
            return try await work { _ in }
        }
        throw CancellationError()  // the stream of a cancelled task ends without a start
    }

    private func queue(of lane: WorkLane) -> OperationQueue {
        queues.withLock { queues in
            if let queue = queues[lane] { return queue }
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = limits[lane, default: 1]
            queues[lane] = queue
            return queue
        }
    }
}

/// An operation that finishes after its queue has started it and its caller has released it, in any order.
private final class SlotOperation: Operation, @unchecked Sendable {  // as `Operation` is
    /// Receives one element, when the queue starts the operation.
    let starts: AsyncStream<Void>
    private let onStart: AsyncStream<Void>.Continuation
    private let state = Mutex((isStarted: false, isReleased: false))
    private let priorityChange = Mutex(())

    override init() {
        (starts, onStart) = AsyncStream.makeStream()
        super.init()
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { state.withLock { $0.isStarted && !$0.isReleased } }
    override var isFinished: Bool { state.withLock { $0.isStarted && $0.isReleased } }

    override func start() {
        change { $0.isStarted = true }
        onStart.yield()
    }

    func release() { change { $0.isReleased = true } }

    /// Sets the priority of the operation. The lock ensures that the last of several concurrent changes is set last.
    func setPriority(_ priority: LivePriority) {
        priorityChange.withLock { _ in queuePriority = QueuePriority(priority.value) }
    }

    private func change(_ body: (inout (isStarted: Bool, isReleased: Bool)) -> Void) {
        willChangeValue(for: \.isExecuting)
        willChangeValue(for: \.isFinished)
        state.withLock { body(&$0) }
        didChangeValue(for: \.isExecuting)
        didChangeValue(for: \.isFinished)
    }
}

extension Operation.QueuePriority {
    fileprivate init(_ priority: RequestPriority) {
        self =
            switch priority {
            case .veryLow: .veryLow
            case .low: .low
            case .normal: .normal
            case .high: .high
            case .veryHigh: .veryHigh
            }
    }
}
