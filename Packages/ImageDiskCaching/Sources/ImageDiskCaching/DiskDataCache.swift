public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps encoded bytes as plain files in a folder, within a byte budget, across launches, crashes and processes.
///
/// - A reader sees an entry whole or not at all: entries that replace another, or have to be synced, are written under a temporary name
///   and renamed; and all carry checksums of everything, the last part written, which each read verifies.
/// - The budget counts whole files, the index with them. Room is made and promised before a file is written, so that the folder stays within it at all
///   times, whoever writes: processes agree through an index in the folder. Its lock and its promises die with their owners.
/// - An entry larger than the budget is refused. When a store fails or is refused, the older entry under the key is dropped.
/// - The folder may be removed underneath, and comes back with the next store. Files that are not the cache's are left alone.
/// - No thread of the cooperative pool waits for a device: what the system has in memory is copied in the caller's own turn, by
///   calls that refuse to wait; everything else happens on dispatch queues of the cache's own.
public final class DiskDataCache: DataCache {
    private static let readerCount = 4

    let folder: EntryFolder
    /// Whatever changes the folder, one after the other.
    let writer = QueueExecutor(label: "DiskDataCache.writer")
    /// Reads of one key always go to the same queue; the number bounds the threads.
    private let readers = (0..<readerCount).map { QueueExecutor(label: "DiskDataCache.reader.\($0)") }

    /// Touches nothing yet.
    ///
    /// - Parameters:
    ///   - directory: a `file:` URL. Made, with the folders above it, by the first store.
    ///   - byteLimit: what all files of the cache together may take, in bytes; 500 MiB unless told. A negative value counts as 0.
    ///   - fileSystem: whose calls the cache makes; the operating system's, or in tests one that fails.
    ///   - now: the time, for telling which entry was used last and how long ago.
    public convenience init(
        directory: URL, byteLimit: Int = 500 << 20, options: DiskCacheOptions = DiskCacheOptions(),
        fileSystem: any FileSystem = POSIXFileSystem(), now: @escaping @Sendable () -> Date
    ) {
        self.init(
            folder: EntryFolder(
                root: directory.path, byteLimit: byteLimit, options: options, fileSystem: fileSystem, now: now))
    }

    /// As above, with nothing but the durability chosen.
    public convenience init(
        directory: URL, byteLimit: Int = 500 << 20, durability: DiskDurability, now: @escaping @Sendable () -> Date
    ) {
        var options = DiskCacheOptions()
        options.durability = durability
        self.init(directory: directory, byteLimit: byteLimit, options: options, now: now)
    }

    package init(folder: EntryFolder) { self.folder = folder }

    deinit { writer.async { [folder] in Self.attempt { () throws(FileSystemFailure) in try folder.flush() } } }

    /// The thread on which the folder is changed. A task that prefers it (`withTaskExecutorPreference`) changes threads neither to store
    /// or remove an entry nor to go on afterwards, which is worth it for one that does so many times in a row. What else it does
    /// keeps the cache from writing meanwhile.
    public var executor: any TaskExecutor { writer }

    /// What all files of the cache together may take, in bytes.
    public var byteLimit: Int { folder.byteLimit }

    /// What this cache did since it was made.
    public var statistics: DiskCacheStatistics { folder.statistics }

    public func entry(for key: DataCacheKey) async throws(DataCacheFailure) -> DataCacheEntry? {
        openInBackground()
        let name = folder.name(key)
        switch try await reading(key, name) {
        case .entry(let entry):
            flushInBackground()
            return entry
        case .absent: return nil
        case .newcomer(let entry):
            await settle(name)
            return entry
        case .unsettled:
            await settle(name)
            return nil
        }
    }

    public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheFailure) {
        openInBackground()
        let storing = try await perform(on: writer) { folder throws(FileSystemFailure) in
            try folder.store(entry, for: key, name: folder.name(key))
        }
        if case .tooLarge(let byteCount) = storing { throw .tooLarge(bytes: byteCount, allowed: folder.largestEntry) }
    }

    public func remove(for key: DataCacheKey) async throws(DataCacheFailure) {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.remove(folder.name(key)) }
    }

    /// Removes all entries. Files that are not the cache's stay, and so do the folders.
    public func removeAll() async throws(DataCacheFailure) {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.removeAll() }
    }

    private func reading(_ key: DataCacheKey, _ name: EntryName) async throws(DataCacheFailure) -> Reading {
        if let reading = folder.readAtOnce(key, name: name) { return reading }
        return try await perform(on: reader(for: name)) { folder throws(FileSystemFailure) in
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

    /// Has the folder opened once it is in use, so that leftovers go and the budget holds even if nothing is ever stored.
    func openInBackground() {
        guard folder.requestsOpening() else { return }
        writer.async { [folder] in Self.attempt { () throws(FileSystemFailure) in try folder.open() } }
    }

    /// Has the uses written down that only this process knows of, when there are many.
    private func flushInBackground() {
        guard folder.requestsFlush() else { return }
        writer.async { [folder] in Self.attempt { () throws(FileSystemFailure) in try folder.flush() } }
    }

    /// A repair that fails is no failure of the read that found it necessary; `verify` reports it.
    func settle(_ name: EntryName) async {
        do {
            try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.settle(name) }
        } catch {
            // See above.
        }
    }

    private static func attempt(_ work: () throws(FileSystemFailure) -> Void) {
        do {
            try work()
        } catch {
            // Whatever needs it tries again, and says why it failed.
        }
    }
}
