public import ImageCore
import ImageTesting

/// The contract of `ImageDataCache`.
///
/// The rules don't depend on which entry a cache evicts first, or on the size of an entry beyond its data and metadata.
/// Their limits leave room for `overhead` bytes per entry.
public enum DataCacheContract {
    /// Makes an empty cache with a limit in bytes.
    public typealias Subject = @Sendable (_ byteLimit: Int) async throws -> any ImageDataCache

    /// The number of bytes that an entry may use in addition to its data and metadata.
    public static let overhead = 600

    /// The rules for every cache.
    ///
    /// Some caches also have to pass `reopening`, `damage`, `fullStore`, `interruption`, `threads` or `streaming`, which
    /// have their own subjects. `sharing` and `gaplessReplacing` are about features that `ImageDataCache` doesn't promise.
    public static var rules: [ContractRule<Subject>] { single + removing + limits + replacing + concurrent }

    private static var single: [ContractRule<Subject>] {
        [
            ContractRule("an entry that was never stored is absent") { makeCache in
                try await expect(makeCache(10_000), has: nil, for: key(1))
            },
            ContractRule("a stored entry is found with its data, metadata and date") { makeCache in
                let cache = try await makeCache(100_000)
                for number in 1...5 { try await cache.store(entry(1_000, number), for: key(number)) }
                for number in 1...5 { try await expect(cache, has: entry(1_000, number), for: key(number)) }
            },
            ContractRule("an entry without data or metadata is stored like any other") { makeCache in
                let cache = try await makeCache(100_000)
                let empty = DataCacheEntry(data: Data(), creationDate: Date(timeIntervalSinceReferenceDate: 0))
                try await cache.store(empty, for: key(1))
                try await expect(cache, has: empty, for: key(1))
            },
            ContractRule("an entry with a date far in the past or future is found with that date") { makeCache in
                let cache = try await makeCache(100_000)
                for (number, seconds) in [-63_000_000_000.25, -978_307_200.5, -1.5, 64_000_000_000.75].enumerated() {
                    var dated = entry(100, number)
                    dated.creationDate = Date(timeIntervalSinceReferenceDate: seconds)
                    try await cache.store(dated, for: key(number))
                    try await expect(cache, has: dated, for: key(number))
                }
            },
            ContractRule("the data of an entry starts at index 0") { makeCache in
                let cache = try await makeCache(100_000)
                try await cache.store(entry(1_000, 1), for: key(1))
                let start = try await cache.entry(for: key(1))?.data.startIndex
                try expect(start == 0, "the data starts at \(start.map(String.init) ?? "nowhere")")
            },
            ContractRule("a second store replaces the whole entry") { makeCache in
                let cache = try await makeCache(100_000)
                try await cache.store(entry(1_000, 1), for: key(1))
                try await cache.store(entry(10, 2), for: key(1))
                try await expect(cache, has: entry(10, 2), for: key(1))
            },
            ContractRule("keys are compared in full, whatever their length and characters") { makeCache in
                let cache = try await makeCache(100_000)
                let keys = unusualKeys
                for (number, key) in keys.enumerated() { try await cache.store(entry(50, number), for: key) }
                for (number, key) in keys.enumerated() { try await expect(cache, has: entry(50, number), for: key) }
            },
            ContractRule("a slice of other data is stored like any other data") { makeCache in
                let cache = try await makeCache(100_000)
                let whole = entry(1_000, 1)
                let padded = DataCacheEntry(
                    data: (Data([1, 2, 3]) + whole.data).dropFirst(3),
                    metadata: (Data([4]) + whole.metadata).dropFirst(),
                    creationDate: whole.creationDate)
                try await cache.store(padded, for: key(1))
                try await expect(cache, has: whole, for: key(1))
            },
            ContractRule("an entry of one megabyte is found complete") { makeCache in
                let cache = try await makeCache(10_000_000)
                try await cache.store(entry(1_000_001, 1), for: key(1))
                try await expect(cache, has: entry(1_000_001, 1), for: key(1))
            },
        ]
    }

    private static var removing: [ContractRule<Subject>] {
        [
            ContractRule("remove(for:) removes one entry and no other") { makeCache in
                let cache = try await makeCache(100_000)
                for number in 1...3 { try await cache.store(entry(100, number), for: key(number)) }
                try await cache.remove(for: key(2))
                try await cache.remove(for: key(9))
                try await expect(cache, has: nil, for: key(2))
                for number in [1, 3] { try await expect(cache, has: entry(100, number), for: key(number)) }
            },
            ContractRule("removeAll() removes every entry, and the cache accepts new ones") { makeCache in
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
