import ImageCore

/// A scheduler whose work a test starts, in any order. It logs its calls.
///
/// The numbers of work are those of its arrival, from 1.
final class ManualScheduler: WorkScheduler {
    /// A call of the scheduler or a change of its work.
    enum Message: Hashable, Sendable {
        /// The work with this number was added to a lane.
        case enqueued(Int, WorkLane, RequestPriority, server: String?)
        /// The priority of waiting work changed.
        case reprioritized(Int, RequestPriority)
        /// The caller's task was cancelled while its work waited.
        case cancelled(Int)
    }

    /// An error for work that does not wait: it was never enqueued, was cancelled, or has already started.
    struct NotWaiting: Error {
        /// The number of the work, or nil for the next one.
        let number: Int?
        /// All messages so far.
        let messages: [Message]
    }

    private struct Item: Sendable {
        var number: Int
        var priority: LivePriority
        let signal = OneTimeSignal()
    }

    private struct State: Sendable {
        var count = 0
        var waiting: [Item] = []
        var finished: Set<Int> = []
        var messages: [Message] = []

        mutating func take(_ number: Int) -> Item? {
            waiting.firstIndex { $0.number == number }.map { waiting.remove(at: $0) }
        }
    }

    private let state = Watched(State())

    /// Creates a scheduler without work.
    init() {}

    func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value {
        let number = state.change { state in
            state.count += 1
            return state.count
        }
        let observation = priority.observe { [state] priority in
            state.change { state in
                if state.waiting.contains(where: { $0.number == number }) {
                    state.messages.append(.reprioritized(number, priority.value))
                }
            }
        }
        defer { observation.cancel() }
        try Task.checkCancellation()
        let item = Item(number: number, priority: priority)
        state.change { state in
            state.waiting.append(item)
            state.messages.append(.enqueued(number, lane, priority.value, server: server))
        }
        try await item.signal.wait { [state] in
            let item = state.change { state in
                let item = state.take(number)
                if item != nil { state.messages.append(.cancelled(number)) }
                return item
            }
            item?.signal.fail(CancellationError())
        }
        defer { _ = state.change { $0.finished.insert(number) } }
        return try await work { _ in }
    }

    /// All messages so far, in order.
    var messages: [Message] { state.value.messages }

    /// The numbers of the waiting work, by priority and then by arrival.
    var waiting: [Int] {
        state.value.waiting.map { (number: $0.number, priority: $0.priority.value) }
            .sorted { ($1.priority, $0.number) < ($0.priority, $1.number) }
            .map(\.number)
    }

    /// Waits until `count` closures have been enqueued in total, or until the task is cancelled.
    func waitForArrivals(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await waitUntil(
            { $0.count { if case .enqueued = $0 { true } else { false } } >= count }, file: file, line: line)
    }

    /// Waits until the messages satisfy `condition`, or until the task is cancelled.
    func waitUntil(
        _ condition: @escaping @Sendable ([Message]) -> Bool, file: StaticString = #fileID, line: UInt = #line
    ) async {
        await state.waitUntil({ condition($0.messages) }, file: file, line: line)
    }

    /// Starts this work and waits until it has returned or thrown.
    func run(_ number: Int) async throws {
        guard let item = state.change({ $0.take(number) }) else {
            throw NotWaiting(number: number, messages: messages)
        }
        item.signal.send()
        await state.waitUntil { $0.finished.contains(number) }
    }

    /// Runs the first waiting work, as a real scheduler would, and waits until it has finished.
    @discardableResult
    func runNext() async throws -> Int {
        guard let next = waiting.first else { throw NotWaiting(number: nil, messages: messages) }
        try await run(next)
        return next
    }

    /// Runs all waiting work, one after the other.
    func runAll() async throws {
        while !waiting.isEmpty { try await runNext() }
    }
}
