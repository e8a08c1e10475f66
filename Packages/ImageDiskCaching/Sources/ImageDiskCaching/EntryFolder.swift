package import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Entries as files in a folder: what `DiskDataCache` does, without the threads.
///
/// ```text
/// <root>/3f/3f9a…64 digits   entries, by EntryName; without the subfolder in a flat layout
/// <root>/3f/<12 digits>.part   a file being written while the folder is locked
/// <root>/tmp/<12 digits>.part  files being written otherwise, each locked by its writer
/// <root>/entries.index       the index's journal, see JournalFormat; its lock is that of the folder
/// <root>/entries.table       the index's table
/// ```
/// `readAtOnce` never waits. Every other method blocks on the file system. `read` may run anywhere at any time; all others change
/// the folder and run one at a time, on the queue that the owner keeps for that. The lock guards what is in memory alone and is
/// never held during a system call.
package final class EntryFolder: Sendable {
    /// What is known of the folder.
    struct State {
        /// Nil until the folder was opened, and when it is gone.
        var index: EntryIndex?
        /// The open journal. Used by the methods that run one at a time.
        var journal: Journal?
        /// Uses that the index's file does not tell of yet.
        var uses: [PendingUse] = []
        var isOpeningRequested = false
        var isFlushRequested = false
        /// The greatest stamp so far: stamps never repeat, though the clock may stand still or go back.
        var lastStamp = Int64.min
        /// Numbers the temporary files.
        var temporaryCount: UInt16 = 0
        /// Subfolders whose own names are on the device.
        var settledFolders: Set<String> = []
        /// Folders that names have gone from, which may be on the device still; kept if a power cut is to be survived.
        var unsettledFolders: Set<String> = []
        var byteLimit: Int
        var statistics = DiskCacheStatistics()
    }

    struct PendingUse {
        var name: EntryName
        var stamp: Int64
        /// Whether the index was not there yet: the stamp may be less than those in it.
        var isEarly: Bool
    }

    /// The index's journal, open.
    struct Journal {
        var file: Int32
        var identity: FileIdentity
        var generation: UInt64
        /// Up to here its events are known.
        var end: Int
    }

    let fileSystem: any FileSystem
    let root: String
    let options: DiskCacheOptions
    let now: @Sendable () -> Date
    let state: Mutex<State>

    package convenience init(
        root: String, byteLimit: Int, durability: DiskDurability = .processCrash,
        fileSystem: any FileSystem = POSIXFileSystem(), now: @escaping @Sendable () -> Date
    ) {
        var options = DiskCacheOptions()
        options.durability = durability
        options.freeSpaceFloor = 0
        self.init(root: root, byteLimit: byteLimit, options: options, fileSystem: fileSystem, now: now)
    }

    package init(
        root: String, byteLimit: Int, options: DiskCacheOptions, fileSystem: any FileSystem = POSIXFileSystem(),
        now: @escaping @Sendable () -> Date
    ) {
        self.root = root
        self.options = options
        self.fileSystem = fileSystem
        self.now = now
        state = Mutex(State(byteLimit: max(0, byteLimit)))
    }

    deinit {
        if let journal = state.withLock({ $0.journal }) { fileSystem.close(journal.file) }
    }

    package var byteLimit: Int { state.withLock { $0.byteLimit } }

    package var largestEntry: Int { state.withLock { $0.largestEntry } }

    package var statistics: DiskCacheStatistics { state.withLock { $0.statistics } }

    /// Changes the limit for what is stored from now on. `shrink` then brings the folder within it.
    package func setByteLimit(_ byteLimit: Int) { state.withLock { $0.byteLimit = max(0, byteLimit) } }

    /// Returns true once. The caller that receives true opens the folder.
    package func requestsOpening() -> Bool {
        state.withLock { state in
            defer { state.isOpeningRequested = true }
            return state.index == nil && !state.isOpeningRequested
        }
    }

    func name(_ key: DataCacheKey) -> EntryName { options.naming.name(key) }

    func folder(ofShard shard: some StringProtocol) -> String { "\(root)/\(shard)" }

    func path(_ name: EntryName) -> String {
        name.path(in: root + "/", isSharded: options.layout == .sharded)
    }

    var temporaryFolder: String { "\(root)/tmp" }

    func temporaryPath(_ writer: WriterNumber) -> String { "\(temporaryFolder)/\(writer.text).part" }

    func path(of writer: WriterNumber, beside name: EntryName) -> String { "\(home(of: name))/\(writer.text).part" }

    /// The time of a use that happens now: after all earlier ones.
    func nextStamp() -> Int64 {
        let time = Self.nanoseconds(now())
        return state.withLock { $0.nextStamp(time) }
    }

    /// Nanoseconds since 1970, kept within what 64 bits hold.
    static func nanoseconds(_ date: Date) -> Int64 {
        Int64(min(max(date.timeIntervalSince1970, -9e9), 9e9) * 1e9)
    }

    static func date(_ nanoseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(nanoseconds) / 1e9) }
}

extension EntryFolder.State {
    mutating func nextStamp(_ time: Int64) -> Int64 {
        lastStamp = lastStamp == .min ? time : max(time, lastStamp + 1)
        return lastStamp
    }
}
