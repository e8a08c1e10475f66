import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Synchronization

/// A folder for one test, which is removed with its contents after the test.
final class TestFolder: Sendable {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory.appending(path: "disk-cache-\(UUID().uuidString)")
    }

    deinit {
        // A released cache can still write its index into the folder while it is removed.
        for _ in 0..<100 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(at: url)
        }
    }

    var path: String { url.path }

    /// Returns a new cache for this folder, as after a relaunch.
    func cache(
        byteLimit: Int = 1 << 20, durability: DiskDurability = .processCrash,
        fileSystem: any FileSystem = POSIXFileSystem(),
        now: @escaping @Sendable () -> Date = { testTime }
    ) -> DiskDataCache {
        DiskDataCache(
            folder: EntryFolder(
                root: path, byteLimit: byteLimit, durability: durability, fileSystem: fileSystem, now: now))
    }

    /// Returns the URL of the file of an entry.
    func file(_ key: DataCacheKey) -> URL {
        let name = EntryName(key)
        return url.appending(path: name.shard).appending(path: name.text)
    }

    static let indexFiles = ["entries.index", "entries.table"]

    /// Returns the relative paths of all regular files in the folder except the index.
    func files() -> [String] {
        let all = FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []
        return all.filter { !Self.indexFiles.contains($0) && isRegular($0) }.sorted()
    }

    /// Whether a temporary file of a running or killed writer exists.
    var hasUnfinishedFiles: Bool { files().contains { $0.hasPrefix("tmp/") } }

    /// Returns the total length of all regular files except the index.
    func byteCount() -> Int { byteCount(files()) }

    /// Returns the total length of the files of the index.
    func indexByteCount() -> Int { byteCount(Self.indexFiles) }

    private func byteCount(_ files: [String]) -> Int {
        files.reduce(0) { sum, file in sum + (status(file)?.byteCount ?? 0) }
    }

    private func isRegular(_ file: String) -> Bool { status(file)?.isRegular ?? false }

    /// Returns nil if the file is missing.
    private func status(_ file: String) -> FileStatus? { try? POSIXFileSystem().status(at: "\(path)/\(file)") }
}

let testTime = Date(timeIntervalSinceReferenceDate: 800_000_000.123)

/// Returns pseudorandom bytes that depend only on the seed.
func noise(_ count: Int, seed: UInt64) -> Data {
    var random = SeededRandom(seed: seed)
    var words: [UInt64] = []
    while words.count * 8 < count { words.append(random.next().littleEndian) }
    return unsafe words.withUnsafeBytes { unsafe Data($0.prefix(count)) }
}

/// Returns an entry that depends only on the seed.
func entry(_ count: Int, seed: UInt64 = 1) -> DataCacheEntry {
    DataCacheEntry(
        data: noise(count, seed: seed), metadata: Data("metadata \(seed)".utf8),
        createdAt: Date(timeIntervalSinceReferenceDate: Double(seed) + 0.1))
}

func key(_ number: Int) -> DataCacheKey { DataCacheKey(source: "https://images.test/\(number).jpg?width=300") }

/// Returns the length of the file of an entry.
func fileSize(_ entry: DataCacheEntry, _ key: DataCacheKey) -> Int {
    entry.data.count + (entry.data.count + 65_535) / 65_536 * 8 + entry.metadata.count + key.source.utf8.count + 40
}

/// Returns the smallest limit for `count` entries whose files have `byteCount` bytes in total.
///
/// - Parameter vacant: The number of vacant slots in the index.
func limit(_ count: Int, files byteCount: Int, vacant: Int = 0) -> Int {
    // In addition to slots, the index has a head, a reservation, and a journal that depends on the limit.
    let slots = byteCount + (count + vacant + 2) * JournalFormat.slotSize
    return slots + max(8 * JournalFormat.slotSize, slots / 62)
}

/// A clock that a test sets.
final class SettableTime: Sendable {
    private let state: Mutex<Date>

    init(_ time: Date) { state = Mutex(time) }

    var value: Date {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
