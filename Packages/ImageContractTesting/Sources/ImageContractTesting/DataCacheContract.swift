public import ImageCore
import ImageTesting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What every cache of encoded bytes promises.
///
/// No rule asks which entry goes first when space is needed, nor what an entry costs beyond its data and metadata: both are the
/// cache's own. Limits are chosen so that up to `overhead` bytes more per entry do no harm.
public enum DataCacheContract {
    /// Makes an empty cache with a limit in bytes.
    public typealias Subject = @Sendable (_ byteLimit: Int) async throws -> any DataCache

    /// What an entry may cost beyond its data and metadata, in bytes, for the rules on the budget to be fair.
    public static let overhead = 600

    /// What every cache must keep. What only some can be asked, each list with a subject of its own: `reopening`, `damage`,
    /// `fullStore`, `threads` and `streaming`.
    public static var rules: [ContractRule<Subject>] { single + forgetting + budget + replacing + concurrent }

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
            ContractRule("data that is a slice of other data is stored like any other") { makeCache in
                let cache = try await makeCache(100_000)
                let whole = entry(1_000, 1)
                let padded = DataCacheEntry(
                    data: (Data([1, 2, 3]) + whole.data).dropFirst(3),
                    metadata: (Data([4]) + whole.metadata).dropFirst(),
                    createdAt: whole.createdAt)
                try await cache.store(padded, for: key(1))
                try await expect(cache, has: whole, for: key(1))
            },
            ContractRule("an entry of a megabyte is found whole") { makeCache in
                let cache = try await makeCache(10_000_000)
                try await cache.store(entry(1_000_001, 1), for: key(1))
                try await expect(cache, has: entry(1_000_001, 1), for: key(1))
            },
        ]
    }

    private static var forgetting: [ContractRule<Subject>] {
        [
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
}
