public import ImageCore

/// Rules for caches whose entries are persistent.
extension DataCacheContract {
    /// Opens a cache on the same store with each call, as a later launch of an app would. The first call finds it
    /// empty.
    public typealias Reopening = @Sendable (_ byteLimit: Int) async throws -> any ImageDataCache

    /// The rules about caches that are opened later.
    public static var reopening: [ContractRule<Reopening>] {
        [
            ContractRule("a cache that is opened later finds the entries with data, metadata and date") { open in
                let cache = try await open(100_000)
                for number in 1...5 { try await cache.store(entry(1_000, number), for: key(number)) }
                let later = try await open(100_000)
                for number in 1...5 { try await expect(later, has: entry(1_000, number), for: key(number)) }
            },
            ContractRule("a cache that is opened later finds no entry that was replaced or removed") { open in
                let cache = try await open(100_000)
                for number in 1...3 { try await cache.store(entry(1_000, number), for: key(number)) }
                try await cache.store(entry(10, 4), for: key(1))
                try await cache.remove(for: key(2))
                let later = try await open(100_000)
                try await expect(later, has: entry(10, 4), for: key(1))
                try await expect(later, has: nil, for: key(2))
                try await later.removeAll()
                try await expect(open(100_000), has: nil, for: key(3))
            },
            ContractRule("a cache that is opened later with a smaller limit keeps it") { open in
                do {
                    let cache = try await open(100_000)
                    for number in 1...8 { try await cache.store(entry(1_000, number), for: key(number)) }
                }
                let later = try await open(4_000)
                try await later.store(entry(1_000, 9), for: key(9))
                try await expect(later, keeps: 4_000, in: 1...9)
                try await expect(later, has: entry(1_000, 9), for: key(9))
            },
        ]
    }
}
