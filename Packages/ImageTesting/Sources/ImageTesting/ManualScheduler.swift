public import ImageCore

/// Runs work when the test says so, in the order that the test chooses, and records all calls.
///
/// Starting work that does not wait throws `NotWaiting`, so a test that starts the wrong work fails with the reason.
public final class ManualScheduler: WorkScheduler {
    /// Identifies a call, in order of arrival from 1.
    public struct WorkID: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }
    }

    /// What happened, in order.
    public enum Message: Hashable, Sendable {
        case enqueued(WorkID, WorkLane, RequestPriority, host: String?)
        case reprioritised(WorkID, RequestPriority)
        /// The task was cancelled while the work waited.
        case cancelled(WorkID)
        case started(WorkID)
        case finished(WorkID)
    }

    /// The work was never enqueued, was cancelled, or has started before.
    public struct NotWaiting: Error, CustomStringConvertible {
        /// Nil if any work would have done.
        public let id: WorkID?
        public let messages: [Message]

        public var description: String {
            "\(id.map { "work \($0.rawValue) does not wait" } ?? "no work waits"); so far: \(messages)"
        }
    }

    private struct Item: Sendable {
        var id: WorkID
        var priority: LivePriority
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var lastID = 0
        var waiting: [Item] = []
        var messages: [Message] = []

        mutating func take(_ id: WorkID) -> Item? {
            waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
        }
    }

    private let state = Watched(State())

    public init() {}

    public func run<Value: Sendable>(
        in lane: WorkLane, host: String?, priority: LivePriority, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        let id = makeID()
        let observation = priority.observe { [state] priority in
            state.change { state in
                if state.waiting.contains(where: { $0.id == id }) {
                    state.messages.append(.reprioritised(id, priority.value))
                }
            }
        }
        defer { observation.end() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.change { state in
                    // A later cancellation finds the item.
                    if Task.isCancelled { return true }
                    state.waiting.append(Item(id: id, priority: priority, continuation: continuation))
                    state.messages.append(.enqueued(id, lane, priority.value, host: host))
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            cancel(id)
        }
        defer { state.change { $0.messages.append(.finished(id)) } }
        return try await work()
    }

    /// What was asked of the scheduler and what it ran, in order.
    public var messages: [Message] { state.value.messages }

    /// The work that waits: higher priority first, in order of arrival within one.
    public var waiting: [WorkID] { Self.inOrder(state.value.waiting).map(\.id) }

    /// Waits until `count` works have been enqueued since the beginning, or until the task is cancelled.
    public func arrivals(_ count: Int) async {
        await state.reaches { $0.messages.count { if case .enqueued = $0 { true } else { false } } >= count }
    }

    /// Waits until the messages satisfy `condition`, or until the task is cancelled.
    public func reaches(_ condition: @escaping @Sendable ([Message]) -> Bool) async {
        await state.reaches { condition($0.messages) }
    }

    /// Starts this work, and waits until it has finished.
    public func run(_ id: WorkID) async throws {
        try start(id)
        await reaches { $0.contains(.finished(id)) }
    }

    /// Starts this work and returns.
    public func start(_ id: WorkID) throws {
        let item = state.change { state in
            let item = state.take(id)
            if item != nil { state.messages.append(.started(id)) }
            return item
        }
        guard let item else { throw NotWaiting(id: id, messages: messages) }
        item.continuation.resume()
    }

    /// Runs what a real scheduler would run next: the highest priority, and the first to arrive of those. Waits until it
    /// has finished.
    @discardableResult
    public func runNext() async throws -> WorkID {
        guard let next = waiting.first else { throw NotWaiting(id: nil, messages: messages) }
        try await run(next)
        return next
    }

    /// Runs work one after the other until none waits.
    public func runAll() async throws {
        while !waiting.isEmpty { try await runNext() }
    }

    private func makeID() -> WorkID {
        state.change { state in
            state.lastID += 1
            return WorkID(rawValue: state.lastID)
        }
    }

    private func cancel(_ id: WorkID) {
        let item = state.change { state in
            let item = state.take(id)
            if item != nil { state.messages.append(.cancelled(id)) }
            return item
        }
        item?.continuation.resume(throwing: CancellationError())
    }

    private static func inOrder(_ waiting: [Item]) -> [Item] {
        waiting.map { (item: $0, priority: $0.priority.value) }
            .sorted { ($1.priority, $0.item.id.rawValue) < ($0.priority, $1.item.id.rawValue) }
            .map(\.item)
    }
}
