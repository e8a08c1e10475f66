public import ImageCore

/// Rules for caches with a store that can be damaged or full.
extension DataCacheContract {
    /// A cache, and a function that damages its store.
    public struct Damageable: Sendable {
        /// The cache under test.
        public var cache: any ImageDataCache
        /// Changes bytes of the entry for a key, without the cache.
        public var damage: @Sendable (DataCacheKey) async throws -> Void

        /// Creates a cache that can be damaged.
        public init(cache: any ImageDataCache, damage: @escaping @Sendable (DataCacheKey) async throws -> Void) {
            self.cache = cache
            self.damage = damage
        }
    }

    /// A cache, and a function that removes or restores the free space of its device.
    public struct Fillable: Sendable {
        /// The cache under test.
        public var cache: any ImageDataCache
        /// Makes the device full if the argument is true. Otherwise, gives it space again.
        public var setFull: @Sendable (Bool) async throws -> Void

        /// Creates a cache whose device can be full.
        public init(cache: any ImageDataCache, setFull: @escaping @Sendable (Bool) async throws -> Void) {
            self.cache = cache
            self.setFull = setFull
        }
    }

    /// The rules about damaged entries. The subject makes an empty cache with a limit in bytes.
    public static var damage: [ContractRule<@Sendable (_ byteLimit: Int) async throws -> Damageable>] {
        [
            ContractRule("a damaged entry is a miss, and other entries stay") { makeStore in
                let store = try await makeStore(100_000)
                for number in 1...3 { try await store.cache.store(entry(1_000, number), for: key(number)) }
                try await store.damage(key(2))
                for _ in 1...2 { try await expect(store.cache, has: nil, for: key(2)) }
                for number in [1, 3] { try await expect(store.cache, has: entry(1_000, number), for: key(number)) }
            },
            ContractRule("a new entry can use the key and the space of a damaged one") { makeStore in
                let store = try await makeStore(3 * (10_000 + overhead))
                for number in 1...3 { try await store.cache.store(entry(10_000, number), for: key(number)) }
                try await store.damage(key(2))
                try await expect(store.cache, has: nil, for: key(2))
                try await store.cache.store(entry(10_000, 4), for: key(2))
                try await expect(store.cache, has: entry(10_000, 4), for: key(2))
                for number in [1, 3] { try await expect(store.cache, has: entry(10_000, number), for: key(number)) }
            },
        ]
    }

    /// The rules about a full device. The subject makes an empty cache with a limit in bytes.
    public static var fullStore: [ContractRule<@Sendable (_ byteLimit: Int) async throws -> Fillable>] {
        [
            ContractRule("a store on a full device throws noSpace, and existing entries are still found") { makeStore in
                let store = try await makeStore(10_000_000)
                try await store.cache.store(entry(1_000, 1), for: key(1))
                try await store.setFull(true)
                try await expectNoSpace(entry(300_000, 2), for: key(2), in: store.cache)
                try await expect(store.cache, has: nil, for: key(2))
                try await expect(store.cache, has: entry(1_000, 1), for: key(1))
            },
            ContractRule("a store that fails also removes the older entry for its key") { makeStore in
                let store = try await makeStore(10_000_000)
                try await store.cache.store(entry(1_000, 1), for: key(1))
                try await store.setFull(true)
                try await expectNoSpace(entry(300_000, 2), for: key(1), in: store.cache)
                try await expect(store.cache, has: nil, for: key(1))
            },
            ContractRule("a cache accepts entries again once the device has space") { makeStore in
                let store = try await makeStore(10_000_000)
                try await store.setFull(true)
                for number in 1...3 {
                    try await expectNoSpace(entry(300_000, number), for: key(number), in: store.cache)
                }
                try await store.setFull(false)
                for number in 1...3 {
                    try await expectToStore(entry(300_000, number), for: key(number), in: store.cache)
                }
                for number in 1...3 {
                    try await expect(store.cache, has: entry(300_000, number), for: key(number))
                }
            },
        ]
    }

    private static func expectNoSpace(_ entry: DataCacheEntry, for key: DataCacheKey, in cache: any ImageDataCache)
        async throws
    {
        do {
            try await cache.store(entry, for: key)
        } catch .noSpace {
            return
        } catch {
            throw ContractViolation("a store on a full device throws \(error), not noSpace")
        }
        throw ContractViolation("a store on a full device succeeds")
    }

    /// Stores an entry. A failure is a violation, because the store works.
    static func expectToStore(_ entry: DataCacheEntry, for key: DataCacheKey, in cache: any ImageDataCache) async throws
    {
        do {
            try await cache.store(entry, for: key)
        } catch {
            throw ContractViolation("a store throws \(error) although the device works again")
        }
    }
}
