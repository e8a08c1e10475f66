public import ImageCore

/// Rules for caches whose writes can be interrupted, by a failure or by the end of the process.
extension DataCacheContract {
    /// A store whose writes can fail.
    public struct Interruptible: Sendable {
        /// Opens a cache on the store, as a later launch of an app would. The limit is at least one megabyte.
        public var open: @Sendable () async throws -> any ImageDataCache
        /// Lets writes fail after this number of further writes. Nil ends the failures.
        ///
        /// A write is what can be interrupted in your storage: a call, a page or a byte.
        public var failWrites: @Sendable (_ count: Int?) async throws -> Void

        /// Creates a store whose writes can fail.
        public init(
            open: @escaping @Sendable () async throws -> any ImageDataCache,
            failWrites: @escaping @Sendable (_ count: Int?) async throws -> Void
        ) {
            self.open = open
            self.failWrites = failWrites
        }
    }

    /// The rules about interrupted writes. The subject makes an empty store.
    public static var interruption: [ContractRule<@Sendable () async throws -> Interruptible>] {
        [
            ContractRule("a store that is interrupted anywhere leaves no part of an entry, and other entries stay") {
                makeStore in
                let newer = entry(50_000, 3)
                try await interrupt(makeStore, leaving: [entry(20_000, 1), newer]) { cache in
                    try await cache.store(newer, for: key(1))
                }
            },
            ContractRule("a removal that is interrupted anywhere leaves no part of an entry, and other entries stay") {
                makeStore in
                try await interrupt(makeStore, leaving: [entry(20_000, 1)]) { try await $0.remove(for: key(1)) }
            },
            ContractRule("a cache works again after an interrupted store") { makeStore in
                for count in interruptions {
                    let store = try await makeStore()
                    let cache = try await store.open()
                    try await store.failWrites(count)
                    _ = try? await cache.store(entry(50_000, 1), for: key(1))
                    try await store.failWrites(nil)
                    for cache in [cache, try await store.open()] {
                        try await expectToStore(entry(30_000, 2), for: key(1), in: cache)
                        try await expect(cache, has: entry(30_000, 2), for: key(1))
                    }
                }
            },
        ]
    }

    /// The numbers of writes after which an operation is interrupted.
    private static let interruptions = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20]

    /// Interrupts an operation on the entry for `key(1)`. Checks what the cache finds, and one that is opened later.
    private static func interrupt(
        _ makeStore: @Sendable () async throws -> Interruptible, leaving candidates: [DataCacheEntry],
        _ operation: (any ImageDataCache) async throws -> Void
    ) async throws {
        for count in interruptions {
            let store = try await makeStore()
            let cache = try await store.open()
            try await cache.store(candidates[0], for: key(1))
            try await cache.store(entry(1_000, 2), for: key(2))
            try await store.failWrites(count)
            // What it throws depends on the store.
            _ = try? await operation(cache)
            try await store.failWrites(nil)
            for cache in [cache, try await store.open()] {
                try expect(try await cache.entry(for: key(1)), isOneOf: candidates, orNothing: true)
                try await expect(cache, has: entry(1_000, 2), for: key(2))
            }
        }
    }
}
