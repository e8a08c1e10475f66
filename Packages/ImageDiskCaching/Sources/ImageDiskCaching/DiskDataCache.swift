public import ImageCore
import Synchronization

/// Stores encoded bytes as files in a folder, within a size limit. Entries outlive the process.
///
/// - A lookup returns a complete entry or none. Each lookup verifies the checksum of the whole entry.
/// - The folder never exceeds the limit, even while several processes write to it. A larger entry is rejected.
/// - If a store fails or is rejected, the older entry for the key is removed.
/// - A lookup never waits for another process. A change waits two seconds for its lock, and then fails. Until the lock
///   is free again, for example while a stopped process has it, further changes fail at once.
/// - If the folder is removed, the next store creates it again. Files of other programs in the folder are not touched.
/// - No thread of Swift's concurrency pool waits for a device. Data in the page cache is copied on the caller's thread,
///   with non-blocking calls. All other work runs on dispatch queues of the cache.
public final class DiskDataCache: ImageDataCache {
    private static let readerCount = 4

    private let folder: CacheFolder
    private let changes: ChangeQueue
    /// All reads of one key run on the same queue. The number of queues limits the number of threads.
    private let readers = (0..<readerCount).map { WorkQueue("DiskDataCache.reader.\($0)") }
    private let isOpened = Atomic(false)

    /// Creates a cache. The folder is not accessed until the first operation.
    ///
    /// - Parameters:
    ///   - directory: A `file:` URL. The first store creates the folder and its parents.
    ///   - byteLimit: The limit for all files of the cache, in bytes. A negative value counts as 0.
    ///   - options: The age limit and the free space.
    ///   - now: Returns the current time. The cache uses it to order entries by their last use.
    public convenience init(
        directory: URL, byteLimit: Int = 500_000_000, options: DiskCacheOptions = DiskCacheOptions(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(
            directory: directory, byteLimit: byteLimit, options: options, fileSystem: FileSystem(),
            leftoverAge: PartialFile.leftoverAge, now: now)
    }

    /// Creates a cache that uses another file system or protects its parts like that of another platform, for tests.
    init(
        directory: URL, byteLimit: Int, options: DiskCacheOptions, fileSystem: FileSystem, leftoverAge: Duration? = nil,
        now: @escaping @Sendable () -> Date
    ) {
        // Sums of limits and sizes of files don't overflow.
        let byteLimit = min(max(0, byteLimit), .max / 4)
        folder = CacheFolder(
            root: directory.path, byteLimit: byteLimit, options: options, fileSystem: fileSystem, now: now,
            leftoverAge: leftoverAge,
            claim: FolderClaim(directory.path, fileSystem, byteLimit: byteLimit))
        changes = ChangeQueue(FolderEditor(folder))
    }

    deinit {
        folder.claim.end()
        changes.makeLater { $0.writeHits() }
    }

    /// The limit for all files of the cache, in bytes.
    public var byteLimit: Int { folder.byteLimit }

    /// Returns the entry for a key, or `nil` if it is missing, damaged or older than the age limit. Such a file is removed
    /// in the background.
    ///
    /// - Throws: `DataCacheError` if the file can't be read.
    public func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry? {
        if case .entry(let entry) = try await find(key, inMemoryUpTo: .max) { entry } else { nil }
    }

    /// Stores an entry, and replaces an older one for its key. Evicts other entries if the limit requires it.
    ///
    /// - Throws: `DataCacheError.tooLarge` if the entry exceeds the limit, `.noSpace` if the file system is full,
    ///   `.conflictingOptions` if a cache with another limit uses the folder (on Linux), or another failure of
    ///   the file system. The older entry is then removed.
    public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        try await change { [name = EntryName(key)] editor in
            try editor.replacing(name) { editor in try editor.store(entry, for: key, name) }
        }
    }

    /// Removes the entry for a key. Does nothing if it is missing.
    public func remove(for key: DataCacheKey) async throws(DataCacheError) {
        try await change { [name = EntryName(key)] editor in try editor.remove(name) }
    }

    /// Removes all entries. The folders and the files of other programs stay.
    public func removeAll() async throws(DataCacheError) {
        try await change { editor in try editor.removeAll() }
    }

    /// Looks up an entry, on the caller's thread if the file is in memory. Notes the use, and starts to remove an unusable file.
    private func find(
        _ key: DataCacheKey, inMemoryUpTo largest: Int
    ) async throws(DataCacheError) -> CacheFolder.Found {
        openInBackground()
        let name = EntryName(key)
        let small = CacheFolder.largestSmallFile
        var found = (try? folder.find(key, name, inMemoryUpTo: small, cached: true)) ?? .unknown
        if case .unknown = found {
            found = try await reader(for: name).run { [folder] in try folder.find(key, name, inMemoryUpTo: largest) }
        }
        switch found {
        case .entry, .file:
            if folder.hits.note(name, at: folder.now()) { changes.makeLater { $0.writeHits() } }
        // The lookup doesn't wait for it. If it can't be removed, the next lookup is a miss too.
        case .unusable: changes.makeLater { _ = try $0.removeUnusable(name) }
        case .absent, .unknown: break
        }
        return found
    }

    private func reader(for name: EntryName) -> WorkQueue { readers[Int(name.words[3] % UInt64(Self.readerCount))] }

    private func change<Value: Sendable>(
        _ work: @escaping @Sendable (inout FolderEditor) throws -> Value
    ) async throws(DataCacheError) -> Value {
        openInBackground()
        return try await changes.make(work)
    }

