import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Synchronization
import Testing

@Suite("The index on disk")
struct IndexFileTests {
    private let folder = TestFolder()
    private var index: URL { folder.url.appending(path: "entries.index") }
    private static let count = 6
    private static let files = 6 * fileSize(entry(500), key(1))
    private static let limit = ImageDiskCachingTests.limit(6, files: files)

    /// Fills the folder to its limit, uses entry 1 last, and returns the journal.
    private func fill() async throws -> Data {
        let cache = folder.cache(byteLimit: Self.limit)
        for number in 1...Self.count { try await cache.store(entry(500), for: key(number)) }
        _ = try await cache.entry(for: key(1))
        try await cache.flush()
        return try Data(contentsOf: index)
    }

    /// Checks that all entries exist, and that a store doesn't exceed the limit.
    private func expectIntact(_ comment: Comment) async throws {
        let cache = folder.cache(byteLimit: Self.limit)
        for number in 1...Self.count {
            let found = try await cache.entry(for: key(number))
            #expect(found == entry(500), comment)
        }
        try await cache.store(entry(500), for: key(9))
        #expect(folder.byteCount() == Self.files, comment)
        #expect(try await cache.status().byteCount == Self.files, comment)
        #expect(try await cache.status().indexByteCount == folder.indexByteCount(), comment)
        #expect(folder.byteCount() + folder.indexByteCount() <= Self.limit, comment)
        try await cache.remove(for: key(9))
        for number in 1...Self.count { try await cache.store(entry(500), for: key(number)) }
    }

    @Test("if the journal is truncated at any byte, no entry is lost and the limit holds")
    func truncated() async throws {
        let original = try await fill()
        for length in stride(from: 0, to: original.count, by: 29) {
            try original.prefix(length).write(to: index)
            try await expectIntact("truncated at \(length)")
        }
    }

    @Test("if the journal is altered at any byte, removed or replaced, no entry is lost and the limit holds")
    func altered() async throws {
        let original = try await fill()
        for position in stride(from: 0, to: original.count, by: 23) {
            var altered = original
            altered[position] ^= 0xFF
            try altered.write(to: index)
            try await expectIntact("altered at \(position)")
        }
        for other in [
            Data(), Data(count: 6_400), Data("something else".utf8), original + original, original + Data([1]),
        ] {
            try other.write(to: index)
            try await expectIntact("\(other.count) other bytes")
        }
        try FileManager.default.removeItem(at: index)
        try await expectIntact("removed")
    }

    @Test("if the journal is removed or truncated while a cache is in use, no entry is lost and the limit holds")
    func damagedInUse() async throws {
        _ = try await fill()
        let cache = folder.cache(byteLimit: Self.limit)
        try await cache.store(entry(500), for: key(1))
        let changes: [(URL) throws -> Void] = [
            { try FileManager.default.removeItem(at: $0) },
            { try Data().write(to: $0) },
            { try FileHandle(forWritingTo: $0).truncate(atOffset: 100) },
            { try FileHandle(forWritingTo: $0).truncate(atOffset: 0) },
        ]
        for change in changes {
            try change(index)
            #expect(try await cache.entry(for: key(1)) == entry(500))
            try await cache.store(entry(500), for: key(9))
            #expect(folder.byteCount() == Self.files)
            try await cache.remove(for: key(9))
            for number in 1...Self.count { try await cache.store(entry(500), for: key(number)) }
            #expect(try await cache.status().entryCount == Self.count)
        }
    }

    @Test(
        "after a restart of the system, entries that are missing in the index are found, and uses are kept")
    func rebuildsAfterReboot() async throws {
        let older = try await fill()
        let first = folder.cache(byteLimit: 1 << 20)
        try await first.store(entry(500), for: key(7))
        // The device loses the newest events, as after a power cut.
        try older.write(to: index)
        let limit = ImageDiskCachingTests.limit(6, files: Self.files, vacant: 1)
        let restarted = folder.cache(byteLimit: limit, fileSystem: RestartedFileSystem())
        try await restarted.store(entry(500), for: key(8))
        #expect(folder.byteCount() == Self.files)
        #expect(try await restarted.entry(for: key(1)) != nil, "it was used after the evicted entries")
        #expect(try await restarted.entry(for: key(2)) == nil)
        #expect(try await restarted.entry(for: key(7)) != nil)
    }

