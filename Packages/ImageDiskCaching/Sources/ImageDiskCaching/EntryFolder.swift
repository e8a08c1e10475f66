package import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Stores entries as files in a folder. `DiskDataCache` calls it on its own threads.
///
/// ```text
/// <root>/3f/3f9a…64 digits     an entry, named by EntryName; without the subfolder in a flat layout
/// <root>/3f/<12 digits>.part   a file that is written while the folder is locked
/// <root>/tmp/<12 digits>.part  a file that is written without the lock of the folder; its writer locks it
/// <root>/entries.index         the journal of the index, see JournalFormat; its lock is the lock of the folder
/// <root>/entries.table         the table of the index
/// ```
/// `readNonblocking` never blocks. All other methods block on the file system. You can call `read` on any thread. Call
/// all other methods one at a time, on one queue. The mutex protects only the state in memory, and is never locked
/// during a system call.
package final class EntryFolder: Sendable {
    /// The state in memory.
    struct State {
        /// The index. `nil` before the folder is opened, and after it is removed.
        var index: EntryIndex?
        /// The open journal. Only the methods that run one at a time use it.
        var journal: Journal?
        /// The uses that are not in the files of the index yet.
        var uses: [PendingUse] = []
        var isOpeningRequested = false
        var isFlushRequested = false
        /// The latest time so far. Times never repeat, even if the clock doesn't advance or is set back a little.
        var lastStamp = Int64.min
        /// Whether the files of the index have times that `correctTimes` has changed.
        var hasCorrectedTimes = false
        /// The number of the last temporary file.
        var temporaryCount: UInt16 = 0
        /// The subfolders whose names are synchronized.
        var synchronizedFolders: Set<String> = []
        /// The folders with removals that are not synchronized yet. Empty unless the durability is `powerLoss`.
        var unsynchronizedFolders: Set<String> = []
        var byteLimit: Int
        var statistics = DiskCacheStatistics()
    }

    /// A use that is not in the files of the index yet.
    struct PendingUse {
        var name: EntryName
        var stamp: Int64
        /// Whether the index was not loaded yet. The time can then be before those in the index.
        var isEarly: Bool
    }

    /// The open journal of the index.
    struct Journal {
        var file: Int32
        var identity: FileIdentity
        var generation: UInt64
        /// The end of the events that are in the index in memory, in bytes.
        var end: Int
    }

    let fileSystem: any FileSystem
    let root: String
    /// The start of the path of each entry: `root` and a slash.
    private let pathPrefix: String
    let options: DiskCacheOptions
    let now: @Sendable () -> Date
    let state: Mutex<State>

    package convenience init(
        root: String, byteLimit: Int, durability: DiskDurability = .processCrash,
        fileSystem: any FileSystem = POSIXFileSystem(), now: @escaping @Sendable () -> Date
    ) {
        var options = DiskCacheOptions()
        options.durability = durability
        options.minimumFreeSpace = 0
        self.init(root: root, byteLimit: byteLimit, options: options, fileSystem: fileSystem, now: now)
    }

    package init(
        root: String, byteLimit: Int, options: DiskCacheOptions, fileSystem: any FileSystem = POSIXFileSystem(),
        now: @escaping @Sendable () -> Date
    ) {
        self.root = root
        pathPrefix = root + "/"
        self.options = options
        self.fileSystem = fileSystem
        self.now = now
        state = Mutex(State(byteLimit: Self.limited(byteLimit)))
    }

    deinit {
        if let journal = state.withLock({ $0.journal }) { fileSystem.close(journal.file) }
    }

    package var byteLimit: Int { state.withLock { $0.byteLimit } }

    package var largestEntry: Int { state.withLock { $0.largestEntry } }

    package var statistics: DiskCacheStatistics { state.withLock { $0.statistics } }

    /// Changes the limit for later stores. `shrinkStep` evicts entries to meet it.
    package func setByteLimit(_ byteLimit: Int) { state.withLock { $0.byteLimit = Self.limited(byteLimit) } }

    /// Returns true once if the folder is not open. The caller that receives true opens it.
    package func requestsOpening() -> Bool {
        state.withLock { state in
            defer { state.isOpeningRequested = true }
            return !state.isOpeningRequested && state.index == nil
        }
    }

    func name(_ key: DataCacheKey) -> EntryName { options.naming.name(key) }

    func folder(ofShard shard: some StringProtocol) -> String { "\(root)/\(shard)" }

    func path(_ name: EntryName) -> String {
        name.path(in: pathPrefix, isSharded: options.layout == .sharded)
    }

    var temporaryFolder: String { "\(root)/tmp" }

    func temporaryPath(_ writer: WriterNumber) -> String { "\(temporaryFolder)/\(writer.text).part" }

    func path(of writer: WriterNumber, beside name: EntryName) -> String {
        "\(parentFolder(of: name))/\(writer.text).part"
    }

    /// Returns the time of a use: now, but after all earlier uses.
    func nextStamp() -> Int64 {
        let time = Self.nanoseconds(now())
        return state.withLock { $0.nextStamp(time) }
    }

    /// Nanoseconds since 1970, clamped to ±9 × 10^18.
    static func nanoseconds(_ date: Date) -> Int64 {
        Int64(min(9e9, max(-9e9, date.timeIntervalSince1970)) * 1e9)
    }

    /// The maximum time by which an entry can be ahead of the clock: one hour, in nanoseconds.
    static let maxClockSkew: Int64 = 3_600_000_000_000

    /// Returns a byte limit whose sums with the sizes of files don't overflow.
    private static func limited(_ byteLimit: Int) -> Int { min(max(0, byteLimit), .max / 4) }

    static func date(_ nanoseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(nanoseconds) / 1e9) }
}

extension EntryFolder.State {
    /// Returns a time after all earlier ones.
    ///
    /// - Parameter time: The current time.
    mutating func nextStamp(_ time: Int64) -> Int64 {
        correctTimes(time)
        lastStamp = lastStamp == .min ? time : max(time, lastStamp + 1)
        return lastStamp
    }

    /// Makes all times older if the clock was set back, so that the latest one is now. Otherwise entries from a time when the
    /// clock was ahead would never expire. Their order and distances don't change.
    mutating func correctTimes(_ now: Int64) {
        guard lastStamp > now + EntryFolder.maxClockSkew else { return }
        let (latest, limit) = (lastStamp, now + EntryFolder.maxClockSkew)
        let correct = { (stamp: Int64) in stamp > limit ? now &- (latest &- stamp) : stamp }
        index?.correctTimes(correct)
        for position in uses.indices { uses[position].stamp = correct(uses[position].stamp) }
        (lastStamp, hasCorrectedTimes) = (now, true)
    }
}
