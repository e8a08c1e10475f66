import ImageCoalescing
import ImageCore
import ImageLoading
import ImageTesting
import Synchronization

/// What one more costs who waits for a picture that is on its way already.
///
/// Processor time of all threads for one; the least of all rounds. All of a group wait for one piece of work, which a gate holds until the
/// last has joined; a round is many groups, because the kernel adds the time of other threads at its ticks alone.
enum WaiterBenchmarks {
    private static let waiterCount = 500
    private static let groupCount = 40

    /// A group whose work has begun: has all join, opens the gate and returns when all are answered.
    private typealias Group = @Sendable () async throws -> Void

    static func run(rounds: Int) async throws -> [Figure] {
        let kinds = [handles, tasks, coalesced, plain]
        var times = [Double](repeating: .infinity, count: kinds.count)
        for _ in 0..<rounds {
            for (index, kind) in kinds.enumerated() { times[index] = min(times[index], try await cost(kind)) }
        }
        let floor = Figure.Other(value: times[3], name: "a plain task that waits for a continuation, cancellably")
        return [
            Figure(
                name: "further waiter for the same picture, called back", value: times[0], unit: "µs", goal: 2,
                beside: [floor]),
            Figure(
                name: "further task that waits for the same picture", value: times[1], unit: "µs",
                beside: [Figure.Other(value: times[2], name: "of the coalescer alone"), floor]),
        ]
    }

    private static func cost(_ kind: () async throws -> Group) async throws -> Double {
        var groups: [Group] = []
        for _ in 0..<groupCount { groups.append(try await kind()) }
        return try await Stopwatch.processorMicroseconds {
            for group in groups { try await group() }
        } / Double(waiterCount * groupCount)
    }

    // MARK: What waits

    /// Handles of requests, `ImageTask`, without tasks of their own.
    private static func handles() async throws -> Group {
        let gate = Gate()
        let loader = LoaderBenchmarks.makeLoader(InstantTransport(gate: gate))
        guard let request = LoaderBenchmarks.makeRequest(0) else { return {} }
        let first = loader.task(for: request)
        await gate.arrivals(1)
        return {
            let answered = Countdown(waiterCount)
            let tasks = (0..<waiterCount).map { _ in
                loader.load(request, for: answered, on: .immediate) { answered, _ in answered.count() }
            }
            gate.open()
            await answered.end()
            _ = try await first.image()
            withExtendedLifetime(tasks) {}
        }
    }

    private static func tasks() async throws -> Group {
        let gate = Gate()
        let coalescer = SharedWorkCoalescer<ImageJobKey, LoadedImage>()
        let loader = LoaderBenchmarks.makeLoader(InstantTransport(gate: gate), imageCoalescer: coalescer)
        guard let request = LoaderBenchmarks.makeRequest(0) else { return {} }
        return try await group(at: gate) {
            coalescer.waiterCount
        } wait: { _ in
            _ = try await loader.image(for: request)
        }
    }

    private static func coalesced() async throws -> Group {
        let gate = Gate()
        let coalescer = SharedWorkCoalescer<Int, Int>()
        return try await group(at: gate) {
            coalescer.waiterCount
        } wait: { _ in
            _ = try await coalescer.value(for: 0, priority: .normal) { _ in
                await gate.pass()
                return 7
            }
        }
    }

    private static func plain() async throws -> Group {
        let (gate, waiting) = (Gate(), Waiting())
        let keeper = Task {
            await gate.pass()
            waiting.letGo()
        }
        return try await group(at: gate) {
            waiting.count
        } wait: { number in
            if number < waiterCount { try await waiting.wait(number) } else { await keeper.value }
        }
    }

    /// - Parameters:
    ///   - count: how many wait, of whom the first waits already when this returns.
    ///   - wait: waits, under its number; `waiterCount` is that of the first.
    private static func group(
        at gate: Gate, count: @escaping @Sendable () -> Int, wait: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Group {
        let first = Task { try await wait(waiterCount) }
        await gate.arrivals(1)
        let others = count()
        return {
            let begun = Countdown(waiterCount)
            let tasks = (0..<waiterCount).map { number in
                Task {
                    begun.count()
                    try await wait(number)
                }
            }
            await begun.end()
            // Those that have begun join before anything else can run in their threads: two are on their way, at most.
            while count() < others + waiterCount { await Task.yield() }
            gate.open()
            for task in tasks { try await task.value }
            try await first.value
        }
    }
}

/// Tasks that wait for one moment, in the plainest way that lets each be cancelled.
private final class Waiting: Sendable {
    private let continuations = Mutex<[Int: CheckedContinuation<Void, any Error>]>([:])

    var count: Int { continuations.withLock { $0.count } }

    func wait(_ number: Int) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                continuations.withLock { $0[number] = continuation }
            }
        } onCancel: {
            continuations.withLock { $0.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }

    func letGo() {
        let waiting = continuations.withLock { continuations in
            defer { continuations = [:] }
            return continuations
        }
        for continuation in waiting.values { continuation.resume() }
    }
}

/// Lets one go on when so many have counted.
private final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let gate = Gate()

    init(_ count: Int) { left = Atomic(count) }

    func count() {
        if left.subtract(1, ordering: .relaxed).newValue == 0 { gate.open() }
    }

    func end() async { await gate.pass() }
}
