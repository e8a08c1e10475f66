import Foundation
import ImageCore
import ImageTesting

@testable import ImageDiskCaching

/// Returns an entry whose bytes and metadata depend on the number of its key and its version.
func genuine(_ number: Int, _ version: Int) -> DataCacheEntry {
    entry(1_000 + version % 20 * 977, seed: UInt64(version * 100 + number))
}

/// Returns true for nil, and for an entry of `genuine` with that number and any version.
func isGenuine(_ found: DataCacheEntry?, _ number: Int) -> Bool {
    guard let found else { return true }
    let words = String(decoding: found.metadata, as: UTF8.self).split(separator: " ")
    guard let seed = words.last.flatMap({ Int($0) }), seed % 100 == number else { return false }
    return found == genuine(number, seed / 100)
}

/// The limit of the workload's cache.
enum WorkloadLimits: String, Codable, CaseIterable {
    /// All entries fit, so each acknowledged entry must exist.
    case ample
    /// About a third of the entries fit, so entries are evicted constantly. Includes operations that remove many at
    /// once.
    case scarce

    static let keyCount = 12

    var byteLimit: Int { self == .ample ? 600_000 : 60_000 }
}

/// One operation, in the format of an `OperationLog`.
enum WorkloadStep: Hashable, Codable {
    case read(Int)
    case readPart(Int)
    case store(Int, version: Int)
    /// A store with a writer, in chunks.
    case stream(Int, version: Int)
    /// A writer that is cancelled in the middle.
    case cancel(Int, version: Int)
    case remove(Int)
    case trim(Int)
    case removeUnused
    case verify
    case removeAll

    /// Creates the next step of a random sequence.
    init(version: Int, _ limits: WorkloadLimits, _ random: inout SeededRandom) {
        let number = Int.random(in: 0..<WorkloadLimits.keyCount, using: &random)
        switch Int.random(in: 0..<(limits == .scarce ? 28 : 24), using: &random) {
        case 0...1: self = .remove(number)
        case 2...5: self = .read(number)
        case 6: self = .readPart(number)
        case 7: self = .verify
        case 8...11: self = .stream(number, version: version)
        case 12: self = .cancel(number, version: version)
        case 24...25: self = .trim(Int.random(in: 0...limits.byteLimit, using: &random))
        case 26: self = .removeUnused
        case 27: self = .removeAll
        default: self = .store(number, version: version)
        }
    }

    /// The stores of an earlier launch.
    static let earlier = (0..<4).map { WorkloadStep.store($0, version: 19) }

    /// Returns a workload of all operations, which runs after `earlier`.
    static func scenario(_ limits: WorkloadLimits) -> [WorkloadStep] {
        switch limits {
        case .ample:
            [
                .store(1, version: 3), .store(4, version: 2), .read(2), .read(9), .readPart(0), .stream(0, version: 6),
                .cancel(2, version: 7), .remove(3), .verify, .store(5, version: 4), .trim(limits.byteLimit),
            ]
        case .scarce:
            [
                .store(1, version: 18), .store(4, version: 17), .read(3), .verify, .trim(30_000),
                .stream(6, version: 16), .removeUnused, .removeAll, .store(7, version: 15), .store(8, version: 14),
            ]
        }
    }

    /// Runs the step, and returns what a read found.
    func run(on cache: DiskDataCache) async throws(DataCacheError) -> DataCacheEntry? {
        switch self {
        case .read(let number): return try await cache.entry(for: key(number))
        case .readPart(let number): return try await Self.readInParts(number, cache)
        case .store(let number, let version): try await cache.store(genuine(number, version), for: key(number))
        case .stream(let number, let version):
            let entry = genuine(number, version)
            try await Self.begin(entry, number, cache).finish(
                metadata: entry.metadata, creationDate: entry.creationDate)
        case .cancel(let number, let version): try await Self.begin(genuine(number, version), number, cache).cancel()
        case .remove(let number): try await cache.remove(for: key(number))
        case .trim(let byteCount): try await cache.trim(to: byteCount)
        case .removeUnused: try await cache.removeAll(unusedFor: .zero)
        case .verify: _ = try await cache.verify()
        case .removeAll: try await cache.removeAll()
        }
        return nil
    }

