public import ImageCore
import ImageTesting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What every cache of encoded bytes promises.
///
/// No rule asks which entry goes first when room is needed, nor what an entry costs beyond its data and metadata: both are the
/// cache's own. Limits are chosen so that up to `overhead` bytes more per entry do no harm.
public enum DataCacheContract {
    /// Makes an empty cache with a limit in bytes.
    public typealias Subject = @Sendable (_ byteLimit: Int) async throws -> any DataCache

    /// What an entry may cost beyond its data and metadata, in bytes, for the rules on the budget to be fair.
    public static let overhead = 200

    public static var rules: [ContractRule<Subject>] { single + budget + concurrent }

    private static var single: [ContractRule<Subject>] {
        [
            ContractRule("what was never stored is absent") { makeCache in
                try await expect(makeCache(10_000), has: nil, for: key(1))
            },
            ContractRule("a stored entry is found with data, metadata and date") { makeCache in
                let cache = try await makeCache(100_000)
                for number in 1...5 { try await cache.store(entry(1_000, number), for: key(number)) }
                for number in 1...5 { try await expect(cache, has: entry(1_000, number), for: key(number)) }
            },
            ContractRule("an entry without data or metadata is an entry") { makeCache in
                let cache = try await makeCache(100_000)
                let empty = DataCacheEntry(data: Data(), createdAt: Date(timeIntervalSinceReferenceDate: 0))
                try await cache.store(empty, for: key(1))
                try await expect(cache, has: empty, for: key(1))
            },
            ContractRule("the data that is found starts at index 0") { makeCache in
                let cache = try await makeCache(100_000)
                try await cache.store(entry(1_000, 1), for: key(1))
                let start = try await cache.entry(for: key(1))?.data.startIndex
                try expect(start == 0, "the data starts at \(start.map(String.init) ?? "nowhere")")
            },
            ContractRule("a second store replaces the entry in all its parts") { makeCache in
                let cache = try await makeCache(100_000)
                try await cache.store(entry(1_000, 1), for: key(1))
                try await cache.store(entry(10, 2), for: key(1))
                try await expect(cache, has: entry(10, 2), for: key(1))
            },
            ContractRule("keys are told apart in full, whatever their length and letters") { makeCache in
                let cache = try await makeCache(100_000)
                let keys = oddKeys
                for (number, key) in keys.enumerated() { try await cache.store(entry(50, number), for: key) }
                for (number, key) in keys.enumerated() { try await expect(cache, has: entry(50, number), for: key) }
            },
            ContractRule("remove forgets that entry and no other") { makeCache in
                let cache = try await makeCache(100_000)
                for number in 1...3 { try await cache.store(entry(100, number), for: key(number)) }
                try await cache.remove(for: key(2))
                try await cache.remove(for: key(9))
                try await expect(cache, has: nil, for: key(2))
                for number in [1, 3] { try await expect(cache, has: entry(100, number), for: key(number)) }
            },
            ContractRule("removeAll forgets every entry, and the cache goes on") { makeCache in
                let cache = try await makeCache(100_000)
                for number in 1...3 { try await cache.store(entry(100, number), for: key(number)) }
                try await cache.removeAll()
                for number in 1...3 { try await expect(cache, has: nil, for: key(number)) }
                try await cache.store(entry(100, 4), for: key(4))
                try await expect(cache, has: entry(100, 4), for: key(4))
            },
        ]
    }

