#if RedisCaching
    import Foundation
    import ImageCore
    import ImageTesting
    import RedisServerProcess
    import Testing

    @testable import ImageRedisCaching

    @Suite("A cache on a real server")
    struct RealServerTests {
        private func key(_ number: Int) -> DataCacheKey { DataCacheKey(identifier: "https://images.test/\(number)") }

        private func entry(_ byteCount: Int, _ seed: UInt8 = 1) -> DataCacheEntry {
            DataCacheEntry(
                data: Data(repeating: seed, count: byteCount), metadata: Data([seed]),
                creationDate: Date(timeIntervalSinceReferenceDate: Double(seed)))
        }

        @Test("an entry has the lifetime of the options, and is a miss when it has ended")
        func lifetime() async throws {
            let server = try await RedisServerProcess()
            let cache = try RedisDataCache(on: server) { $0.lifetime = .seconds(1_000) }
            try await cache.store(entry(10), for: key(1))
            let left = try await #require(Int(server.command("PTTL", cache.keyName(of: key(1)))))
            #expect(left > 500_000 && left <= 1_000_000)
            // The server removes the key as it does at the end of its lifetime.
            try await server.command("PEXPIREAT", cache.keyName(of: key(1)), "1")
            #expect(await cache.entry(for: key(1)) == nil)
            try await cache.store(entry(20), for: key(1))
            #expect(await cache.entry(for: key(1)) == entry(20))
        }

        @Test("a cache continues after its server has crashed and is started again")
        func restart() async throws {
            let server = try await RedisServerProcess()
            let clock = ManualClock()
            let cache = try RedisDataCache(on: server, clock: clock)
            try await cache.store(entry(10), for: key(1))
            try await server.command("SAVE")
            try await server.crash()
            for _ in 1...3 { #expect(await cache.entry(for: key(1)) == nil) }
            await #expect(throws: DataCacheError.self) { try await cache.store(entry(20), for: key(2)) }
            #expect(!cache.isAvailable)
            try await server.start()
            clock.advance(by: .seconds(3_600))
            #expect(await cache.entry(for: key(1)) == nil)
            await cache.client.probeEnded()
            #expect(await cache.entry(for: key(1)) == entry(10))
            try await cache.store(entry(20), for: key(2))
            #expect(await cache.entry(for: key(2)) == entry(20))
        }

        @Test("a stopped server costs one timeout, and is used again after it continues")
        func stopped() async throws {
            let server = try await RedisServerProcess()
            let clock = ManualClock()
            let cache = try RedisDataCache(on: server, clock: clock) { $0.commandTimeout = .seconds(1) }
            try await RedisDataCache(on: server).store(entry(10), for: key(1))
            await findAgain(key(1), in: cache, clock)
            server.signal(SIGSTOP)
            for _ in 1...100 { #expect(await cache.entry(for: key(1)) == nil) }
            #expect(!cache.isAvailable)
            server.signal(SIGCONT)
            await findAgain(key(1), in: cache, clock)
            #expect(await cache.entry(for: key(1)) == entry(10))
        }

        /// Looks up an entry until it is found. On a busy machine, a lookup can take longer than its limit.
        private func findAgain(_ key: DataCacheKey, in cache: RedisDataCache, _ clock: ManualClock) async {
            while await cache.entry(for: key) == nil {
                clock.advance(by: .seconds(3_600))
                await cache.client.probeEnded()
            }
        }

        @Test("a server with a full memory that evicts nothing throws noSpace, and reads go on")
        func fullWithoutEviction() async throws {
            let server = try await RedisServerProcess(.init(lines: ["maxmemory-policy noeviction"]))
            let cache = try RedisDataCache(on: server)
            try await cache.store(entry(1_000), for: key(1))
            try await server.command("CONFIG", "SET", "maxmemory", "1")
            await #expect(throws: DataCacheError.noSpace) { try await cache.store(entry(1_000), for: key(2)) }
            #expect(await cache.entry(for: key(1)) == entry(1_000))
            #expect(cache.isAvailable)
            try await server.command("CONFIG", "SET", "maxmemory", "0")
            try await cache.store(entry(1_000), for: key(2))
        }

        @Test("a server that evicts by use accepts entries without end, and returns each complete or not at all")
        func fullWithEviction() async throws {
            let server = try await RedisServerProcess(
                .init(lines: ["maxmemory 4mb", "maxmemory-policy allkeys-lru"]))
            let cache = try RedisDataCache(on: server)
            for number in 1...100 { try await cache.store(entry(100_000, UInt8(number)), for: key(number)) }
            var found = 0
            for number in 1...100 {
                guard let entry = await cache.entry(for: key(number)) else { continue }
                #expect(entry == self.entry(100_000, UInt8(number)))
                found += 1
            }
            #expect((1..<50).contains(found), "\(found) entries of 100,000 bytes in 4 MB")
        }

        @Test("namespaces and other keys on the server are separate, also for removeAll")
        func namespaces() async throws {
            let server = try await RedisServerProcess()
            let cache = try RedisDataCache(on: server)
            let other = try RedisDataCache(on: server) { $0.namespace = "other" }
            try await server.command("SET", "images", "1")
            for number in 1...2_500 { try await cache.store(entry(10), for: key(number)) }
            try await other.store(entry(20), for: key(1))
            #expect(await cache.entry(for: key(1)) == entry(10))
            try await cache.removeAll()
            #expect(await cache.entry(for: key(1)) == nil)
            #expect(await other.entry(for: key(1)) == entry(20))
            #expect(try await server.command("DBSIZE") == "2")
        }

        @Test("a password is required, and a wrong one makes lookups misses")
        func password() async throws {
            let server = try await RedisServerProcess(.init(password: "secret"))
            let cache = try RedisDataCache(on: server, user: ":secret@")
            try await cache.store(entry(10), for: key(1))
            #expect(await cache.entry(for: key(1)) == entry(10))
            let intruder = try RedisDataCache(on: server, user: ":guess@")
            #expect(await intruder.entry(for: key(1)) == nil)
            let failure = await #expect(throws: DataCacheError.self) {
                try await RedisDataCache(on: server).store(entry(20), for: key(1))
            }
            #expect(failure == .io("redis: NOAUTH Authentication required."))
            #expect(await cache.entry(for: key(1)) == entry(10))
        }

        @Test("databases are separate")
        func databases() async throws {
            let server = try await RedisServerProcess()
            let cache = try RedisDataCache(on: server, query: "?database=3")
            try await cache.store(entry(10), for: key(1))
            #expect(try await server.command("-n", "3", "DBSIZE") == "1")
            #expect(await (try RedisDataCache(on: server)).entry(for: key(1)) == nil)
        }

        @Test("entries of many sizes, read and written concurrently, are complete")
        func concurrent() async throws {
            let server = try await RedisServerProcess()
            let cache = try RedisDataCache(on: server)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let entry = entry(number * number * 100, UInt8(number))
                        try await cache.store(entry, for: key(number))
                        #expect(await cache.entry(for: key(number)) == entry)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Suite("A cache on a server with TLS")
    struct RedisTLSTests {
        private let key = DataCacheKey(identifier: "a")
        private let entry = DataCacheEntry(data: Data([1]), creationDate: Date(timeIntervalSinceReferenceDate: 1))

        private func cache(
            _ server: RedisServerProcess, host: String, configure: (inout RedisCacheOptions) -> Void
        ) throws -> RedisDataCache {
            var options = RedisCacheOptions()
            options.connectTimeout = .seconds(60)
            options.commandTimeout = .seconds(60)
            options.rootsFile = server.rootsFile
            configure(&options)
            let url = try #require(URL(string: "rediss://\(host):\(server.tlsPort)"))
            return try RedisDataCache(url: url, options: options, clock: ManualClock())
        }

        @Test("a certificate of the given authority for the host's name is accepted")
        func verified() async throws {
            let server = try await RedisServerProcess(.init(usesTLS: true))
            let cache = try cache(server, host: "localhost") { _ in }
            try await cache.store(entry, for: key)
            #expect(await cache.entry(for: key) == entry)
        }

        @Test("a certificate of another authority or for another name is refused, unless the options allow it")
        func refused() async throws {
            let server = try await RedisServerProcess(.init(usesTLS: true))
            let unknown = try cache(server, host: "localhost") { $0.rootsFile = nil }
            await #expect(throws: DataCacheError.self) { try await unknown.store(entry, for: key) }
            let unknownChain = try cache(server, host: "127.0.0.1") {
                ($0.rootsFile, $0.tlsVerification) = (nil, .chainOnly)
            }
            await #expect(throws: DataCacheError.self) { try await unknownChain.store(entry, for: key) }
            let otherName = try cache(server, host: "127.0.0.1") { _ in }
            await #expect(throws: DataCacheError.self) { try await otherName.store(entry, for: key) }
            let chainOnly = try cache(server, host: "127.0.0.1") { $0.tlsVerification = .chainOnly }
            try await chainOnly.store(entry, for: key)
            let unverified = try cache(server, host: "127.0.0.1") {
                ($0.rootsFile, $0.tlsVerification) = (nil, .disabled)
            }
            #expect(await unverified.entry(for: key) == entry)
        }

        @Test("a file of roots that can't be read is an error of the configuration")
        func missingRoots() throws {
            var options = RedisCacheOptions()
            options.rootsFile = "/nonexistent.pem"
            let url = try #require(URL(string: "rediss://localhost"))
            let error = #expect(throws: RedisConfigurationError.self) {
                try RedisDataCache(url: url, options: options, clock: ManualClock())
            }
            guard case .tls? = error else {
                Issue.record("the error is \(String(describing: error))")
                return
            }
        }
    }
#endif