    @Test(
        "the index has 64 bytes for each entry, and a journal of up to a 64th of the limit"
    )
    func staysSmall() async throws {
        let cache = folder.cache()
        for round in 0..<1_000 { try await cache.store(entry(1), for: key(round % 3)) }
        #expect(folder.indexByteCount() <= 4 * JournalFormat.slotSize + (1 << 20) / 64)
        let later = folder.cache()
        for number in 0..<3 { #expect(try await later.entry(for: key(number)) == entry(1)) }
        #expect(try await later.status().entryCount == 3)
    }

    @Test("slots of removed entries are reused, and removed if there are many")
    func dropsVacancies() async throws {
        let cache = folder.cache(byteLimit: 40_000)
        for number in 0..<60 { try await cache.store(entry(1), for: key(number)) }
        try await cache.trim(to: 10 * fileSize(entry(1), key(10)))
        _ = try await cache.status()
        let table = folder.url.appending(path: "entries.table")
        #expect(try Data(contentsOf: table).count <= (2 * 10 + 9 + 16) * JournalFormat.slotSize)
        #expect(try await folder.cache(byteLimit: 40_000).status().entryCount == 10)
        #expect(try await cache.entry(for: key(59)) == entry(1))
    }

    @Test("if the table is removed, truncated or altered, no entry is lost and the limit holds")
    func tableDamaged() async throws {
        let table = folder.url.appending(path: "entries.table")
        _ = try await fill()
        let cache = folder.cache(byteLimit: Self.limit)
        for round in 0..<12 { try await cache.store(entry(500), for: key(round % 6 + 1)) }
        let original = try Data(contentsOf: table)
        #expect(original.count >= Self.count * JournalFormat.slotSize)
        var altered = original
        altered[100] ^= 1
        for other in [
            Data(), original.prefix(100), original.prefix(64), altered, Data(count: original.count),
            original + original,
        ] {
            try other.write(to: table)
            try await expectIntact("\(other.count) other bytes")
        }
        try FileManager.default.removeItem(at: table)
        try await expectIntact("removed")
    }

    @Test("slots after the end of the table, which a killed process wrote, are not entries")
    func tableTooLong() async throws {
        _ = try await fill()
        let cache = folder.cache(byteLimit: Self.limit)
        for round in 0..<12 { try await cache.store(entry(500), for: key(round % 6 + 1)) }
        let url = folder.url.appending(path: "entries.table")
        var table = try Data(contentsOf: url)
        let ghost = EntryIndex.Record(name: EntryName(key(77)), byteCount: 500, stamp: 1)
        let slot = table.count / JournalFormat.slotSize
        table += JournalFormat.bytes(of: [.insert(ghost, slot: slot, releasing: nil)], at: table.count)
        try table.write(to: url)
        #expect(try await folder.cache(byteLimit: Self.limit).status().entryCount == Self.count)
        try await expectIntact("a slot too many")
    }

    @Test("opening a folder and storing an entry don't list the entries")
    func opensWithoutScan() async throws {
        _ = try await fill()
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem())
        let cache = folder.cache(byteLimit: Self.limit, fileSystem: fileSystem)
        try await cache.store(entry(500), for: key(9))
        // The first list finds leftovers of ended processes, the second one the files of running processes.
        #expect(fileSystem.operations.filter { $0 == .list }.count == 2)
        #expect(try await cache.entry(for: key(2)) == nil, "it was the least recently used")
    }

    @Test("a hit in the page cache uses only non-blocking calls")
    func readsNonblocking() async throws {
        _ = try await fill()
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem())
        let cache = folder.cache(byteLimit: Self.limit, fileSystem: fileSystem)
        _ = try await cache.status()
        let before = fileSystem.log.count
        #expect(try await cache.entry(for: key(3)) == entry(500))
        // The folder is opened in the background.
        let calls = fileSystem.operations[before...].filter {
            [.openToRead, .openToReadNonblocking, .readNonblocking].contains($0)
        }
        #expect(calls == [.openToReadNonblocking, .readNonblocking])
    }

    @Test("a read that would block runs on another thread")
    func readsOnOtherThread() async throws {
        _ = try await fill()
        let cache = folder.cache(
            byteLimit: Self.limit,
            fileSystem: FaultInjectingFileSystem(over: POSIXFileSystem(), refusesNonblocking: true))
        _ = try await cache.status()
        #expect(try await cache.entry(for: key(3)) == entry(500))
        #expect(try await cache.entry(for: key(99)) == nil)
    }
}
