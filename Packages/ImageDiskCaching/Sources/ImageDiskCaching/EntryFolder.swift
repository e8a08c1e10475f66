import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Entries as files in a folder: what `DiskDataCache` does, without the threads.
///
/// ```text
/// <root>/3f/3f9a…64 digits   entries, by EntryName
/// <root>/tmp/<pid>-<n>.part  files being written, each locked by its writer
/// ```
/// Every method blocks on the file system. `read` may run anywhere at any time; all others change the folder and run one at
/// a time, on the queue that the owner keeps for that. The lock guards the index alone and is never held during a system call.
package final class EntryFolder: Sendable {
    /// What is known of the folder.
    struct State {
        /// Nil until the folder has been scanned.
        var index: RecencyIndex?
        var isScanning = false
        var isOpeningRequested = false
        /// Uses that a coming or running scan may not see on the files themselves.
        var touches: [EntryName: Int64] = [:]
        /// The greatest stamp so far: stamps never repeat, though the clock may stand still or go back.
        var lastStamp = Int64.min
        /// The greatest stamp that the last scan found: a use stamped no higher was stamped by a clock that stands behind.
        var scannedNewest = Int64.min
        /// Numbers the temporary files.
        var temporaryCount: UInt64 = 0
    }

    let fileSystem: any FileSystem
    let root: String
    let byteLimit: Int
    let durability: DiskDurability
    let now: @Sendable () -> Date
    let state = Mutex(State())

    package init(
        root: String, byteLimit: Int, durability: DiskDurability = .processCrash,
        fileSystem: any FileSystem = POSIXFileSystem(), now: @escaping @Sendable () -> Date
    ) {
        self.root = root
        self.byteLimit = max(0, byteLimit)
        self.durability = durability
        self.fileSystem = fileSystem
        self.now = now
    }

    /// True once: for whoever is to see to it that the folder gets opened.
    package func requestsOpening() -> Bool {
        state.withLock { state in
            defer { state.isOpeningRequested = true }
            return state.index == nil && !state.isOpeningRequested
        }
    }

    func folder(ofShard shard: some StringProtocol) -> String { "\(root)/\(shard)" }

    func path(_ name: EntryName) -> String {
        let text = name.text
        return "\(folder(ofShard: text.prefix(2)))/\(text)"
    }

    var temporaryFolder: String { "\(root)/tmp" }

    /// The time of a use that happens now: after all earlier ones.
    func nextStamp() -> Int64 {
        let time = Self.nanoseconds(now())
        return state.withLock { state in
            state.lastStamp = state.lastStamp == .min ? time : max(time, state.lastStamp + 1)
            return state.lastStamp
        }
    }

    /// Nanoseconds since 1970, kept within what 64 bits hold.
    static func nanoseconds(_ date: Date) -> Int64 {
        Int64(min(max(date.timeIntervalSince1970, -9e9), 9e9) * 1e9)
    }

    static func date(_ nanoseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(nanoseconds) / 1e9) }

    /// Unlinks an entry's file; that it is gone already is as good.
    func removeFile(_ name: EntryName) throws(FileSystemFailure) {
        do {
            try fileSystem.remove(path(name))
        } catch  where error.isAbsence {
            // Somebody was faster.
        }
        state.withLock { $0.index?.remove(name) }
    }

    /// Evicts the least recently used until `byteCount` more fit into `limit`.
    @discardableResult
    func makeRoom(for byteCount: Int = 0, limit: Int) throws(FileSystemFailure) -> DiskCacheRemoval {
        try evict { index in
            guard index.byteCount > limit - byteCount else { return nil }
            return index.oldest
        }
    }

    /// Evicts what `choose` names, until it names nothing.
    func evict(
        _ choose: @Sendable (RecencyIndex) -> RecencyIndex.Record?
    ) throws(FileSystemFailure) -> DiskCacheRemoval {
        var removal = DiskCacheRemoval()
        while let victim = state.withLock({ $0.index.flatMap(choose) }) {
            try removeFile(victim.name)
            removal.entryCount += 1
            removal.byteCount += victim.byteCount
        }
        return removal
    }
}
