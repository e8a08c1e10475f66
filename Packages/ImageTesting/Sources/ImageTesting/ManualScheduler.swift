package import ImageCore

/// A scheduler whose work a test starts, in any order. It logs its calls.
///
/// Starting work that does not wait throws `NotWaiting`, which explains the reason in a failed test.
package final class ManualScheduler: WorkScheduler {
    /// The number of a call, in order of arrival, from 1.
    package struct WorkID: RawRepresentable, Hashable, Sendable {
        /// The number, from 1.
        package let rawValue: Int

        /// Creates an identifier from a number.
        package init(rawValue: Int) { self.rawValue = rawValue }
    }

    /// A call of the scheduler or a change of its work.
    package enum Message: Hashable, Sendable {
        /// The work was added to a lane.
        case enqueued(WorkID, WorkLane, RequestPriority, server: String?)
        /// The priority of waiting work changed.
        case reprioritized(WorkID, RequestPriority)
        /// The caller's task was cancelled while its work waited.
        case cancelled(WorkID)
        /// The test started the work.
        case started(WorkID)
        /// The work returned or threw.
        case finished(WorkID)
    }

    /// An error for work that was never enqueued, was cancelled, or has already started.
    package struct NotWaiting: Error, CustomStringConvertible {
        /// The work that the test wanted to start, or nil if that was the next work.
        let id: WorkID?
        let messages: [Message]

        /// The work and all messages.
        package var description: String {
            "\(id.map { "work \($0.rawValue) does not wait" } ?? "no work waits"); so far: \(messages)"
        }
    }

    private struct Item: Sendable {
        var id: WorkID
        var priority: LivePriority
        let signal = OneTimeSignal()
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

    /// Creates a scheduler without work.
    package init() {}

    package func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value {
        let id = makeID()
        let observation = priority.observe { [state] priority in
            state.change { state in
                if state.waiting.contains(where: { $0.id == id }) {
                    state.messages.append(.reprioritized(id, priority.value))
                }
            }
        }
        defer { observation.cancel() }
        try Task.checkCancellation()
        let item = Item(id: id, priority: priority)
        state.change { state in
            state.waiting.append(item)
            state.messages.append(.enqueued(id, lane, priority.value, server: server))
        }
        try await item.signal.wait { cancel(id) }
        defer { state.change { $0.messages.append(.finished(id)) } }
        return try await work { _ in }
    }

    /// All messages so far, in order.
    package var messages: [Message] { state.value.messages }

    /// The waiting work, by priority and then by arrival.
    package var waiting: [WorkID] { Self.inOrder(state.value.waiting).map(\.id) }

    /// Waits until `count` closures have been enqueued in total, or until the task is cancelled.
    package func waitForArrivals(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await waitUntil(
            { $0.count { if case .enqueued = $0 { true } else { false } } >= count }, file: file, line: line)
    }

    /// Waits until the messages satisfy `condition`, or until the task is cancelled.
    package func waitUntil(
        _ condition: @escaping @Sendable ([Message]) -> Bool, file: StaticString = #fileID, line: UInt = #line
    ) async {
        await state.waitUntil({ condition($0.messages) }, file: file, line: line)
    }

    /// Starts this work and waits until it has finished.
    package func run(_ id: WorkID) async throws {
        try start(id)
        await waitUntil { $0.contains(.finished(id)) }
    }

    /// Starts this work. Does not wait for its end.
    package func start(_ id: WorkID) throws {
        let item = state.change { state in
            let item = state.take(id)
            if item != nil { state.messages.append(.started(id)) }
            return item
        }
        guard let item else { throw NotWaiting(id: id, messages: messages) }
        item.signal.send()
    }

    /// Runs the first waiting work, as a real scheduler would, and waits until it has finished.
    @discardableResult
    package func runNext() async throws -> WorkID {
        guard let next = waiting.first else { throw NotWaiting(id: nil, messages: messages) }
        try await run(next)
        return next
    }

    /// Runs all waiting work, one after the other.
    package func runAll() async throws {
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
        item?.signal.fail(CancellationError())
    }

    private static func inOrder(_ waiting: [Item]) -> [Item] {
        waiting.map { (item: $0, priority: $0.priority.value) }
            .sorted { ($1.priority, $0.item.id.rawValue) < ($0.priority, $1.item.id.rawValue) }
            .map(\.item)
    }
}
