import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The folder of a cache, with the paths and the times of its files.
///
/// ```text
/// <root>/usage            the number of bytes in use, see UsageFile; its lock is the lock of the folder
/// <root>/3f/3f9a…         an entry, see EntryFile; without the subfolder in a flat layout
/// <root>/tmp/0.part       an entry that is being written, see PartialFile
/// ```
struct CacheFolder: Sendable {
    let root: String
    let byteLimit: Int
    let options: DiskCacheOptions
    let fileSystem: FileSystem
    let now: @Sendable () -> Date
    let uses = PendingUses()

    // MARK: Files

    var usage: String { "\(root)/usage" }
    var temporary: String { "\(root)/tmp" }
    /// The index of the formats before version 3.
    var olderIndexes: [String] { ["\(root)/entries.index", "\(root)/entries.table"] }

    /// The path of the file of an entry.
    func path(_ name: EntryName) -> String { "\(folder(of: name))/\(name.text)" }

    func folder(of name: EntryName) -> String {
        options.layout == .sharded ? "\(root)/\(name.text.prefix(2))" : root
    }

    /// The folders that can contain entries, in any layout.
    func folders() throws -> [String] {
        let names = try ifExists { try fileSystem.list(root) } ?? []
        return [root] + names.filter { $0.utf8.count == 2 && UInt8($0, radix: 16) != nil }.map { "\(root)/\($0)" }
    }

    /// The entries in a folder. Files of other programs are not listed.
    func entries(in folder: String) throws -> [ListedEntry] {
        do {
            return try (ifExists { try fileSystem.list(folder) } ?? []).compactMap { text in
                guard let name = EntryName(text), folder == root || folder.hasSuffix(text.prefix(2)),
                    let status = try ifExists({ try fileSystem.status(at: "\(folder)/\(text)") }), status.isRegular
                else { return nil }
                return ListedEntry(name: name, byteCount: status.byteCount, modified: status.modified)
            }
        } catch let failure as FileSystemFailure where failure.isForeign {
            // A file of another program that has the name of a subfolder.
            return []
        }
    }

    // MARK: Times

    /// Returns the time that was `age` ago.
    func time(before age: Duration) -> Date {
        // The components of the longest durations don't fit into integers.
        let most = Duration.seconds(9_000_000_000)
        return now() - min(max(age, .zero - most), most) / .seconds(1)
    }

    /// The latest time that a use can have: an hour ahead of the clock. A later one counts as the oldest one, because
    /// such an entry would otherwise never be evicted.
    var latestUse: Date { now() + 3_600 }

    /// Whether an entry was not used for longer than the age limit.
    func isExpired(_ status: FileStatus, _ name: EntryName) -> Bool {
        guard let ageLimit = options.ageLimit else { return false }
        let use = max(status.modified, uses.time(of: name) ?? .distantPast)
        return use < time(before: ageLimit) || use > latestUse
    }
}

/// An entry in a list of a folder.
struct ListedEntry {
    var name: EntryName
    var byteCount: Int
    /// The time of the last use.
    var modified: Date
}

/// The uses of entries that are not in the modification times of their files yet.
///
/// A hit writes nothing to the disk. The cache writes the times after 256 hits and before it evicts entries.
final class PendingUses: Sendable {
    private static let usesPerFlush = 256

    private let times = Mutex<[EntryName: Date]>([:])

    /// Records a use. Returns true if there are so many that the caller should write them.
    func note(_ name: EntryName, at time: Date) -> Bool {
        times.withLock { times in
            times[name] = time
            return times.count == Self.usesPerFlush
        }
    }

    /// The time of the last use that is not written yet.
    func time(of name: EntryName) -> Date? { times.withLock { $0[name] } }

    /// Forgets the use of an entry that was replaced.
    func forget(_ name: EntryName) { times.withLock { $0[name] = nil } }

    /// Returns and forgets all uses.
    func take() -> [EntryName: Date] {
        times.withLock { times in
            defer { times = [:] }
            return times
        }
    }
}
