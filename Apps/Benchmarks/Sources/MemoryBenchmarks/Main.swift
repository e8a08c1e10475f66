import Foundation
import ImageCore
import ImageMemoryCaching

/// Measures hits and insertions for several numbers of entries, and compares them with peers in the same run.
///
/// `MemoryBenchmarks [--svg FILE] [--peer PROGRAM] [COUNT…]`. A peer is a program whose arguments are the numbers of
/// entries and of threads. It prints tab-separated lines of name, entries, threads and nanoseconds, as
/// `MemoryBenchmarks --as-peer COUNT` does.
@main
enum Main {
    private static let rounds = 5

    @concurrent
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if let count = option("--as-peer", &arguments).flatMap({ Int($0) }) { return try hitsAsPeer(count) }
        let chart = option("--svg", &arguments)
        let peer = option("--peer", &arguments)
        let counts = arguments.isEmpty ? [1_000, 10_000, 100_000, 1_000_000] : arguments.compactMap { Int($0) }
        var points: [Point] = []
        for count in counts {
            var new = try peer.map { try hits(count, comparedWith: $0) } ?? []
            new += try hits(count)
            new.append(try await actorHits(count))
            new += insertions(count)
            new += threads(count)
            for line in new.map(\.line) + Budget.comparisons(new) { print(line) }
            points += new
        }
        if let chart { try HitChart.svg(points).write(toFile: chart, atomically: true, encoding: .utf8) }
    }

    private static func option(_ name: String, _ arguments: inout [String]) -> String? {
        guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
        defer { arguments.removeSubrange(index...index + 1) }
        return arguments[index + 1]
    }

    /// Measures all subjects in alternating rounds and returns the minimum of each.
    private static func hits(_ count: Int) throws -> [Point] {
        let keys = HeldKeys(count)
        let all: [any Subject] =
            [EvictionPolicy.lru, .sieve, .s3FIFO, .wTinyLFU, .gdsf].map { CacheSubject($0, count, keys) } + [
                ImageSubject(count, keys), DictionarySubject(count, keys), FoundationSubject(count),
            ]
        let subjects = all.filter { count <= $0.maximumCount }
        let order = hitOrder(count)
        var least = subjects.map { _ in Double.infinity }
        for _ in 0..<rounds {
            for (index, subject) in subjects.enumerated() {
                least[index] = min(least[index], try time(of: subject, order))
            }
        }
        return zip(subjects, least).map { Point(name: $0.name, operation: .hit, count: count, nanoseconds: $1) }
    }

    /// Runs LRU and a peer alternately, each time in a new process, and returns the medians of the processes' minimums.
    ///
    /// Memory placement differs between processes, and with many entries memory latency dominates.
    private static func hits(_ count: Int, comparedWith peer: String) throws -> [Point] {
        var times: [String: [Double]] = [:]
        for _ in 0..<9 {
            for others in [
                try Peer.times(CommandLine.arguments[0], ["--as-peer", "\(count)"]),
                try Peer.times(peer, ["\(count)", "1"]),
            ] {
                for (name, time) in others { times[name, default: []].append(time) }
            }
        }
        return times.sorted { $0.key < $1.key }.map { name, times in
            Point(name: name, operation: .pairedHit, count: count, nanoseconds: times.sorted()[times.count / 2])
        }
    }

    private static func hitsAsPeer(_ count: Int) throws {
        let subject = CacheSubject(.lru, count, HeldKeys(count))
        let order = hitOrder(count)
        let times = try (0..<4).map { _ in try time(of: subject, order) }
        print(subject.name, count, 1, times.min() ?? .infinity, separator: "\t")
    }

    private static func hitOrder(_ count: Int) -> [Int32] { Measuring.order(count, length: 2_000_000, seed: 7) }

    /// Returns the time of one hit in nanoseconds.
    private static func time(of subject: any Subject, _ order: [Int32]) throws -> Double {
        try Measuring.nanoseconds(order.count) {
            guard try subject.lookUp(order) == order.count else { throw Miss() }
        }
    }

    private static func actorHits(_ count: Int) async throws -> Point {
        let cache = OrderedArrayCache()
        let keys = (0..<count).map { Measuring.url($0) }
        for (number, key) in keys.enumerated() { await cache.insert(number, for: key) }
        let order = Measuring.order(count, length: max(20, min(20_000, 20_000_000 / count)), seed: 9)
        var least = Double.infinity
        for _ in 0..<3 {
            let start = Measuring.now(CLOCK_PROCESS_CPUTIME_ID)
            for number in order {
                guard await cache.value(for: keys[Int(number)]) != nil else { throw Miss() }
            }
            least = min(least, (Measuring.now(CLOCK_PROCESS_CPUTIME_ID) - start) / Double(order.count))
        }
        return Point(name: "actor with an array in the order of use", operation: .hit, count: count, nanoseconds: least)
    }

    private static func insertions(_ count: Int) -> [Point] {
        [EvictionPolicy.lru, .sieve, .s3FIFO, .wTinyLFU, .lfu, .gdsf].flatMap { policy in
            [insertion(count, policy, .insertion), insertion(count, policy, .mixedInsertion)]
        }
    }

    /// Measures insertions of new keys into a full cache, each of which evicts an entry.
    private static func insertion(_ count: Int, _ policy: EvictionPolicy, _ operation: Point.Operation) -> Point {
        let cache = fullCache(count, policy, isMixed: operation == .mixedInsertion)
        var least = Double.infinity
        for round in 1...rounds {
            let first = count + round * 50_000
            let keys = (first..<first + 50_000).map { ImageCacheKey(source: Measuring.url($0)) }
            least = min(least, Measuring.nanoseconds(keys.count) { for key in keys { cache.insert(0, for: key) } })
        }
        return Point(name: "MemoryCache, \(policy)", operation: operation, count: count, nanoseconds: least)
    }

    /// - Parameter isMixed: whether random hits have changed the eviction order.
    private static func fullCache(_ count: Int, _ policy: EvictionPolicy, isMixed: Bool)
        -> MemoryCache<ImageCacheKey, Int>
    {
        let cache = MemoryCache<ImageCacheKey, Int>(limits: CacheLimits(count: count), policy: policy)
        let keys = (0..<count).map { ImageCacheKey(source: Measuring.url($0)) }
        for (number, key) in keys.enumerated() { cache.insert(number, for: key) }
        let hits = Measuring.order(count, length: isMixed ? 2 * count : 0, seed: 11)
        for number in hits { _ = cache.value(for: keys[Int(number)]) }
        return cache
    }

    /// Measures the wall-clock time per hit of one thread and of two concurrent threads.
    ///
    /// Takes the minimum of many rounds, because the system sometimes runs both threads on one processor.
    private static func threads(_ count: Int) -> [Point] {
        let keys = (0..<count).map { ImageCacheKey(source: Measuring.url($0)) }
        let cache = MemoryCache<ImageCacheKey, Int>(limits: CacheLimits(count: count))
        for (number, key) in keys.enumerated() { cache.insert(number, for: key) }
        var least = [1: Double.infinity, 2: Double.infinity]
        for _ in 0..<5 * rounds {
            for threads in [1, 2] {
                let orders = (0..<threads).map {
                    Measuring.order(count, length: 600_000 / threads, seed: UInt64($0) + 5)
                }
                let start = Measuring.now(CLOCK_MONOTONIC)
                DispatchQueue.concurrentPerform(iterations: threads) { thread in
                    for number in orders[thread] { _ = cache.value(for: keys[Int(number)]) }
                }
                least[threads] = min(least[threads] ?? .infinity, (Measuring.now(CLOCK_MONOTONIC) - start) / 600_000)
            }
        }
        return least.sorted { $0.key < $1.key }.map {
            Point(
                name: "MemoryCache, LRU, \($0.key) thread(s), wall", operation: .hit, count: count,
                nanoseconds: $0.value)
        }
    }
}