    private static var budget: [ContractRule<Subject>] {
        [
            ContractRule("entries that fit the budget are all kept") { makeCache in
                let cache = try await makeCache(10 * (1_000 + overhead))
                for number in 1...10 { try await cache.store(entry(1_000, number), for: key(number)) }
                for number in 1...10 { try await expect(cache, has: entry(1_000, number), for: key(number)) }
            },
            ContractRule("the budget holds after every store") { makeCache in
                let cache = try await makeCache(10_000)
                var random = SeededRandom(seed: 1)
                for step in 0..<60 {
                    let number = Int.random(in: 0..<12, using: &random)
                    try await cache.store(entry(Int.random(in: 1...3_000, using: &random), step), for: key(number))
                    var sum = 0
                    for number in 0..<12 { sum += size(try await cache.entry(for: key(number))) }
                    try expect(sum <= 10_000, "\(sum) bytes within a budget of 10000")
                }
            },
            ContractRule("an entry larger than the whole budget throws tooLarge and evicts no other") { makeCache in
                let cache = try await makeCache(5_000)
                for number in 1...3 { try await cache.store(entry(1_000, number), for: key(number)) }
                try await expectTooLarge(entry(5_001, 4), for: key(4), in: cache)
                try await expect(cache, has: nil, for: key(4))
                for number in 1...3 { try await expect(cache, has: entry(1_000, number), for: key(number)) }
            },
            ContractRule("a refused entry does not leave the older one under its key") { makeCache in
                let cache = try await makeCache(5_000)
                try await cache.store(entry(1_000, 1), for: key(1))
                try await expectTooLarge(entry(5_001, 2), for: key(1), in: cache)
                try await expect(cache, has: nil, for: key(1))
            },
        ]
    }

    private static var concurrent: [ContractRule<Subject>] {
        [
            ContractRule("concurrent stores under one key leave one of the entries, and no reader sees another") {
                makeCache in
                let cache = try await makeCache(1_000_000)
                let candidates = (0..<6).map { entry(500 + $0 * 100, $0) }
                try await cache.store(candidates[0], for: key(1))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for candidate in candidates {
                        group.addTask {
                            for _ in 0..<20 {
                                try await cache.store(candidate, for: key(1))
                                let found = try await cache.entry(for: key(1))
                                try expect(
                                    found.map(candidates.contains) == true, "a reader saw none of the entries stored")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        ]
    }

    private static var oddKeys: [DataCacheKey] {
        let long = String(repeating: "a", count: 5_000)
        return ["", "a", "A", "a/b", "a b", "../a", "a\0b", "ü", "🖼", ".", "..", "a#", "a?", long, long + "b"].map(
            DataCacheKey.init)
    }

    private static func key(_ number: Int) -> DataCacheKey { DataCacheKey(source: "https://pictures.test/\(number)") }

    /// An entry of which every part depends on the seed.
    private static func entry(_ byteCount: Int, _ seed: Int) -> DataCacheEntry {
        DataCacheEntry(
            data: Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 256 &+ seed &* 7) }),
            metadata: Data("metadata \(seed)".utf8), createdAt: Date(timeIntervalSinceReferenceDate: Double(seed) + 0.1)
        )
    }

    private static func size(_ entry: DataCacheEntry?) -> Int {
        entry.map { $0.data.count + $0.metadata.count } ?? 0
    }

    private static func expect(_ cache: any DataCache, has entry: DataCacheEntry?, for key: DataCacheKey) async throws {
        let found = try await cache.entry(for: key)
        try expect(found == entry, "under \(key.source.prefix(60)) there is \(text(found)), expected \(text(entry))")
    }

    private static func expectTooLarge(_ entry: DataCacheEntry, for key: DataCacheKey, in cache: any DataCache)
        async throws
    {
        do {
            try await cache.store(entry, for: key)
        } catch .tooLarge(let bytes, let allowed) {
            try expect(bytes > allowed, "tooLarge tells of \(bytes) bytes where \(allowed) are allowed")
            return
        }
        throw ContractViolation("an entry larger than the budget was taken")
    }

    private static func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws(ContractViolation) {
        try ImageContractTesting.expect(condition, message())
    }

    private static func text(_ entry: DataCacheEntry?) -> String {
        entry.map { "an entry of \($0.data.count) bytes with \(String(decoding: $0.metadata, as: UTF8.self))" }
            ?? "nothing"
    }
}