    /// Returns a writer that has received all data of an entry, in two chunks.
    private static func begin(
        _ entry: DataCacheEntry, _ number: Int, _ cache: DiskDataCache
    ) async throws(DataCacheError) -> any DataCacheWriter {
        let isLengthKnown = entry.data.count % 2 == 0
        let writer = try await cache.writer(
            for: key(number), expectedByteCount: isLengthKnown ? entry.data.count : nil)
        try await writer.append(entry.data.prefix(700))
        try await writer.append(entry.data.dropFirst(700))
        return writer
    }

    /// Returns an entry assembled from its parts, or nil if it is missing.
    private static func readInParts(
        _ number: Int, _ cache: DiskDataCache
    ) async throws(DataCacheError) -> DataCacheEntry? {
        guard let reader = try await cache.reader(for: key(number)) else { return nil }
        guard let end = try await reader.bytes(in: 300..<reader.byteCount),
            let start = try await reader.bytes(in: 0..<300)
        else { return nil }
        return DataCacheEntry(data: start + end, metadata: reader.metadata, creationDate: reader.creationDate)
    }

    /// The number of the key that the step reads. `nil` for other steps.
    var lookedUp: Int? {
        switch self {
        case .read(let number), .readPart(let number): number
        default: nil
        }
    }
}

/// Returns a new cache for the workload, as after a relaunch.
func workloadCache(
    _ path: String, _ limits: WorkloadLimits, _ fileSystem: FileSystem = FileSystem()
) -> DiskDataCache {
    var options = DiskCacheOptions()
    options.minFreeByteCount = 0
    return DiskDataCache(
        directory: URL(filePath: path), byteLimit: limits.byteLimit, options: options, fileSystem: fileSystem,
        now: { Date() })
}

/// The versions that a lookup can return for each key, given all begun, completed and observed steps.
struct WorkloadModel {
    let limits: WorkloadLimits
    /// A version, or nil for a missing entry.
    private(set) var allowed = [Set<Int?>](repeating: [nil], count: WorkloadLimits.keyCount)

    init(_ limits: WorkloadLimits) { self.limits = limits }

    /// Records that a step begins. It can take effect at any moment from now on.
    mutating func begin(_ step: WorkloadStep) {
        switch step {
        case .store(let number, let version), .stream(let number, let version):
            if limits == .scarce { allowEviction() }
            allowed[number].insert(version)
        case .remove(let number): allowed[number].insert(nil)
        case .trim, .removeUnused, .removeAll: allowEviction()
        case .cancel: if limits == .scarce { allowEviction() }
        case .read, .readPart, .verify: break
        }
    }

    /// Records that a step has returned without an error.
    mutating func end(_ step: WorkloadStep) {
        switch step {
        case .store(let number, let version), .stream(let number, let version): allowed[number] = [version]
        case .remove(let number): allowed[number] = [nil]
        case .removeAll: for number in allowed.indices { allowed[number] = [nil] }
        case .trim, .removeUnused, .read, .readPart, .cancel, .verify: break
        }
    }

    func allowsAbsence(of number: Int) -> Bool { allowed[number].contains(nil) }

    /// Records that an entry may be missing.
    mutating func allowLoss(of number: Int) { allowed[number].insert(nil) }

    /// Records that a store has failed. The older entry is outdated.
    mutating func forbidOlder(than version: Int, of number: Int) {
        allowed[number].formIntersection([nil, version])
        allowed[number].insert(nil)
    }

    /// Returns true if a result is possible. Until the next step, it is then the only possible one.
    mutating func admits(_ found: DataCacheEntry?, of number: Int) -> Bool {
        guard let version = allowed[number].first(where: { found == $0.map { genuine(number, $0) } }) else {
            return false
        }
        allowed[number] = [version]
        // With a low limit, entries can be evicted at any time.
        if limits == .scarce { allowed[number].insert(nil) }
        return true
    }

    /// Returns a description of the possible results for a number.
    func text(_ number: Int) -> String {
        "key \(number) may be "
            + allowed[number].map { $0.map { "version \($0)" } ?? "absent" }.sorted().joined(separator: " or ")
    }

    private mutating func allowEviction() {
        for number in allowed.indices { allowed[number].insert(nil) }
    }
}