/// An entry that should be in the cache is missing.
struct Miss: Error {}

/// A measured time.
struct Point {
    enum Operation: String {
        case hit
        /// A hit, measured in a separate process.
        case pairedHit = "hit, in its own process"
        /// An insertion that evicts in insertion order.
        case insertion
        /// An insertion that evicts after twice as many random hits as entries.
        case mixedInsertion = "insertion after hits"
    }

    var name: String
    var operation: Operation
    var count: Int
    var nanoseconds: Double

    var line: String {
        Self.row(
            "\(operation.rawValue), \(count) entries: \(name)", nanoseconds, "ns", budget: Budget.nanoseconds(of: self))
    }

    static func row(_ label: String, _ value: Double, _ unit: String, budget: Double?) -> String {
        let result = budget.map { String(format: "  <= %g %@", $0, value <= $0 ? "met" : "NOT met") } ?? ""
        return label.padding(toLength: 72, withPad: " ", startingAt: 0)
            + String(format: "%12.2f %@", value, unit) + result
    }
}

/// Runs another benchmark program.
enum Peer {
    /// Returns the times that the program prints, in nanoseconds by name.
    static func times(_ program: String, _ arguments: [String]) throws -> [String: Double] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map { $0.split(separator: "\t") }
        return Dictionary(
            lines.compactMap { fields in
                fields.count > 3 ? Double(fields[3]).map { (String(fields[0]), $0) } : nil
            }, uniquingKeysWith: min)
    }
}