    /// Opens the folder on first use. This removes leftovers, and applies the limits even if nothing is stored.
    private func openInBackground() {
        guard isOpened.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
        changes.makeLater { [maxUnusedTime = folder.options.maxUnusedTime, byteLimit] editor in
            _ = try editor.locked { editor in
                try editor.removeLeftovers()
                if editor.usage.used ?? 0 > byteLimit { try editor.folder.claim.take() }
                // Finds the entries to evict.
                if maxUnusedTime != nil || editor.usage.used ?? 0 > byteLimit { try editor.scan() }
            }
            while try !editor.evictBatch(downTo: byteLimit - UsageFile.byteCount).isEmpty {}
            guard let maxUnusedTime else { return }
            while try !editor.evictBatch(unusedSince: editor.folder.date(before: maxUnusedTime)).isEmpty {}
        }
    }
}

extension DiskDataCache: StreamingDataCache {
    /// Returns a writer for a new entry, which replaces an older one when it is finished.
    ///
    /// Reserves space for entries of 256 KiB or more. An entry of unknown length reserves space as it grows.
    public func writer(
        for key: DataCacheKey, expectedByteCount: Int?
    ) async throws(DataCacheError) -> any DataCacheWriter {
        openInBackground()
        let writer = DiskEntryWriter(changes, key, EntryName(key))
        try await writer.prepare(expectedByteCount)
        return writer
    }

    /// Returns a reader for parts of an entry, or `nil` if the entry is missing or damaged.
    ///
    /// The reader can read the entry even after it was replaced or removed. It keeps an entry of up to 1 MiB in memory.
    public func reader(for key: DataCacheKey) async throws(DataCacheError) -> (any DataCacheReader)? {
        switch try await find(key, inMemoryUpTo: CacheFolder.largestSmallFile) {
        case .entry(let entry): entry
        case .file(let open):
            DiskEntryReader(open, folder.fileSystem, reader(for: EntryName(key)))
        case .absent, .unusable, .unknown: nil
        }
    }
}

// MARK: Maintenance

extension DiskDataCache {
    /// Returns the current size and age of the folder's contents, including entries of other processes. Lists all
    /// files.
    ///
    /// - Throws: `DataCacheError` if the folder can't be read.
    public func status() async throws(DataCacheError) -> DiskCacheStatus {
        // Doesn't open the cache, which would apply the limits.
        try await changes.make { editor in try editor.status() }
    }

    /// Reads all entries, and removes damaged ones and the leftovers of ended processes. Other operations can run in
    /// between.
    ///
    /// - Returns: The number of checked and removed entries, and the problems that could not be repaired.
    /// - Throws: `DataCacheError` if a folder can't be listed.
    public func verify() async throws(DataCacheError) -> DiskCacheVerification {
        var report = DiskCacheVerification()
        for path in try await change({ editor in try editor.folder.folders() }) {
            report = try await change { [report] editor in try editor.verify(path, report) }
        }
        _ = try await status()
        return report
    }

    /// Evicts entries until their files have at most `byteCount` bytes in total. The limit doesn't change.
    ///
    /// - Returns: The number of evicted entries and the total length of their files.
    /// - Throws: `DataCacheError` if an entry can't be evicted.
    @discardableResult
    public func trim(to byteCount: Int) async throws(DataCacheError) -> DiskCacheRemoval {
        try await evict(downTo: byteCount)
    }

    /// Removes entries that were neither stored nor read for longer than `age`.
    ///
    /// - Returns: The number of removed entries and the total length of their files.
    /// - Throws: `DataCacheError` if an entry can't be removed.
    @discardableResult
    public func removeAll(unusedFor age: Duration) async throws(DataCacheError) -> DiskCacheRemoval {
        try await evict(unusedSince: folder.date(before: age))
    }

    /// Writes the times at which entries were used to their files.
    ///
    /// The cache also does this after 256 hits, before it evicts entries, and when it is deinitialized. If the process
    /// ends before that, these times are lost.
    public func flush() async throws(DataCacheError) { try await change { editor in editor.writeHits() } }

    /// Evicts entries, a few at a time. Other operations can run in between.
    private func evict(
        downTo byteCount: Int = 0, unusedSince time: Date = .distantFuture
    ) async throws(DataCacheError) -> DiskCacheRemoval {
        _ = try await status()
        var removal = DiskCacheRemoval()
        while true {
            let evicted = try await change { editor in try editor.evictBatch(downTo: byteCount, unusedSince: time) }
            if evicted.isEmpty { return removal }
            removal.entryCount += evicted.count
            removal.byteCount += evicted.reduce(0, +)
        }
    }
}

/// The size and age of the contents of a disk cache.
public struct DiskCacheStatus: Hashable, Sendable {
    /// The number of entries.
    public var entryCount: Int
    /// The total length of the files of entries, in bytes. Not rounded up to blocks.
    public var byteCount: Int
    /// The limit for all files of the cache, in bytes.
    public var byteLimit: Int
    /// The time at which the least recently used entry was stored or read last. `nil` for an empty cache.
    public var oldestUse: Date?
    /// The time at which the most recently used entry was stored or read last. `nil` for an empty cache.
    public var newestUse: Date?
}

/// The number and size of the entries that an operation removed.
public struct DiskCacheRemoval: Hashable, Sendable {
    /// The number of removed entries.
    public var entryCount = 0
    /// The total length of their files, in bytes.
    public var byteCount = 0
}

/// The result of verifying a disk cache.
public struct DiskCacheVerification: Hashable, Sendable {
    /// The number of entries that were checked.
    public var checkedEntryCount = 0
    /// The total length of their files, in bytes.
    public var checkedByteCount = 0
    /// The number of removed entries that were truncated, altered, misnamed, expired, or larger than the limit.
    public var removedEntryCount = 0
    /// The files that could be neither read nor removed. Each text contains the path within the folder and the reason.
    public var unrepairedFiles: [String] = []
}
