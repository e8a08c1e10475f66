import ImageTesting
import Synchronization
import Testing

@Suite("SeededExecutor")
struct SeededExecutorTests {
    @Test("runs one step for each call, and returns false when no job is queued")
    func steps() {
        let executor = SeededExecutor(seed: 1)
        let log = MessageLog<String>()
        Task(executorPreference: executor) {
            log.append("first")
            await Task.yield()
            log.append("second")
        }
        #expect(log.messages.isEmpty)
        #expect(executor.step())
        #expect(log.messages == ["first"])
        #expect(executor.readyCount == 1)
        #expect(executor.run() == executor.stepCount - 1)
        #expect(log.messages == ["first", "second"])
        #expect(!executor.step())
    }

    @Test("the same seed gives the same schedule, and other seeds give others")
    func determinism() {
        let traces = [7, 7, 8, 9].map { Self.trace(seed: $0) }
        #expect(traces[0] == traces[1])
        #expect(Set(traces.map(\.fingerprint)).count == 3)
        #expect(Set(traces.map(\.log)).count == 3)
    }

    @Test("awaited tasks, child tasks and task groups run on the executor")
    func structure() {
        let executor = SeededExecutor(seed: 3)
        let sums = MessageLog<Int>()
        let first = Task(executorPreference: executor) {
            await Task.yield()
            return 1
        }
        Task(executorPreference: executor) {
            async let second = Self.later(2)
            let rest = await withTaskGroup(of: Int.self) { group in
                for number in 3...5 { group.addTask { await Self.later(number) } }
                return await group.reduce(0, +)
            }
            sums.append(await first.value + second + rest)
        }
        executor.run()
        #expect(sums.messages == [15])
    }

    private struct Trace: Hashable {
        var fingerprint: UInt64
        var log: [Int]
    }

    private static func trace(seed: UInt64) -> Trace {
        let executor = SeededExecutor(seed: seed)
        let log = MessageLog<Int>()
        for number in 0..<20 {
            Task(executorPreference: executor) {
                for _ in 0..<number % 4 { await Task.yield() }
                log.append(number)
            }
        }
        executor.run()
        return Trace(fingerprint: executor.fingerprint, log: log.messages)
    }

    private static func later(_ number: Int) async -> Int {
        await Task.yield()
        return number
    }
}
