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
    public static var rules: [ContractRule<Subject>] { entries + limits + concurrent }

    private static var entries: [ContractRule<Subject>] {
        [
            ContractRule("a cache that is large enough has the last entry of each key that was not removed") {
                makeCache in
                let cache = try await makeCache(20 * (5_000 + overhead))
                var expected: [DataCacheKey: DataCacheEntry] = [:]
                var random = SeededRandom(seed: 1)
                for step in 0..<60 {
                    let chosen = key(Int.random(in: 0..<20, using: &random))
                    switch Int.random(in: 0..<20, using: &random) {
                    case 0:
                        try await cache.removeAll()
                        expected = [:]
                    case 1...4:
                        try await cache.remove(for: chosen)
                        expected[chosen] = nil
                    default:
                        let entry = entry(Int.random(in: 1...5_000, using: &random), step)
                        try await cache.store(entry, for: chosen)
                        expected[chosen] = entry
                    }
                    for number in 0..<20 { try await expect(cache, has: expected[key(number)], for: key(number)) }
                }
                try await cache.removeAll()
                for number in 0..<20 { try await cache.store(entry(5_000, number), for: key(number)) }
                // Replacing and removing frees space, so that the first entries stay.
                for number in 10..<20 {
                    try await cache.store(entry(5_000, 100 + number), for: key(number))
                    try await cache.remove(for: key(number))
                    try await cache.store(entry(5_000, number), for: key(number))
                }
                for number in 0..<20 { try await expect(cache, has: entry(5_000, number), for: key(number)) }
            },
            ContractRule("an entry is found unchanged, whatever its data, metadata and date") { makeCache in
                let cache = try await makeCache(10_000_000)
                let whole = entry(1_000, 1)
                let slice = DataCacheEntry(
                    data: (Data([1, 2, 3]) + whole.data).dropFirst(3),
                    metadata: (Data([4]) + whole.metadata).dropFirst(),
                    creationDate: whole.creationDate)
                let empty = DataCacheEntry(data: Data(), creationDate: Date(timeIntervalSinceReferenceDate: 0))
                var entries = [whole, slice, empty, entry(1_000_001, 2)]
                for seconds in [-63_000_000_000.25, -978_307_200.5, -1.5, 64_000_000_000.75] {
                    var dated = entry(100, 3)
                    dated.creationDate = Date(timeIntervalSinceReferenceDate: seconds)
                    entries.append(dated)
                }
                for (number, entry) in entries.enumerated() {
                    try await cache.store(entry, for: key(number))
                    try await expect(cache, has: entry, for: key(number))
                }
            },
            ContractRule("the data of an entry starts at index 0") { makeCache in
                let cache = try await makeCache(100_000)
                try await cache.store(entry(1_000, 1), for: key(1))
                let start = try await cache.entry(for: key(1))?.data.startIndex
                try expect(start == 0, "the data starts at \(start.map(String.init) ?? "nowhere")")
            },
            ContractRule("keys are compared in full, whatever their length and characters") { makeCache in
                let cache = try await makeCache(100_000)
                let keys = unusualKeys
                for (number, key) in keys.enumerated() { try await cache.store(entry(50, number), for: key) }
                for (number, key) in keys.enumerated() { try await expect(cache, has: entry(50, number), for: key) }
            },
        ]
    }
}
