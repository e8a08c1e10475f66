import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting

/// An entry that tells its key's number and its version, both in its bytes and in its metadata.
func genuine(_ number: Int, _ version: Int) -> DataCacheEntry {
    entry(1_000 + version % 20 * 977, seed: UInt64(version * 100 + number))
}

/// True for nil, and for what `genuine` gives for that number and some version.
func isGenuine(_ found: DataCacheEntry?, _ number: Int) -> Bool {
    guard let found else { return true }
    let words = String(decoding: found.metadata, as: UTF8.self).split(separator: " ")
    guard let seed = words.last.flatMap({ Int($0) }), seed % 100 == number else { return false }
    return found == genuine(number, seed / 100)
}

/// How much space the workload's cache has.
enum WorkloadLimits: String, Codable, CaseIterable {
    /// Everything fits: whatever was acknowledged must be there.
    case ample
    /// About a third fits: entries are evicted all the time, and the operations that remove many at once take part.
    case scarce

    static let keyCount = 12

    var byteLimit: Int { self == .ample ? 600_000 : 60_000 }
}

/// One operation, as it is written into a `OperationLog`.
enum WorkloadStep: Hashable, Codable {
    case read(Int)
    case readPart(Int)
    case store(Int, version: Int)
    /// A store through a writer, in pieces.
    case stream(Int, version: Int)
    /// A writer that is given up in the middle.
    case abandon(Int, version: Int)
    case remove(Int)
    case trim(Int)
    case removeUnused
    case verify
    case removeAll

    /// The next of a random sequence.
    init(version: Int, _ limits: WorkloadLimits, _ random: inout SeededRandom) {
        let number = Int.random(in: 0..<WorkloadLimits.keyCount, using: &random)
        switch Int.random(in: 0..<(limits == .scarce ? 28 : 24), using: &random) {
        case 0...1: self = .remove(number)
        case 2...5: self = .read(number)
        case 6: self = .readPart(number)
        case 7: self = .verify
        case 8...11: self = .stream(number, version: version)
        case 12: self = .abandon(number, version: version)
        case 24...25: self = .trim(Int.random(in: 0...limits.byteLimit, using: &random))
        case 26: self = .removeUnused
        case 27: self = .removeAll
        default: self = .store(number, version: version)
        }
    }

    /// Stores of an earlier launch.
    static let earlier = (0..<4).map { WorkloadStep.store($0, version: 19) }

    /// All operations, after `earlier`.
    static func scenario(_ limits: WorkloadLimits) -> [WorkloadStep] {
        switch limits {
        case .ample:
            [
                .store(1, version: 3), .store(4, version: 2), .read(2), .read(9), .readPart(0), .stream(0, version: 6),
                .abandon(2, version: 7), .remove(3), .verify, .store(5, version: 4), .trim(limits.byteLimit),
            ]
        case .scarce:
            [
                .store(1, version: 18), .store(4, version: 17), .read(3), .verify, .trim(30_000),
                .stream(6, version: 16), .removeUnused, .removeAll, .store(7, version: 15), .store(8, version: 14),
            ]
        }
    }

    /// Carries the step out; returns what a read found.
    func run(on cache: DiskDataCache) async throws(DataCacheFailure) -> DataCacheEntry? {
        switch self {
        case .read(let number): return try await cache.entry(for: key(number))
        case .readPart(let number): return try await Self.readInParts(number, cache)
        case .store(let number, let version): try await cache.store(genuine(number, version), for: key(number))
        case .stream(let number, let version):
            let entry = genuine(number, version)
            try await Self.begin(entry, number, cache).finish(metadata: entry.metadata, createdAt: entry.createdAt)
        case .abandon(let number, let version): try await Self.begin(genuine(number, version), number, cache).cancel()
        case .remove(let number): try await cache.remove(for: key(number))
        case .trim(let byteCount): try await cache.trim(to: byteCount)
        case .removeUnused: try await cache.removeAll(olderThan: .zero)
        case .verify: _ = try await cache.verify()
        case .removeAll: try await cache.removeAll()
        }
        return nil
    }

