import ImageCore
import ImageScheduling
import Synchronization
import Testing

@testable import ImageTesting

@Suite("Scheduler under load", .timeLimit(.minutes(10)))
struct SchedulerStressTests {
    private static let lane = LaneOptions(limit: 3, perServerLimit: 2)

    @Test("work that is changed and cancelled on many threads runs once or is cancelled, within the limits")
    func threads() async {
        let (scheduler, counts) = (PriorityScheduler(lanes: [.download: Self.lane]), StressCounts())
        await withTaskGroup(of: Void.self) { group in
            for seed in 1...4 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(seed))
                    for number in 0..<500 {
                        Self.call(seed * 500 + number, scheduler, counts, executor: nil, &random)
                        if Bool.random(using: &random) { await Task.yield() }
                    }
                }
            }
        }
        await counts.ended.waitForCount(2_000)
        expectOneEnd(counts, of: 2_000)
        #expect(scheduler.waitingCount == 0 && scheduler.runningCount == 0)
    }

    @Test("the same holds for schedules that a seed determines", arguments: 1...60 as ClosedRange<UInt64>)
    func schedules(seed: UInt64) {
        let executor = SeededExecutor(seed: seed)
        let (scheduler, counts) = (PriorityScheduler(lanes: [.download: Self.lane]), StressCounts())
        var random = SeededRandom(seed: seed)
        for number in 0..<60 {
            Self.call(number, scheduler, counts, executor: executor, &random)
            executor.run(steps: Int.random(in: 0...4, using: &random))
        }
        executor.run()
        expectOneEnd(counts, of: 60)
        #expect(scheduler.waitingCount == 0 && scheduler.runningCount == 0)
    }

    private static func call(
        _ number: Int, _ scheduler: PriorityScheduler, _ counts: StressCounts, executor: (any TaskExecutor)?,
        _ random: inout SeededRandom
    ) {
        let (priority, server) = (LivePriority(.low), number.isMultiple(of: 2) ? "a" : "b")
        let task = Task(executorPreference: executor) {
            let result = await Result {
                try await scheduler.run(in: .download, server: server, priority: priority) {
                    counts.begin(number, server: server)
                    await Task.yield()
                    counts.end(server: server)
                    return number
                }
            }
            counts.ended.append(result)
        }
        priority.value = RequestPriority.allCases.randomElement(using: &random) ?? .normal
        if Bool.random(using: &random) { task.cancel() }
    }

    private func expectOneEnd(_ counts: StressCounts, of count: Int) {
        let values = counts.ended.messages.compactMap { try? $0.get() }
        let cancelled = counts.ended.messages.count {
            if case .failure(is CancellationError) = $0 { true } else { false }
        }
        #expect(values.count + cancelled == count)
        #expect(counts.runs == Dictionary(uniqueKeysWithValues: values.map { ($0, 1) }))
        #expect(counts.mostAtOnce <= 3 && counts.mostAtOncePerServer <= 2)
    }
}

extension Result where Success: Sendable, Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// Counts the runs of each work item, and the maximum number of concurrent ones.
private final class StressCounts: Sendable {
    private struct State: Sendable {
        var runs: [Int: Int] = [:]
        var current: [String: Int] = [:]
        var most = 0
        var mostPerServer = 0
    }

    let ended = MessageLog<Result<Int, any Error>>()
    private let state = Mutex(State())

    var runs: [Int: Int] { state.withLock { $0.runs } }
    var mostAtOnce: Int { state.withLock { $0.most } }
    var mostAtOncePerServer: Int { state.withLock { $0.mostPerServer } }

    func begin(_ name: Int, server: String) {
        state.withLock { state in
            state.runs[name, default: 0] += 1
            state.current[server, default: 0] += 1
            state.most = max(state.most, state.current.values.reduce(0, +))
            state.mostPerServer = max(state.mostPerServer, state.current[server, default: 0])
        }
    }

    func end(server: String) { state.withLock { $0.current[server, default: 0] -= 1 } }
}
