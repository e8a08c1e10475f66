import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Synchronization

/// A folder of its own for one test, removed with all that is in it when the test is done.
final class TestFolder: Sendable {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory.appending(path: "disk-cache-\(UUID().uuidString)")
    }

    deinit {
        // A cache that was let go writes its index down, perhaps only now: into a folder that is being removed.
        for _ in 0..<100 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(at: url)
        }
    }

    var path: String { url.path }

    /// A cache on this folder, as a new launch of a program would make it.
    func cache(
        byteLimit: Int = 1 << 20, durability: DiskDurability = .processCrash,
        fileSystem: any FileSystem = POSIXFileSystem(),
        now: @escaping @Sendable () -> Date = { testTime }
    ) -> DiskDataCache {
        DiskDataCache(
            folder: EntryFolder(
                root: path, byteLimit: byteLimit, durability: durability, fileSystem: fileSystem, now: now))
    }

    /// Where the entry under `key` lies.
    func file(_ key: DataCacheKey) -> URL {
        let name = EntryName(key)
        return url.appending(path: name.shard).appending(path: name.text)
    }

    static let indexFiles = ["entries.index", "entries.table"]

    /// Paths of all regular files in the folder but the index, relative to it.
    func files() -> [String] {
        let all = FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []
        return all.filter { !Self.indexFiles.contains($0) && isRegular($0) }.sorted()
    }

    /// Whether a temporary file exists, of a writer at work or one that died.
    var hasUnfinishedFiles: Bool { files().contains { $0.hasPrefix("tmp/") } }

    /// The lengths of all regular files but the index.
    func byteCount() -> Int { byteCount(files()) }

    /// The lengths of the index's files.
    func indexByteCount() -> Int { byteCount(Self.indexFiles) }

    private func byteCount(_ files: [String]) -> Int {
        files.reduce(0) { sum, file in sum + (status(file)?.byteCount ?? 0) }
    }

    private func isRegular(_ file: String) -> Bool { status(file)?.isRegular ?? false }

    /// Nil when there is no such file.
    private func status(_ file: String) -> FileStatus? { try? POSIXFileSystem().status(at: "\(path)/\(file)") }
}

let testTime = Date(timeIntervalSinceReferenceDate: 800_000_000.123)

/// Bytes that look random and are the same for the same seed.
func noise(_ count: Int, seed: UInt64) -> Data {
    var random = SeededRandom(seed: seed)
    var words: [UInt64] = []
    while words.count * 8 < count { words.append(random.next().littleEndian) }
    return unsafe words.withUnsafeBytes { unsafe Data($0.prefix(count)) }
}

/// An entry whose every part depends on the seed.
func entry(_ count: Int, seed: UInt64 = 1) -> DataCacheEntry {
    DataCacheEntry(
        data: noise(count, seed: seed), metadata: Data("metadata \(seed)".utf8),
        createdAt: Date(timeIntervalSinceReferenceDate: Double(seed) + 0.1))
}

func key(_ number: Int) -> DataCacheKey { DataCacheKey(source: "https://images.test/\(number).jpg?width=300") }

/// What the file of an entry takes.
func fileSize(_ entry: DataCacheEntry, _ key: DataCacheKey) -> Int {
    entry.data.count + (entry.data.count + 65_535) / 65_536 * 8 + entry.metadata.count + key.source.utf8.count + 40
}

/// The limit within which `count` entries fit, whose files take `byteCount` together, and no more.
///
/// - Parameter vacant: for so many entries more the index has slots, which earlier ones have left.
func limit(_ count: Int, files byteCount: Int, vacant: Int = 0) -> Int {
    // Beside the slots the index has a head, a promise, and a journal that grows with the limit.
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
