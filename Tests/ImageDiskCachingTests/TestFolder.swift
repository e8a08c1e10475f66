import Foundation
import ImageCore
import ImageTesting
import Synchronization
import Testing

@testable import ImageDiskCaching

/// A folder for one test, which is removed with its contents after the test. Its caches have one clock.
final class TestFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "disk-cache-\(UUID().uuidString)")
    let time = TestTime()

    deinit {
        // A released cache can still write times into the folder while it is removed.
        for _ in 0..<100 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(at: url)
        }
    }

    var path: String { url.path }

    /// Returns a new cache for this folder, as after a relaunch.
    func cache(
        byteLimit: Int = 1 << 20, fileSystem: FileSystem = FileSystem(), leftoverAge: Duration? = nil,
        _ change: (inout DiskCacheOptions) -> Void = { _ in }
    ) -> DiskDataCache {
        var options = DiskCacheOptions()
        options.minFreeByteCount = 0
        change(&options)
        return DiskDataCache(
            directory: url, byteLimit: byteLimit, options: options, fileSystem: fileSystem,
            leftoverAge: leftoverAge, now: { [time] in time.next() })
    }

    /// Returns the URL of the file of an entry.
    func file(_ key: DataCacheKey) -> URL {
        let name = SHA256.hexadecimalDigest(of: Array(key.identifier.utf8))
        return url.appending(path: "\(name.prefix(2))/\(name)")
    }

    var usage: URL { url.appending(path: "usage") }

    /// Returns the relative paths of all regular files in the folder except the counter.
    func files() -> [String] {
        let all = FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []
        return all.filter { $0 != "usage" && byteCount($0) != nil }.sorted()
    }

    /// Whether a file of a running or killed writer exists.
    var hasUnfinishedFiles: Bool { files().contains { $0.hasPrefix("tmp/") } }

    /// The modification time of the newest part.
    var newestPartTime: Date? {
        files().filter { $0.hasPrefix("tmp/") }.compactMap { file in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(file)")
            return attributes?[.modificationDate] as? Date
        }.max()
    }

    /// Returns the total length of all regular files except the counter.
    func byteCount() -> Int { files().reduce(0) { $0 + (byteCount($1) ?? 0) } }

    /// Returns the total length of all regular files.
    func totalByteCount() -> Int { byteCount() + (byteCount("usage") ?? 0) }

    /// Returns nil unless the file is a regular file.
    private func byteCount(_ file: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(file)")
        return attributes?[.type] as? FileAttributeType == .typeRegular ? attributes?[.size] as? Int : nil
    }

    /// Returns the number of bytes in the counter.
    func countedBytes() throws -> Int { try Int(Data(contentsOf: usage).number(at: 8, 8)) }

    /// Returns a file system that records an issue if the files exceed a limit before a system call.
    func watched(_ limit: Int) -> FaultInjectingFileSystem {
        FaultInjectingFileSystem { [self] call in
            let byteCount = totalByteCount()
            if byteCount > limit { Issue.record("\(byteCount) bytes before \(call)") }
        }
    }
}

/// A clock that a test sets. It advances by a millisecond each time it is read, so that no two uses have the same time.
final class TestTime: Sendable {
    private let state = Mutex(testTime)

    var value: Date {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func next() -> Date {
        state.withLock { time in
            time += 0.001
            return time
        }
    }
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
        creationDate: Date(timeIntervalSinceReferenceDate: Double(seed) + 0.1))
}

func key(_ number: Int) -> DataCacheKey { DataCacheKey(identifier: "https://images.test/\(number).jpg?width=300") }

/// Returns the length of the file of an entry.
func fileSize(_ entry: DataCacheEntry, _ key: DataCacheKey) -> Int {
    entry.data.count + entry.metadata.count + key.identifier.utf8.count + 48
}

/// Returns the smallest limit for entries whose files have `byteCount` bytes in total.
func limit(files byteCount: Int) -> Int { byteCount + 24 }
