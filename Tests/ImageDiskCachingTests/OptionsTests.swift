import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

@Suite("Options of the disk cache")
struct OptionsTests {
    private let folder = TestFolder()

    @Test("an entry that was not used for longer than the age limit is a miss and is removed; a use keeps it")
    func maxAge() async throws {
        let cache = folder.cache { $0.maxUnusedTime = .seconds(100) }
        for number in 1...3 { try await cache.store(entry(100), for: key(number)) }
        folder.time.value += 60
        #expect(try await cache.entry(for: key(1)) != nil)
        folder.time.value += 60
        #expect(try await cache.entry(for: key(1)) != nil)
        #expect(try await cache.entry(for: key(2)) == nil)
        try await cache.flush()
        #expect(folder.files().count == 2)
        // Opening the cache also removes expired entries.
        try await folder.cache { $0.maxUnusedTime = .seconds(100) }.store(entry(100), for: key(4))
        #expect(folder.files().count == 2)
    }

    @Test("entries from a time when the clock was ahead expire")
    func ageLimitAfterWrongClock() async throws {
        folder.time.value += 315_360_000
        let cache = folder.cache { $0.maxUnusedTime = .seconds(100) }
        try await cache.store(entry(100), for: key(1))
        folder.time.value = testTime
        #expect(try await cache.entry(for: key(1)) == nil)
    }

    @Test("the cache evicts entries to keep free space, and stores throw if that is not enough")
    func minFreeSpace() async throws {
        for number in 1...3 {
            try await folder.cache { $0.minFreeByteCount = 1 }.store(entry(1_000), for: key(number))
        }
        #expect(folder.files().count == 3)
        await #expect(throws: DataCacheError.noSpace) {
            try await folder.cache { $0.minFreeByteCount = .max }.store(entry(1_000), for: key(4))
        }
        #expect(folder.files().isEmpty)
    }
}
