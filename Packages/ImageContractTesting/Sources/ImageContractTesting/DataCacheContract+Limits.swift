import ImageCore
import ImageTesting

/// Rules about the limit.
extension DataCacheContract {
    static var limits: [ContractRule<Subject>] {
        [
            ContractRule("the limit holds after every store") { makeCache in
                let cache = try await makeCache(10_000)
                var random = SeededRandom(seed: 1)
                for step in 0..<60 {
                    let number = Int.random(in: 0..<12, using: &random)
                    var stored = entry(Int.random(in: 1...3_000, using: &random), step)
                    // Metadata counts, too.
                    if step.isMultiple(of: 2) { swap(&stored.data, &stored.metadata) }
                    try await cache.store(stored, for: key(number))
                    try await expect(cache, keeps: 10_000, in: 0..<12)
                }
            },
            ContractRule("an entry larger than the limit throws tooLarge, removes the older one, and evicts no other") {
                makeCache in
                let cache = try await makeCache(5_000)
                for number in 1...3 { try await cache.store(entry(1_000, number), for: key(number)) }
                for number in 3...4 { try await expectTooLarge(entry(5_001, number), for: key(number), in: cache) }
                for number in 1...2 { try await expect(cache, has: entry(1_000, number), for: key(number)) }
                for number in 3...4 { try await expect(cache, has: nil, for: key(number)) }
            },
            ContractRule("a cache with a limit of zero rejects every entry and keeps working") { makeCache in
                let cache = try await makeCache(0)
                for number in 1...2 { try await expectTooLarge(entry(10, number), for: key(number), in: cache) }
                try await expect(cache, has: nil, for: key(1))
            },
        ]
    }
}
