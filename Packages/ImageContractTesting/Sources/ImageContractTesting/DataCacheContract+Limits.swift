import ImageCore
import ImageTesting

/// Rules about the limit.
extension DataCacheContract {
    static var limits: [ContractRule<Subject>] {
        [
            ContractRule("all entries that fit the limit are kept") { makeCache in
                let cache = try await makeCache(10 * (1_000 + overhead))
                for number in 1...10 { try await cache.store(entry(1_000, number), for: key(number)) }
                for number in 1...10 { try await expect(cache, has: entry(1_000, number), for: key(number)) }
            },
            ContractRule("the limit holds after every store") { makeCache in
                let cache = try await makeCache(10_000)
                var random = SeededRandom(seed: 1)
                for step in 0..<60 {
                    let number = Int.random(in: 0..<12, using: &random)
                    try await cache.store(entry(Int.random(in: 1...3_000, using: &random), step), for: key(number))
                    try await expect(cache, keeps: 10_000, in: 0..<12)
                }
            },
            ContractRule("metadata counts toward the limit") { makeCache in
                let cache = try await makeCache(10_000)
                for number in 0..<12 {
                    var small = entry(10, number)
                    small.metadata = entry(2_000, number).data
                    try await cache.store(small, for: key(number))
                }
                try await expect(cache, keeps: 10_000, in: 0..<12)
            },
            ContractRule("an entry larger than the limit throws tooLarge and evicts no other") { makeCache in
                let cache = try await makeCache(5_000)
                for number in 1...3 { try await cache.store(entry(1_000, number), for: key(number)) }
                try await expectTooLarge(entry(5_001, 4), for: key(4), in: cache)
                try await expect(cache, has: nil, for: key(4))
                for number in 1...3 { try await expect(cache, has: entry(1_000, number), for: key(number)) }
            },
            ContractRule("a rejected entry also removes the older entry for its key") { makeCache in
                let cache = try await makeCache(5_000)
                try await cache.store(entry(1_000, 1), for: key(1))
                try await expectTooLarge(entry(5_001, 2), for: key(1), in: cache)
                try await expect(cache, has: nil, for: key(1))
            },
        ]
    }

    static var replacing: [ContractRule<Subject>] {
        [
            ContractRule("replacing an entry frees the space of the older one") { makeCache in
                let cache = try await makeCache(3 * (10_000 + overhead))
                for number in 1...3 { try await cache.store(entry(10_000, number), for: key(number)) }
                for round in 4...13 { try await cache.store(entry(10_000, round), for: key(2)) }
                try await expect(cache, has: entry(10_000, 13), for: key(2))
                for number in [1, 3] { try await expect(cache, has: entry(10_000, number), for: key(number)) }
            },
            ContractRule("removing an entry frees its space") { makeCache in
                let cache = try await makeCache(3 * (10_000 + overhead))
                try await cache.store(entry(10_000, 1), for: key(1))
                for round in 2...11 {
                    try await cache.store(entry(10_000, round), for: key(round))
                    try await cache.remove(for: key(round))
                }
                for number in 12...13 { try await cache.store(entry(10_000, number), for: key(number)) }
                for number in [1, 12, 13] { try await expect(cache, has: entry(10_000, number), for: key(number)) }
            },
            ContractRule("a cache with a limit of zero rejects every entry and keeps working") { makeCache in
                let cache = try await makeCache(0)
                for number in 1...2 { try await expectTooLarge(entry(10, number), for: key(number), in: cache) }
                try await expect(cache, has: nil, for: key(1))
            },
        ]
    }
}
