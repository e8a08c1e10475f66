public import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// For caches whose entries outlive them.
extension DataCacheContract {
    /// Opens the same store anew with each call, as a later launch of a program would; the first call finds it empty.
    public typealias Reopening = @Sendable (_ byteLimit: Int) async throws -> any DataCache

    public static var reopening: [ContractRule<Reopening>] {
        [
            ContractRule("entries outlive the cache, with data, metadata and date") { open in
                let cache = try await open(100_000)
                for number in 1...5 { try await cache.store(entry(1_000, number), for: key(number)) }
                let later = try await open(100_000)
                for number in 1...5 { try await expect(later, has: entry(1_000, number), for: key(number)) }
            },
            ContractRule("what was replaced or removed does not come back with a later cache") { open in
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
            ContractRule("a later cache with a smaller budget keeps within it") { open in
                let cache = try await open(100_000)
                for number in 1...8 { try await cache.store(entry(1_000, number), for: key(number)) }
                let later = try await open(4_000)
                try await later.store(entry(1_000, 9), for: key(9))
                var sum = 0
                for number in 1...9 { sum += size(try await later.entry(for: key(number))) }
                try expect(sum <= 4_000, "\(sum) bytes within a budget of 4000")
                try await expect(later, has: entry(1_000, 9), for: key(9))
            },
            ContractRule("two caches on one store at once see each other's entries whole") { open in
                try await contend(for: key(1), in: [open(1_000_000), open(1_000_000)])
            },
        ]
    }
}
