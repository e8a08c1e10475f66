import CDiskFloor
import Foundation
import ImageCore
import ImageDiskCaching

/// Measures opening, memory and eviction of a disk cache with many entries.
enum DiskScaleBenchmarks {
    private static let entryCount = 100_000

    @concurrent
    static func run() async throws -> [Figure] { try await withTemporaryFolder { try await figures(in: $0) } }

    private static func figures(in folder: URL) async throws -> [Figure] {
        try await fill(folder)
        let opening = try await open(folder)
        let files = try await indexFileBytes(folder)
        return [
            Figure(
                name: "open, to the end of the first look-up (processor)", value: opening.processor, unit: "ms",
                goal: 50),
            Figure(
                name: "open, to the end of the first look-up (wall)", value: opening.passed, unit: "ms", goal: 50),
            Figure(name: "index in memory, an entry", value: opening.heapBytes, unit: "B", goal: 100),
            Figure(name: "index on disk, an entry", value: files, unit: "B", goal: 100),
            Figure(
                name: "longest of 1,000 stores that evict (processor)", value: try await longestStore(folder),
                unit: "ms", goal: 5),
        ]
    }

    private static func cache(_ folder: URL, byteLimit: Int = .max) -> DiskDataCache {
        DiskDataCache(directory: folder, byteLimit: byteLimit, now: { Date() })
    }

    private static func fill(_ folder: URL) async throws {
        let cache = cache(folder)
        for number in 0..<entryCount { try await cache.store(entry, for: DataCacheKey(source: imageURL(number))) }
    }

    private static var entry: DataCacheEntry {
        DataCacheEntry(data: Data(count: 300), createdAt: Date(timeIntervalSinceReferenceDate: 0))
    }

    /// Measures how long a new cache takes to answer its first look-up and to read its folder.
    ///
    /// Returns the minimum times in milliseconds and the maximum of heap bytes per entry, of five runs.
    private static func open(
        _ folder: URL
    ) async throws -> (processor: Double, passed: Double, heapBytes: Double) {
        var figures = (processor: Double.infinity, passed: Double.infinity, heapBytes: 0.0)
        let clock = ContinuousClock()
        // Keeps the caches alive, so that none frees memory while the next one allocates.
        var caches: [DiskDataCache] = []
        for _ in 0..<5 {
            let before = floor_heap_bytes()
            let start = clock.now
            let cache = cache(folder)
            let processor = try await Stopwatch.processorMicroseconds { try await use(cache) }
            figures.passed = min(figures.passed, (clock.now - start) / .milliseconds(1))
            figures.processor = min(figures.processor, processor / 1_000)
            figures.heapBytes = max(
                figures.heapBytes, (Double(floor_heap_bytes()) - Double(before)) / Double(entryCount))
            caches.append(cache)
        }
        return figures
    }

    private static func use(_ cache: DiskDataCache) async throws {
        guard try await cache.entry(for: DataCacheKey(source: imageURL(7))) != nil else {
            throw ContenderFailure(text: "DiskDataCache does not have an entry that was stored")
        }
        // A removal waits until the folder is read.
        try await cache.remove(for: DataCacheKey(source: "nothing"))
    }

    /// Returns the total size of all files other than entries, divided by the number of entries.
    private static func indexFileBytes(_ folder: URL) async throws -> Double {
        let status = try await cache(folder).status()
        var byteCount = 0
        for case let file as String in FileManager.default.enumerator(atPath: folder.path) ?? .init() {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(file)")
            if attributes[.type] as? FileAttributeType == .typeRegular { byteCount += attributes[.size] as? Int ?? 0 }
        }
        return Double(byteCount - status.byteCount) / Double(entryCount)
    }

    private static func longestStore(_ folder: URL) async throws -> Double {
        let byteCount = try await cache(folder).status().byteCount
        let cache = cache(folder, byteLimit: byteCount)
        var longest = 0.0
        for number in entryCount..<entryCount + 1_001 {
            let time = try await Stopwatch.processorMicroseconds {
                try await cache.store(entry, for: DataCacheKey(source: imageURL(number)))
            }
            // The first store waits until the folder is read.
            if number > entryCount { longest = max(longest, time / 1_000) }
        }
        return longest
    }
}
