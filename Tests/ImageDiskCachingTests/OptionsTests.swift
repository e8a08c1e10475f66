import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

@Suite("Options of the disk cache")
struct OptionsTests {
    private let folder = TestFolder()

    @Test("an entry that was not used for longer than the age limit is a miss and is removed; a use keeps it")
    func ageLimit() async throws {
        let cache = folder.cache { $0.ageLimit = .seconds(100) }
        for number in 1...3 { try await cache.store(entry(100), for: key(number)) }
        folder.time.value += 60
        #expect(try await cache.entry(for: key(1)) != nil)
        folder.time.value += 60
        #expect(try await cache.entry(for: key(1)) != nil)
        #expect(try await cache.entry(for: key(2)) == nil)
        try await cache.flush()
        #expect(folder.files().count == 2)
        // Opening the cache also removes expired entries.
        try await folder.cache { $0.ageLimit = .seconds(100) }.store(entry(100), for: key(4))
        #expect(folder.files().count == 2)
    }

    @Test("entries from a time when the clock was ahead expire")
    func ageLimitAfterWrongClock() async throws {
        folder.time.value += 315_360_000
        let cache = folder.cache { $0.ageLimit = .seconds(100) }
        try await cache.store(entry(100), for: key(1))
        folder.time.value = testTime
        #expect(try await cache.entry(for: key(1)) == nil)
    }

    @Test("the cache evicts entries to keep free space, and stores throw if that is not enough")
    func minimumFreeSpace() async throws {
        for number in 1...3 {
            try await folder.cache { $0.minimumFreeSpace = 1 }.store(entry(1_000), for: key(number))
        }
        #expect(folder.files().count == 3)
        await #expect(throws: DataCacheError.noSpace) {
            try await folder.cache { $0.minimumFreeSpace = .max }.store(entry(1_000), for: key(4))
        }
        #expect(folder.files().isEmpty)
    }

    @Test("names can be custom digests, and keys with the same digest never return each other's data")
    func naming() async throws {
        let cache = folder.cache(byteLimit: 4 << 20) {
            $0.naming = .digest { SIMD4(UInt64($0.identifier.utf8.count), 0, 0, 0xFF) }
        }
        try await cache.store(entry(100), for: key(1))
        #expect(folder.files().first?.hasSuffix("00000000000000ff") == true)
        #expect(try await cache.entry(for: key(1)) == entry(100))
        try await cache.store(entry(100, seed: 2), for: key(2))
        #expect(try await cache.entry(for: key(1)) == nil)
        #expect(try await cache.entry(for: key(2)) == entry(100, seed: 2))
        #expect(try await cache.verify().damagedRemoved == 0)
        // Large ones are opened, not read.
        try await cache.store(entry(2 << 20), for: key(3))
        #expect(try await cache.reader(for: key(3)) != nil)
        #expect(try await cache.reader(for: key(4)) == nil)
    }

    @Test("a flat cache has its entries in one folder")
    func flat() async throws {
        let cache = folder.cache { $0.layout = .flat }
        for number in 1...3 { try await cache.store(entry(100), for: key(number)) }
        #expect(folder.files().allSatisfy { !$0.contains("/") })
        #expect(try await cache.status().entryCount == 3)
        try await cache.removeAll()
        #expect(folder.files().isEmpty)
    }
}
