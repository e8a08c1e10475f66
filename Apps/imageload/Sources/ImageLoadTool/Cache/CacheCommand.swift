import ArgumentParser
import Foundation
import ImageCore
import ImageDiskCaching
import ImageLoaderKit

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Inspect and maintain the disk cache.",
        discussion: """
            The folder is --cache, else swift-image-loading in $XDG_CACHE_HOME or ~/.cache. Each cached URL has two \
            entries: its stored responses, and the bytes of each.

            EXAMPLES
              imageload cache list
              imageload cache show https://example.com/a.jpg
              imageload cache warm - < urls.txt
              imageload cache trim --older-than 7d --to 100MB
            """,
        subcommands: [
            CacheStatusCommand.self, CacheListCommand.self, CacheShowCommand.self, CacheVerifyCommand.self,
            CacheTrimCommand.self, CacheClearCommand.self, CacheWarmCommand.self,
        ])
}

/// The options that all cache subcommands share.
struct CacheOptions: ParsableArguments {
    @Option(help: "The folder of the disk cache.", completion: .file())
    var cache: String?

    @OptionGroup var printing: OutputOptions

    /// Runs `body` with the cache. Turns a `DataCacheError` into a `ToolFailure`.
    func withCache(_ body: (DiskDataCache, _ path: String) async throws -> Void) async throws {
        let folder = CacheFolder.url(cache)
        do {
            try await body(ImageLoaderOptions(cacheDirectory: folder).makeDiskCache(in: folder), folder.path)
        } catch let failure as DataCacheError {
            throw ToolFailure(failure, folder: folder.path)
        }
    }
}

extension ToolFailure {
    init(_ failure: DataCacheError, folder: String) {
        let reason =
            switch failure {
            case .noSpace: "no space left. Free some and try again"
            case .inaccessible(let text), .io(let text): "\(text). Check the folder and its permissions"
            case .conflictingOptions(let text): "\(text). Use the same"
            case .other(let failure): "\(failure)"
            case .tooLarge(let bytes, let allowed): "\(bytes) bytes don't fit into \(allowed). Raise the limit"
            }
        self.init(status: .inputOutput, line: "\(folder): \(reason).")
    }
}

struct CacheStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Print the number of entries and bytes.",
        discussion: """
            EXAMPLES
              imageload cache status
              imageload cache status --cache /var/cache/photos --json
            """)

    private struct Report: Encodable {
        var folder: String
        var entries: Int
        var bytes: Int
        var byteLimit: Int
        var oldestUse: String?
        var newestUse: String?
    }

    @OptionGroup var options: CacheOptions

    func run() async throws {
        try await options.withCache { cache, path in
            let status = try await cache.status()
            let (oldest, newest) = (status.oldestUse?.ISO8601Format(), status.newestUse?.ISO8601Format())
            let report = Report(
                folder: path, entries: status.entryCount, bytes: status.byteCount, byteLimit: status.byteLimit,
                oldestUse: oldest, newestUse: newest)
            let uses = oldest.flatMap { oldest in newest.map { "last used between \(oldest) and \($0)" } }
            let sizes = "\(ByteCount.text(status.byteCount)) of \(ByteCount.text(status.byteLimit))"
            let lines = ["\(path): \(status.entryCount) entries, \(sizes)", uses].compactMap(\.self)
            try options.printing.print(report, lines: lines)
        }
    }
}

struct CacheVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify the checksum of every entry and remove damaged entries.",
        discussion: """
            EXAMPLES
              imageload cache verify --json
            """)

    private struct Report: Encodable {
        var folder: String
        var checkedEntryCount: Int
        var checkedByteCount: Int
        var removedEntryCount: Int
        var unrepairedFiles: [String]
    }

    @OptionGroup var options: CacheOptions

    func run() async throws {
        try await options.withCache { cache, path in
            let found = try await cache.verify()
            let report = Report(
                folder: path, checkedEntryCount: found.checkedEntryCount, checkedByteCount: found.checkedByteCount,
                removedEntryCount: found.removedEntryCount, unrepairedFiles: found.unrepairedFiles)
            let damaged = found.removedEntryCount > 0 ? "; \(found.removedEntryCount) damaged, removed" : ""
            let checked = "\(found.checkedEntryCount) entries checked, \(ByteCount.text(found.checkedByteCount))"
            try options.printing.print(report, text: "\(path): \(checked)\(damaged)")
            try Self.check(found, path)
        }
    }

    /// Throws if a file is damaged and can't be removed.
    static func check(_ found: DiskCacheVerification, _ path: String) throws(ToolFailure) {
        guard let first = found.unrepairedFiles.first else { return }
        let count = found.unrepairedFiles.count
        throw ToolFailure(
            status: .notAImage,
            line: "\(path): \(count) could not be repaired, including \(first). Check the permissions.")
    }
}

/// What `cache trim` and `cache clear` print.
private struct RemovalReport: Encodable {
    var folder: String
    var entriesRemoved: Int
    var bytesRemoved: Int

    var text: String { "\(folder): \(entriesRemoved) entries removed, \(ByteCount.text(bytesRemoved))" }
}

struct CacheTrimCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim", abstract: "Remove the least recently used entries.",
        discussion: """
            EXAMPLES
              imageload cache trim --to 100MB
              imageload cache trim --older-than 7d
            """)

    @OptionGroup var options: CacheOptions

    @Option(help: "Remove entries not used for this long: 90s, 5m, 2h, 7d, 1w.")
    var olderThan: Age?

    @Option(help: "Keep at most this many bytes: 100MB.")
    var to: ByteCount?

    func validate() throws {
        guard olderThan != nil || to != nil else { throw ValidationError("trim needs --older-than or --to") }
    }

    func run() async throws {
        try await options.withCache { cache, path in
            var removals: [DiskCacheRemoval] = []
            if let olderThan { removals.append(try await cache.removeAll(unusedFor: olderThan.duration)) }
            if let to { removals.append(try await cache.trim(to: to.bytes)) }
            let report = RemovalReport(
                folder: path, entriesRemoved: removals.reduce(0) { $0 + $1.entryCount },
                bytesRemoved: removals.reduce(0) { $0 + $1.byteCount })
            try options.printing.print(report, text: report.text)
        }
    }
}

struct CacheClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Remove all entries. See trim for those not used for a while.",
        discussion: """
            EXAMPLES
              imageload cache clear
              imageload cache clear --cache /var/cache/photos
            """)

    @OptionGroup var options: CacheOptions

    func run() async throws {
        try await options.withCache { cache, path in
            let before = try await cache.status()
            try await cache.removeAll()
            let left = try await cache.status()
            let report = RemovalReport(
                folder: path, entriesRemoved: before.entryCount - left.entryCount,
                bytesRemoved: before.byteCount - left.byteCount)
            try options.printing.print(report, text: "\(path): \(left.entryCount) entries left")
        }
    }
}
