import ImageCore
import ImageTesting

/// Rules about the budget, and about several callers at once.
extension DataCacheContract {
    static var budget: [ContractRule<Subject>] {
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

    static var replacing: [ContractRule<Subject>] {
        [
            ContractRule("an entry that is replaced gives its space to the new one") { makeCache in
                let cache = try await makeCache(3 * (10_000 + overhead))
                for number in 1...3 { try await cache.store(entry(10_000, number), for: key(number)) }
                for round in 4...13 { try await cache.store(entry(10_000, round), for: key(2)) }
                try await expect(cache, has: entry(10_000, 13), for: key(2))
                for number in [1, 3] { try await expect(cache, has: entry(10_000, number), for: key(number)) }
            },
            ContractRule("an entry that is removed gives its space back") { makeCache in
                let cache = try await makeCache(3 * (10_000 + overhead))
                try await cache.store(entry(10_000, 1), for: key(1))
                for round in 2...11 {
                    try await cache.store(entry(10_000, round), for: key(round))
                    try await cache.remove(for: key(round))
                }
                for number in 12...13 { try await cache.store(entry(10_000, number), for: key(number)) }
                for number in [1, 12, 13] { try await expect(cache, has: entry(10_000, number), for: key(number)) }
            },
            ContractRule("a cache without space refuses every entry and goes on") { makeCache in
                let cache = try await makeCache(0)
                for number in 1...2 { try await expectTooLarge(entry(10, number), for: key(number), in: cache) }
                try await expect(cache, has: nil, for: key(1))
            },
        ]
    }

    static var concurrent: [ContractRule<Subject>] {
        [
            ContractRule("concurrent stores under one key leave one of the entries, and no reader sees another") {
                makeCache in try await contend(for: key(1), in: [makeCache(1_000_000)])
            },
            ContractRule("the budget holds when many store at once, and none is served another's entry") { makeCache in
                let cache = try await makeCache(10_000)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            for step in 0..<10 {
                                try await cache.store(entry(1_000 + step * 200, number), for: key(number))
                                let found = try await cache.entry(for: key(number))
                                try expect(
                                    found == nil || found == entry(1_000 + step * 200, number),
                                    "under key \(number) there is \(text(found))")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                var sum = 0
                for number in 0..<8 { sum += size(try await cache.entry(for: key(number))) }
                try expect(sum <= 10_000, "\(sum) bytes within a budget of 10000")
            },
        ]
    }

    /// Lets tasks store different entries under one key, through all the caches, and read each other's.
    static func contend(for key: DataCacheKey, in caches: [any DataCache]) async throws {
        let candidates = (0..<6).map { entry(500 + $0 * 100, $0) }
        try await caches[0].store(candidates[0], for: key)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, candidate) in candidates.enumerated() {
                group.addTask {
                    for round in 0..<20 {
                        try await caches[number % caches.count].store(candidate, for: key)
                        let found = try await caches[(number + round) % caches.count].entry(for: key)
                        try expect(
                            found.map(candidates.contains) == true, "a reader saw none of the entries stored")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
