import CTransportFloor
import Foundation
import ImageCore
import ImageLoading
import ImageScheduling

/// Measures the memory of 100,000 requests that wait in the download lane, and the time to queue, reprioritize and
/// cancel each, compared with 10,000 requests.
enum WaitingBenchmarks {
    private struct Costs {
        var bytes = 0.0
        var queued = 0.0
        var reprioritized = 0.0
        var cancelled = 0.0
    }

    static func run() async throws -> [Figure] {
        // Measures the larger number first. The smaller one would otherwise leave memory that the larger one reuses.
        let (many, few) = (try await costs(100_000), try await costs(10_000))
        func figure(_ name: String, _ cost: KeyPath<Costs, Double>) -> Figure {
            Figure(
                name: "\(name), one of 100,000 requests", value: many[keyPath: cost], unit: "µs",
                beside: [Figure.Other(value: few[keyPath: cost], name: "of 10,000")])
        }
        return [
            Figure(name: "memory of a waiting request, of 100,000", value: many.bytes, unit: "B", goal: 16_000),
            figure("queued", \.queued), figure("reprioritized", \.reprioritized), figure("cancelled", \.cancelled),
        ]
    }

    private static func costs(_ count: Int) async throws -> Costs {
        let scheduler = PriorityScheduler(lanes: [.download: LaneOptions(limit: 0, perServerLimit: 6)])
        let loader = LoaderBenchmarks.makeLoader(InstantTransport(), scheduler: scheduler)
        let requests = (0..<count).compactMap(LoaderBenchmarks.makeRequest)
        let bytes = Int(floor_resident_bytes())
        var costs = Costs()
        var tasks: [ImageTask] = []
        costs.queued =
            try await Stopwatch.processorMicroseconds {
                tasks = requests.map { loader.task(for: $0) }
                try await until { scheduler.waitingCount == count }
            } / Double(count)
        costs.bytes = Double(Int(floor_resident_bytes()) - bytes) / Double(count)
        costs.reprioritized =
            Stopwatch.processorMilliseconds {
                for (number, task) in tasks.enumerated() { task.priority = number.isMultiple(of: 2) ? .high : .low }
            } * 1_000 / Double(count)
        costs.cancelled =
            try await Stopwatch.processorMicroseconds {
                for task in tasks.prefix(count / 2) { task.cancel() }
                try await until { scheduler.waitingCount == count - count / 2 }
            } / Double(count / 2)
        scheduler[limitOf: .download] = 6
        for task in tasks.dropFirst(count / 2) { _ = try await task.image }
        return costs
    }

    private static func until(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }
}
