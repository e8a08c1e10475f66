import CDiskFloor
import Foundation
import ImageCore
import ImageDiskCaching

/// Measures opening, memory, eviction and reading of a disk cache with many entries.
enum DiskScaleBenchmarks {
    private static let entry = DataCacheEntry(
        data: Data(count: 300), creationDate: Date(timeIntervalSinceReferenceDate: 0))
    private static let storeCount = 5_000

    @concurrent
    static func run() async throws -> [Figure] {
        let small = try await withTemporaryFolder { folder in
            try await fill(folder, 10_000)
            return try await fullCache(folder, 10_000, goal: 2)
        }
        return try await withTemporaryFolder { folder in
            try await fill(folder, 100_000)
            // The memory first, before other caches have a list that they release later.
            return [
                try await firstRead(folder), try await memory(folder), small,
                try await fullCache(folder, 100_000, goal: 4), try await readsDuringScan(folder),
            ]
        }
    }

    private static func cache(_ folder: URL, byteLimit: Int = .max) -> DiskDataCache {
        DiskDataCache(directory: folder, byteLimit: byteLimit, now: { Date() })
    }

    private static func fill(_ folder: URL, _ count: Int) async throws {
        let cache = cache(folder)
        for number in 0..<count { try await cache.store(entry, for: imageKey(number)) }
    }

    /// Measures how long a new cache takes for its first lookup, the longest of five.
    private static func firstRead(_ folder: URL) async throws -> Figure {
        var longest = 0.0
        for number in 0..<5 {
            let start = ContinuousClock.now
            let cache = cache(folder)
            guard try await cache.entry(for: imageKey(number * 777)) != nil else { throw missing }
            longest = max(longest, (ContinuousClock.now - start) / .milliseconds(1))
        }
        return Figure(
            name: "opening and first read, of 100,000 (wall, longest of 5)", value: longest, unit: "ms", goal: 2)
    }

    /// Compares stores that evict with stores into a cache with space, by processor time.
    private static func fullCache(_ folder: URL, _ count: Int, goal: Double) async throws -> Figure {
        let free = try await meanStore(cache(folder), from: 200_000)
        let limit = try await cache(folder).status().byteCount + 24
        let full = try await meanStore(cache(folder, byteLimit: limit), from: 300_000)
        return Figure(
            name: "store into a full cache of \(count), to one with space", value: full / free,
            unit: "times", goal: goal)
    }

    /// Returns the mean microseconds of a store of a new entry.
    private static func meanStore(_ cache: DiskDataCache, from first: Int) async throws -> Double {
        let keys = (first..<first + storeCount).map(imageKey)
        let time = try await Stopwatch.processorMicroseconds {
            for key in keys { try await cache.store(entry, for: key) }
        }
        return time / Double(storeCount)
    }

    /// Measures the heap memory that a cache keeps after a scan.
    private static func memory(_ folder: URL) async throws -> Figure {
        let cache = cache(folder)
        let before = floor_heap_bytes()
        let count = try await cache.status().entryCount
        let bytes = Double(floor_heap_bytes()) - Double(before)
        return withExtendedLifetime(cache) {
            Figure(name: "memory, an entry", value: bytes / Double(count), unit: "B", goal: 100)
        }
    }

    /// Measures lookups while another task scans the folder.
    private static func readsDuringScan(_ folder: URL) async throws -> Figure {
        let cache = cache(folder)
        let scans = Task { while !Task.isCancelled { _ = try await cache.status() } }
        var times: [Double] = []
        for number in 0..<20_000 {
            let start = ContinuousClock.now
            guard try await cache.entry(for: imageKey(50_000 + number)) != nil else { throw missing }
            times.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        scans.cancel()
        _ = await scans.result
        let percentile = times.sorted()[times.count * 99 / 100]
        return Figure(
            name: "read during a scan of 100,000 (wall, 99th percentile)", value: percentile, unit: "ms", goal: 2)
    }

    private static var missing: ContenderFailure {
        ContenderFailure(text: "DiskDataCache does not have an entry that was stored")
    }
}
