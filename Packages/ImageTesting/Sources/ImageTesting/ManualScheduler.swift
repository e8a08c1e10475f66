public import ImageCore

/// Runs work only when the test says so, in the order that the test picks, and keeps a log of all that was asked of it.
///
/// Running work that does not wait throws `NotWaiting`: a test that runs the wrong thing fails and says why.
public final class ManualScheduler: WorkScheduler {
    /// What happened, in order.
    public enum Message: Hashable, Sendable {
        case enqueued(WorkID, WorkLane, RequestPriority, host: String?)
        case reprioritised(WorkID, RequestPriority)
        /// The flag is what `cancel` answered.
        case cancelled(WorkID, wasWaiting: Bool)
        case started(WorkID)
        case finished(WorkID)
    }

    /// Work was to run that was never enqueued, was cancelled, or has been started before.
    public struct NotWaiting: Error, CustomStringConvertible {
        /// Nil when any work would have done.
        public let id: WorkID?
        public let messages: [Message]

        public var description: String {
            "\(id.map { "work \($0.rawValue) does not wait" } ?? "no work waits"); so far: \(messages)"
        }
    }

    private struct State: Sendable {
        var lastID: UInt64 = 0
        var waiting: [(id: WorkID, work: ScheduledWork)] = []
        var messages: [Message] = []
    }

    private let state = Watched(State())

    public init() {}

    public func enqueue(_ work: ScheduledWork) -> WorkID {
        state.change { state in
            state.lastID += 1
            let id = WorkID(rawValue: state.lastID)
            state.waiting.append((id, work))
            state.messages.append(.enqueued(id, work.lane, work.priority, host: work.host))
            return id
        }
    }

    public func setPriority(_ priority: RequestPriority, of id: WorkID) {
        state.change { state in
            state.messages.append(.reprioritised(id, priority))
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return }
            state.waiting[index].work.priority = priority
        }
    }

    @discardableResult
    public func cancel(_ id: WorkID) -> Bool {
        let cancelled = state.change { state in
            let index = state.waiting.firstIndex { $0.id == id }
            state.messages.append(.cancelled(id, wasWaiting: index != nil))
            return index.map { state.waiting.remove(at: $0).work }
        }
        return cancelled != nil
    }

    /// What was asked of the scheduler and what it ran, in order.
    public var messages: [Message] { state.value.messages }

    /// The work that waits: higher priority first, in the order of arrival within one.
    public var waiting: [WorkID] { Self.inOrder(state.value.waiting).map(\.id) }

    /// Returns as soon as `count` pieces of work have been enqueued since the beginning, or when the task is cancelled.
    public func arrivals(_ count: Int) async { await state.reaches { $0.lastID >= UInt64(count) } }

    /// Returns as soon as what happened so far satisfies `condition`, or when the task is cancelled.
    public func reaches(_ condition: @escaping @Sendable ([Message]) -> Bool) async {
        await state.reaches { condition($0.messages) }
    }

    /// Runs this work in the calling task, and returns when it is over.
    public func run(_ id: WorkID) async throws { await perform(try take(id)) }

    /// Starts this work in a task of its own, and returns at once.
    @discardableResult
    public func start(_ id: WorkID) throws -> Task<Void, Never> {
        let work = try take(id)
        return Task.detached { await self.perform(work) }
    }

    /// Runs what a real scheduler would run next: the highest priority, the earliest of those. Returns when it is over.
    @discardableResult
    public func runNext() async throws -> WorkID {
        let next = try take(nil)
        await perform(next)
        return next.id
    }

    /// Runs work one after the other until none waits, also what is enqueued meanwhile.
    public func runAll() async throws {
        while !waiting.isEmpty { try await runNext() }
    }

    private func perform(_ item: (id: WorkID, work: ScheduledWork)) async {
        await item.work.run()
        state.change { $0.messages.append(.finished(item.id)) }
    }

    private func take(_ id: WorkID?) throws -> (id: WorkID, work: ScheduledWork) {
        let taken = state.change { state -> (id: WorkID, work: ScheduledWork)? in
            guard let chosen = id ?? Self.inOrder(state.waiting).first?.id,
                let index = state.waiting.firstIndex(where: { $0.id == chosen })
            else { return nil }
            state.messages.append(.started(chosen))
            return state.waiting.remove(at: index)
        }
        guard let taken else { throw NotWaiting(id: id, messages: messages) }
        return taken
    }

    /// Names grow with arrival, which settles ties.
    private static func inOrder(_ waiting: [(id: WorkID, work: ScheduledWork)]) -> [(id: WorkID, work: ScheduledWork)] {
        waiting.sorted {
            $0.work.priority == $1.work.priority ? $0.id.rawValue < $1.id.rawValue : $0.work.priority > $1.work.priority
        }
    }
}
