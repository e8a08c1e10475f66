import ArgumentParser
import Foundation
import ImageCore
import ImageDiskCaching
import ImageLoaderKit

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Inspect and maintain the disk cache.",
        subcommands: [CacheStatusCommand.self, CacheVerifyCommand.self, CacheTrimCommand.self, CacheClearCommand.self])
}

/// The options that all cache subcommands share.
struct CacheOptions: ParsableArguments {
    @Option(help: "The folder of the disk cache.")
    var cache: String?

    /// Runs `body` with the cache. Turns a `DataCacheFailure` into a `ToolFailure`.
    func withCache(_ body: (DiskDataCache, _ path: String) async throws -> Void) async throws {
        let folder = CacheFolder.url(cache)
        do {
            try await body(ImageLoaderOptions(cacheDirectory: folder).makeDiskCache(in: folder), folder.path)
        } catch let failure as DataCacheFailure {
            throw ToolFailure(failure, folder: folder.path)
        }
    }
}

extension ToolFailure {
    init(_ failure: DataCacheFailure, folder: String) {
        let reason =
            switch failure {
            case .noSpace: "no space left. Free some and try again"
            case .inaccessible(let text), .io(let text): "\(text). Check the folder and its permissions"
            case .tooLarge(let bytes, let allowed): "\(bytes) bytes don't fit into \(allowed). Raise the limit"
            }
        self.init(status: .inputOutput, line: "\(folder): \(reason).")
    }
}

struct CacheStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Print the number of entries and bytes.")

    @OptionGroup var options: CacheOptions

    func run() async throws {
        try await options.withCache { cache, path in
            let status = try await cache.status()
            Console.output(
                "\(path): \(status.entryCount) entries, \(ByteCount.text(status.byteCount)) of \(ByteCount.text(status.byteLimit))"
            )
            if let oldest = status.oldestUse, let newest = status.newestUse {
                Console.output("last used between \(oldest.ISO8601Format()) and \(newest.ISO8601Format())")
            }
        }
    }
}

struct CacheVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify the checksum of every entry and remove damaged entries.")

    @OptionGroup var options: CacheOptions

    func run() async throws {
        try await options.withCache { cache, path in
            let report = try await cache.verify()
            var parts = ["\(report.entriesChecked) entries checked, \(ByteCount.text(report.bytesChecked))"]
            if report.damagedRemoved > 0 { parts.append("\(report.damagedRemoved) damaged, removed") }
            Console.output("\(path): " + parts.joined(separator: "; "))
            if !report.unrepaired.isEmpty {
                let first = report.unrepaired.first ?? ""
                throw ToolFailure(
                    status: .notAImage,
                    line:
                        "\(path): \(report.unrepaired.count) could not be repaired, including \(first). Check the permissions."
                )
            }
        }
    }
}

struct CacheTrimCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim", abstract: "Remove the least recently used entries.")

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
            if let olderThan { removals.append(try await cache.removeAll(olderThan: olderThan.duration)) }
            if let to { removals.append(try await cache.trim(to: to.bytes)) }
            let entries = removals.map(\.entryCount).reduce(0, +)
            let bytes = removals.map(\.byteCount).reduce(0, +)
            Console.output("\(path): \(entries) entries removed, \(ByteCount.text(bytes))")
        }
    }
}

struct CacheClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Remove all entries, or those not used for a while.")

    @OptionGroup var options: CacheOptions

    @Option(help: "Remove only entries not used for this long: 90s, 5m, 2h, 7d, 1w.")
    var olderThan: Age?

    func run() async throws {
        try await options.withCache { cache, path in
            if let olderThan {
                try await cache.removeAll(olderThan: olderThan.duration)
            } else {
                try await cache.removeAll()
            }
            Console.output("\(path): \(try await cache.status().entryCount) entries left")
        }
    }
}
