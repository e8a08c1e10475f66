public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Stores encoded bytes as files in a folder, within a size limit. Entries outlive the process.
///
/// - A lookup returns a complete entry or none. Each lookup verifies the checksums of the whole entry.
/// - The limit includes whole files and the index. The cache reserves space before it writes, so the folder never
///   exceeds the limit, even if several processes share it. The locks and reservations of a process end with it.
/// - An entry larger than the limit is rejected. If a store fails or is rejected, the older entry for the key is
///   removed.
/// - If the folder is removed, the next store creates it again. Files of other programs in the folder are not touched.
/// - No thread of Swift's concurrency pool waits for a device. Data in the page cache is copied on the caller's thread,
///   with non-blocking calls. All other work runs on dispatch queues of the cache.
public final class DiskDataCache: DataCache {
    private static let readerCount = 4

    let folder: EntryFolder
    /// Runs all changes of the folder, one at a time.
    let writer = QueueExecutor(label: "DiskDataCache.writer")
    /// All reads of one key run on the same queue. The number of queues limits the number of threads.
    private let readers = (0..<readerCount).map { QueueExecutor(label: "DiskDataCache.reader.\($0)") }

    /// Creates a cache. The folder is not accessed until the first operation.
    ///
    /// - Parameters:
    ///   - directory: A `file:` URL. The first store creates the folder and its parents.
    ///   - byteLimit: The limit for all files of the cache, in bytes. A negative value counts as 0.
    ///   - options: The durability, age limit, eviction policy, and file layout.
    ///   - fileSystem: The file system. Tests can pass one that fails.
    ///   - now: Returns the current time. The cache uses it to order entries by their last use.
    public convenience init(
        directory: URL, byteLimit: Int = 500 << 20, options: DiskCacheOptions = DiskCacheOptions(),
        fileSystem: any FileSystem = POSIXFileSystem(), now: @escaping @Sendable () -> Date
    ) {
        self.init(
            folder: EntryFolder(
                root: directory.path, byteLimit: byteLimit, options: options, fileSystem: fileSystem, now: now))
    }

    /// Creates a cache with default options except for the durability. The folder is not accessed until the first
    /// operation.
    ///
    /// - Parameters:
    ///   - directory: A `file:` URL. The first store creates the folder and its parents.
    ///   - byteLimit: The limit for all files of the cache, in bytes. A negative value counts as 0.
    ///   - durability: The events that stored entries survive.
    ///   - now: Returns the current time. The cache uses it to order entries by their last use.
    public convenience init(
        directory: URL, byteLimit: Int = 500 << 20, durability: DiskDurability, now: @escaping @Sendable () -> Date
    ) {
        var options = DiskCacheOptions()
        options.durability = durability
        self.init(directory: directory, byteLimit: byteLimit, options: options, now: now)
    }

    package init(folder: EntryFolder) { self.folder = folder }

    deinit { writer.async { [folder] in Self.attempt { () throws(FileSystemFailure) in try folder.flush() } } }

    /// The executor on which the cache changes the folder.
    ///
    /// A task that prefers it (`withTaskExecutorPreference`) stores and removes entries without a thread switch. Use it
    /// for many operations in a row. The cache can't write while such a task does other work.
    public var executor: any TaskExecutor { writer }

    /// The limit for all files of the cache, in bytes.
    public var byteLimit: Int { folder.byteLimit }

    /// Counts of the operations of this cache since it was created.
    public var statistics: DiskCacheStatistics { folder.statistics }

    /// Returns the entry for a key, or `nil` if it is missing, damaged or older than the age limit.
    ///
    /// - Throws: `DataCacheFailure` if the file can't be read.
    public func entry(for key: DataCacheKey) async throws(DataCacheFailure) -> DataCacheEntry? {
        openInBackground()
        let name = folder.name(key)
        let result =
            if let result = folder.readNonblocking(key, name: name) { result } else { try await read(key, name) }
        switch result {
        case .entry(let entry):
            flushInBackground()
            return entry
        case .absent: return nil
        case .unindexed(let entry):
            await reconcile(name)
            return entry
        case .inconsistent:
            await reconcile(name)
            return nil
        }
    }

    /// Stores an entry, and replaces an older one for its key. Evicts other entries if the limit requires it.
    ///
    /// - Throws: `DataCacheFailure.tooLarge` if the entry exceeds the limit, `.noSpace` if the file system is full, or
    ///   another failure of the file system. The older entry is then removed.
    public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheFailure) {
        openInBackground()
        let storing = try await perform(on: writer) { folder throws(FileSystemFailure) in
            try folder.store(entry, for: key, name: folder.name(key))
        }
        if case .tooLarge(let byteCount) = storing { throw .tooLarge(bytes: byteCount, allowed: folder.largestEntry) }
    }

    /// Removes the entry for a key. Does nothing if it is missing.
    public func remove(for key: DataCacheKey) async throws(DataCacheFailure) {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.remove(folder.name(key)) }
    }

    /// Removes all entries. The folders and the files of other programs stay.
    public func removeAll() async throws(DataCacheFailure) {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.removeAll() }
    }

    private func read(_ key: DataCacheKey, _ name: EntryName) async throws(DataCacheFailure) -> ReadResult {
        try await perform(on: reader(for: name)) { folder throws(FileSystemFailure) in
            try folder.read(key, name: name)
        }
    }

    func reader(for name: EntryName) -> QueueExecutor { readers[name.lowBits % Self.readerCount] }

    /// Runs `work` on a queue, off the cooperative pool, and resumes with its result.
    func perform<Result: Sendable>(
        on executor: QueueExecutor, _ work: @escaping @Sendable (EntryFolder) throws(FileSystemFailure) -> Result
    ) async throws(DataCacheFailure) -> Result {
        try await outcome(on: executor, work).mapError(\.asDataCacheFailure).get()
    }

    func outcome<Value: Sendable, Failure: Error>(
        on executor: QueueExecutor, _ work: @escaping @Sendable (EntryFolder) throws(Failure) -> Value
    ) async -> Result<Value, Failure> {
        await withTaskExecutorPreference(executor) { [folder] in
            Result { () throws(Failure) in try work(folder) }
        }
    }

    /// Opens the folder on first use. This removes leftovers and applies the limit even if nothing is stored.
    func openInBackground() {
        guard folder.requestsOpening() else { return }
        writer.async { [folder] in Self.attempt { () throws(FileSystemFailure) in try folder.open() } }
    }

    /// Writes pending uses to the index if there are many of them.
    private func flushInBackground() {
        guard folder.requestsFlush() else { return }
        writer.async { [folder] in Self.attempt { () throws(FileSystemFailure) in try folder.flush() } }
    }

    /// Makes folder and index consistent for one name. A failed repair doesn't make the read fail. `verify` reports it.
    func reconcile(_ name: EntryName) async {
        do {
            _ = try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.reconcile(name) }
        } catch {
            // The next verification finds the same problem.
        }
    }

    private static func attempt(_ work: () throws(FileSystemFailure) -> Void) {
        do {
            try work()
        } catch {
            // The next operation that needs this work tries again and throws the error.
        }
    }
}
