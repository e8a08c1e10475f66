import Dispatch
public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps encoded bytes as plain files in a folder, within a byte budget, across launches and crashes.
///
/// - A reader sees an entry whole or not at all: entries are written under a temporary name and renamed, and carry a checksum
///   of everything, which each read verifies.
/// - The budget counts whole files. Room is made before a file is written, so that the folder stays within it at all times. Which
///   entry was used last is kept on the files, as their time of modification, and so survives a relaunch.
/// - An entry larger than the budget is refused. When a store fails or is refused, the older entry under the key is dropped.
/// - The folder may be removed underneath, and comes back with the next store. Files that are not the cache's are left alone.
/// - Several processes, and several caches of one process, may share a folder: none sees half of another's entries, and none
///   removes what another is writing. Each holds the budget by what it knows; it learns of the others' new entries by reading
///   them and by every maintenance operation, so that together they may exceed it for a while.
/// - All I/O happens on dispatch queues of the cache's own. The folder is scanned once, after the first operation; reads don't
///   wait for that.
public final class DiskDataCache: DataCache {
    private static let readerCount = 4

    private let folder: EntryFolder
    /// Whatever changes the folder, one after the other.
    private let writer = DispatchQueue(label: "DiskDataCache.writer")
    /// Reads of one key always go to the same queue; the number bounds the threads.
    private let readers = (0..<readerCount).map { DispatchQueue(label: "DiskDataCache.reader.\($0)") }

    /// Touches nothing yet.
    ///
    /// - Parameters:
    ///   - directory: a `file:` URL. Made, with the folders above it, by the first store.
    ///   - byteLimit: what all files together may take, in bytes; 500 MiB unless told. A negative value counts as 0.
    ///   - now: the time, for telling which entry was used last and how long ago.
    public convenience init(
        directory: URL, byteLimit: Int = 500 << 20, durability: DiskDurability = .processCrash,
        now: @escaping @Sendable () -> Date
    ) {
        self.init(
            folder: EntryFolder(root: directory.path, byteLimit: byteLimit, durability: durability, now: now))
    }

    package init(folder: EntryFolder) { self.folder = folder }

    /// What all files together may take, in bytes.
    public var byteLimit: Int { folder.byteLimit }

    public func entry(for key: DataCacheKey) async throws(DataCacheFailure) -> DataCacheEntry? {
        openInBackground()
        let name = EntryName(key)
        let reader = readers[name.lowBits % Self.readerCount]
        switch try await perform(on: reader, { folder throws(FileSystemFailure) in try folder.read(key, name: name) }) {
        case .entry(let entry): return entry
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
        let storing = try await perform(on: writer) { folder throws(FileSystemFailure) in
            try folder.store(entry, for: key, name: EntryName(key))
        }
        if case .tooLarge(let byteCount) = storing { throw .tooLarge(bytes: byteCount, allowed: byteLimit) }
    }

    public func remove(for key: DataCacheKey) async throws(DataCacheFailure) {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.remove(EntryName(key)) }
    }

    /// Removes all entries. Files that are not the cache's stay, and so do the folders.
    public func removeAll() async throws(DataCacheFailure) {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.removeAll() }
    }

    /// Runs `work` on a queue, off the cooperative pool, and resumes with its result.
    func perform<Result: Sendable>(
        on queue: DispatchQueue, _ work: @escaping @Sendable (EntryFolder) throws(FileSystemFailure) -> Result
    ) async throws(DataCacheFailure) -> Result {
        let result = await withCheckedContinuation { continuation in
            queue.async { [folder] in
                continuation.resume(
                    returning: Swift.Result { () throws(FileSystemFailure) in try work(folder) })
            }
        }
        return try result.mapError(\.asDataCacheFailure).get()
    }

    /// Has the folder scanned once it is in use, so that leftovers go and the budget holds even if nothing is ever stored.
    private func openInBackground() {
        guard folder.requestsOpening() else { return }
        writer.async { [folder] in
            do {
                try folder.openIfNeeded()
            } catch {
                // Whatever needs the scan tries again, and says why it failed.
            }
        }
    }

    /// A repair that fails is no failure of the read that found it necessary; `verify` reports it.
    private func settle(_ name: EntryName) async {
        do {
            try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.settle(name) }
        } catch {
            // See above.
        }
    }
}

extension DiskDataCache {
    /// What the folder holds now, other processes' entries included. Changes nothing.
    public func status() async throws(DataCacheFailure) -> DiskCacheStatus {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.status() }
    }

    /// Reads every entry, removes what is damaged and what dead processes left, and reports. Other operations go on in between.
    public func verify() async throws(DataCacheFailure) -> DiskCacheVerification {
        var report = try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.beginVerification()
        }
        for shard in try await perform(on: writer, { folder throws(FileSystemFailure) in try folder.shards() }) {
            let part = try await perform(on: writer) { folder throws(FileSystemFailure) in
                try folder.verify(shard: shard)
            }
            report.add(part)
        }
        return report
    }

    /// Removes the least recently used entries until their files take `byteCount` bytes at most. The budget stays as it is.
    @discardableResult
    public func trim(to byteCount: Int) async throws(DataCacheFailure) -> DiskCacheRemoval {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.trim(to: byteCount) }
    }

    /// Removes entries that were neither stored nor read for longer than `age`.
    @discardableResult
    public func removeAll(olderThan age: Duration) async throws(DataCacheFailure) -> DiskCacheRemoval {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.removeAll(olderThan: age) }
    }
}
