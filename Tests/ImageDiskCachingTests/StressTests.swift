import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

@Suite("Concurrent operations")
struct StressTests {
    private static let limit = 400_000

    /// Returns an entry whose metadata contains the number of its key and its version.
    private static func genuine(_ number: Int, _ version: Int) -> DataCacheEntry {
        entry(2_000 + version % 7 * 11_000, seed: UInt64(version * 100 + number))
    }

    private static func isGenuine(_ found: DataCacheEntry?, _ number: Int) -> Bool {
        guard let found else { return true }
        let seed = String(decoding: found.metadata, as: UTF8.self).split(separator: " ").last.flatMap { Int($0) } ?? -1
        return seed % 100 == number && found == genuine(number, seed / 100)
    }

    private static func step(_ cache: DiskDataCache, _ random: inout SeededRandom) async throws {
        let number = Int.random(in: 0..<20, using: &random)
        let fresh = genuine(number, Int.random(in: 0..<50, using: &random))
        switch Int.random(in: 0..<20, using: &random) {
        case 0: try await cache.remove(for: key(number))
        case 1: _ = try await cache.status()
        case 2: try await cache.trim(to: limit / 2)
        case 3: #expect(try await cache.verify().removedEntryCount == 0)
        case 4: try await cache.removeAll(unusedFor: .milliseconds(50))
        case 5...7:
            let writer = try await cache.writer(for: key(number), expectedByteCount: fresh.data.count)
            try await writer.append(fresh.data.prefix(1_000))
            try await writer.append(fresh.data.dropFirst(1_000))
            try await writer.finish(metadata: fresh.metadata, creationDate: fresh.creationDate)
        case 8:
            guard let reader = try await cache.reader(for: key(number)) else { return }
            _ = try await reader.bytes(in: 100..<reader.byteCount)
        case 9...12: try await cache.store(fresh, for: key(number))
        default: #expect(isGenuine(try await cache.entry(for: key(number)), number))
        }
    }

    @Test("many tasks on two caches of one folder find entries intact, and leave no more than the limit")
    func keepsEntriesIntact() async throws {
        let folder = TestFolder()
        let caches = [folder.cache(byteLimit: Self.limit), folder.cache(byteLimit: Self.limit)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(task))
                    for _ in 0..<60 { try await Self.step(caches[task % 2], &random) }
                }
            }
            try await group.waitForAll()
        }
        // While files are replaced, their sizes can't be added up: `SharingTests` checks the limit before each system call.
        #expect(folder.totalByteCount() <= Self.limit)
        #expect(try await caches[0].status().byteCount == folder.byteCount())
        #expect(!folder.hasUnfinishedFiles)
    }
}