    /// A writer that has got all of an entry's data, in two pieces.
    private static func begin(
        _ entry: DataCacheEntry, _ number: Int, _ cache: DiskDataCache
    ) async throws(DataCacheFailure) -> any DataCacheWriter {
        let isLengthKnown = entry.data.count % 2 == 0
        let writer = try await cache.writer(
            for: key(number), expectedByteCount: isLengthKnown ? entry.data.count : nil)
        try await writer.append(entry.data.prefix(700))
        try await writer.append(entry.data.dropFirst(700))
        return writer
    }

    /// An entry put together from its parts, or nil when it is absent.
    private static func readInParts(
        _ number: Int, _ cache: DiskDataCache
    ) async throws(DataCacheFailure) -> DataCacheEntry? {
        guard let reader = try await cache.reader(for: key(number)) else { return nil }
        guard let end = try await reader.bytes(in: 300..<reader.byteCount),
            let start = try await reader.bytes(in: 0..<300)
        else { return nil }
        return DataCacheEntry(data: start + end, metadata: reader.metadata, createdAt: reader.createdAt)
    }

    /// The number under which the step looks for an entry.
    var lookedUp: Int? {
        switch self {
        case .read(let number), .readPart(let number): number
        default: nil
        }
    }
}

/// A cache of the workload, as a new launch of a program would make it.
func workloadCache(
    _ path: String, _ limits: WorkloadLimits, _ durability: DiskDurability = .processCrash,
    _ fileSystem: any FileSystem = POSIXFileSystem()
) -> DiskDataCache {
    DiskDataCache(
        folder: EntryFolder(
            root: path, byteLimit: limits.byteLimit, durability: durability, fileSystem: fileSystem, now: { testTime }))
}

/// Which version may be found under each key, after what was begun, done and seen.
struct WorkloadModel {
    let limits: WorkloadLimits
    /// A version, or nil for none.
    private(set) var allowed = [Set<Int?>](repeating: [nil], count: WorkloadLimits.keyCount)

    init(_ limits: WorkloadLimits) { self.limits = limits }

    /// A step may take effect at any moment from now on.
    mutating func begin(_ step: WorkloadStep) {
        switch step {
        case .store(let number, let version), .stream(let number, let version):
            if limits == .scarce { allowEviction() }
            allowed[number].insert(version)
        case .remove(let number): allowed[number].insert(nil)
        case .trim, .removeUnused, .removeAll: allowEviction()
        case .abandon: if limits == .scarce { allowEviction() }
        case .read, .readPart, .verify: break
        }
    }

    /// A step has returned without an error.
    mutating func end(_ step: WorkloadStep) {
        switch step {
        case .store(let number, let version), .stream(let number, let version): allowed[number] = [version]
        case .remove(let number): allowed[number] = [nil]
        case .removeAll: for number in allowed.indices { allowed[number] = [nil] }
        case .trim, .removeUnused, .read, .readPart, .abandon, .verify: break
        }
    }

    func allowsAbsence(of number: Int) -> Bool { allowed[number].contains(nil) }

    /// The entry under a number need not be there any more.
    mutating func allowLoss(of number: Int) { allowed[number].insert(nil) }

    /// A store has failed: what was there before is out of date.
    mutating func forbidOlder(than version: Int, of number: Int) {
        allowed[number].formIntersection([nil, version])
        allowed[number].insert(nil)
    }

    /// True when what was found may be there; from then on nothing else may, unless something happens.
    mutating func admits(_ found: DataCacheEntry?, of number: Int) -> Bool {
        guard let version = allowed[number].first(where: { found == $0.map { genuine(number, $0) } }) else {
            return false
        }
        allowed[number] = [version]
        // What is scarce may go without anybody asking for it.
        if limits == .scarce { allowed[number].insert(nil) }
        return true
    }

    /// What may be found under a number, for people.
    func text(_ number: Int) -> String {
        "key \(number) may be "
            + allowed[number].map { $0.map { "version \($0)" } ?? "absent" }.sorted().joined(separator: " or ")
    }

    private mutating func allowEviction() {
        for number in allowed.indices { allowed[number].insert(nil) }
    }
}
