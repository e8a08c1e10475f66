import ImageCore
import ImageTesting

/// Rules about concurrent calls, and about several caches on one store.
extension DataCacheContract {
    /// The rules for caches in which a key that is replaced is never absent.
    ///
    /// `ImageDataCache` doesn't promise it: a cache may remove the older entry before it stores the newer one. Then a
    /// concurrent lookup is a miss.
    public static var gaplessReplacing: [ContractRule<Subject>] {
        [
            ContractRule("an entry is found at every moment while newer ones replace it") { makeCache in
                try await contend(for: key(1), in: [makeCache(1_000_000)], allowsGaps: false)
            }
        ]
    }

    /// The rules for caches that can be open more than once on one store, in one process or several.
    ///
    /// `ImageDataCache` doesn't promise it.
    public static var sharing: [ContractRule<Reopening>] {
        [
            ContractRule("two open caches on one store find each other's entries complete") { open in
                try await contend(for: key(1), in: [open(1_000_000), open(1_000_000)])
                try await contend(for: key(2), in: [open(5_000_000), open(5_000_000)], byteCount: 200_000, rounds: 4)
            },
            ContractRule("what one open cache stores, replaces or removes, another one finds or misses") { open in
                let (first, second) = (try await open(1_000_000), try await open(1_000_000))
                try await first.store(entry(1_000, 1), for: key(1))
                try await expect(second, has: entry(1_000, 1), for: key(1))
                try await second.store(entry(500, 2), for: key(1))
                try await expect(first, has: entry(500, 2), for: key(1))
                try await first.remove(for: key(1))
                try await expect(second, has: nil, for: key(1))
                try await second.store(entry(1_000, 3), for: key(2))
                try await first.removeAll()
                try await expect(second, has: nil, for: key(2))
            },
        ]
    }

    static var concurrent: [ContractRule<Subject>] {
        [
            ContractRule("concurrent stores for one key leave one of the entries, and no reader sees another") {
                makeCache in try await contend(for: key(1), in: [makeCache(1_000_000)])
            },
            ContractRule("a reader never finds a part of a large entry while it is replaced") { makeCache in
                try await contend(for: key(1), in: [makeCache(5_000_000)], byteCount: 300_000)
            },
            ContractRule("the limit holds during concurrent stores, and no key returns the entry of another") {
                makeCache in
                let cache = try await makeCache(10_000)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<8 { group.addTask { try await fill(cache, number) } }
                    try await group.waitForAll()
                }
                try await expect(cache, keeps: 10_000, in: 0..<8)
            },
        ]
    }

    private static func fill(_ cache: any ImageDataCache, _ number: Int) async throws {
        for step in 0..<10 {
            let stored = entry(1_000 + step * 200, number)
            try await cache.store(stored, for: key(number))
            guard let found = try await cache.entry(for: key(number)) else { continue }
            if let difference = difference(of: found, from: stored) {
                throw ContractViolation("\(difference), for key \(number)")
            }
        }
    }

    /// Stores different entries for one key from several tasks, and reads them through all the caches meanwhile.
    private static func contend(
        for key: DataCacheKey, in caches: [any ImageDataCache], byteCount: Int = 500, rounds: Int = 20,
        allowsGaps: Bool = true
    ) async throws {
        let candidates = (0..<6).map { entry(byteCount + $0 * 100, $0) }
        try await caches[0].store(candidates[0], for: key)
        let finished = MessageLog<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Two readers for each cache, so that a write is hardly ever unobserved.
            for cache in caches + caches {
                group.addTask {
                    while finished.messages.count < candidates.count {
                        try expect(try await cache.entry(for: key), isOneOf: candidates, orNothing: allowsGaps)
                        await Task.yield()
                    }
                }
            }
            for (number, candidate) in candidates.enumerated() {
                group.addTask {
                    defer { finished.append(number) }
                    for _ in 0..<rounds { try await caches[number % caches.count].store(candidate, for: key) }
                }
            }
            try await group.waitForAll()
        }
        for cache in caches { try expect(try await cache.entry(for: key), isOneOf: candidates, orNothing: false) }
    }

    static func expect(
        _ found: DataCacheEntry?, isOneOf candidates: [DataCacheEntry], orNothing allowsNothing: Bool
    ) throws(ContractViolation) {
        guard let found else { return try expect(allowsNothing, "found nothing, although an entry was stored") }
        if candidates.contains(found) { return }
        let differences = candidates.compactMap { candidate in
            difference(of: found, from: candidate).map { "\(text(candidate)) (\($0))" }
        }
        throw ContractViolation("found none of the stored entries: \(differences.joined(separator: ", "))")
    }
}
