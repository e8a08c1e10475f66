#if RedisCaching
    import Foundation
    import ImageCore
    import ImageTesting
    import Testing

    @testable import ImageRedisCaching

    @Suite("Options and limits of a cache on a server")
    struct RedisOptionsTests {
        private let key = DataCacheKey(identifier: "a")

        @Test("the defaults are those of the documentation")
        func defaults() {
            let options = RedisCacheOptions()
            #expect(options.namespace == "images")
            #expect(options.tlsVerification == .full)
            #expect(options.lifetime == .seconds(604_800))
            #expect(options.entryByteLimit == 16_777_216)
            #expect(options.maxWaitingCommands == 1_024)
            #expect(options.connectTimeout == .milliseconds(500))
            #expect(options.commandTimeout == .milliseconds(500))
            #expect(options.retryDelay == .milliseconds(100))
            #expect(options.maxRetryDelay == .seconds(10))
        }

        @Test("a namespace has up to 64 characters")
        func namespace() {
            var options = RedisCacheOptions()
            options.namespace = String(repeating: "a", count: 60) + "Z9.-"
            #expect(options.isNamespaceValid)
            options.namespace += "_"
            #expect(!options.isNamespaceValid)
        }

        @Test("the names of keys have the namespace, the version of the format and a hash")
        func keys() {
            let keys = RedisKeys(namespace: "photos")
            let hash = SHA256.hexadecimalDigest(of: Array("a".utf8))
            #expect(keys.entry(key) == "photos:1:e:\(hash)")
            #expect(keys.entryPattern == "photos:1:e:*")
            #expect(keys.lease("a") == "photos:1:lease:\(hash)")
        }

        @Test("a lifetime is from a millisecond to 100 years, in whole milliseconds")
        func lifetime() {
            #expect(Duration.zero.redisMilliseconds == 1)
            #expect(Duration.seconds(-1).redisMilliseconds == 1)
            #expect(Duration.microseconds(2_900).redisMilliseconds == 2)
            #expect(Duration.seconds(3).redisMilliseconds == 3_000)
            #expect(Duration.seconds(Int64.max).redisMilliseconds == 3_155_760_000_000)
        }

        @Test("the limit of an entry is from 0 to a gibibyte", arguments: [-1: "0", 1 << 40: "1073741824"])
        func entryByteLimit(limit: (asked: Int, used: String)) async throws {
            let server = try await FakeRedisServer { $0[0] == "PING" ? .reply("+PONG\r\n") : .reply("$-1\r\n") }
            let cache = try server.makeCache { $0.entryByteLimit = limit.asked }
            #expect(await cache.entry(for: key) == nil)
            #expect(server.script.commands.value.last?.last == limit.used)
        }

        @Test("errors of a server that answers no command are outages, others are not")
        func outages() {
            let codes = ["LOADING", "MASTERDOWN", "CLUSTERDOWN", "BUSY", "NOAUTH", "WRONGPASS", "DENIED"]
            for code in codes {
                #expect(RedisFailure.server(RedisServerError(text: "\(code) text")).isOutage)
                #expect(!RedisFailure.server(RedisServerError(text: "ERR \(code)")).isOutage)
            }
            for failure: RedisFailure in [.timedOut, .disconnected("a"), .malformed("a")] { #expect(failure.isOutage) }
            for failure: RedisFailure in [.unavailable("a"), .overloaded] { #expect(!failure.isOutage) }
        }

        @Test("a failure is an error of the cache that says what failed")
        func errors() {
            #expect(RedisFailure.timedOut.asDataCacheError == .inaccessible("redis: timed out"))
            #expect(
                RedisFailure.overloaded.asDataCacheError
                    == .inaccessible("redis: too many commands wait for their replies"))
            #expect(RedisFailure.disconnected("gone").asDataCacheError == .inaccessible("redis: gone"))
            #expect(RedisFailure.malformed("bytes").asDataCacheError == .io("redis: bytes"))
            #expect(RedisFailure.server(RedisServerError(text: "OOM no")).asDataCacheError == .noSpace)
            #expect(RedisFailure.server(RedisServerError(text: "OOMX")).asDataCacheError == .io("redis: OOMX"))
        }

        @Test("removing all of nothing removes nothing")
        func emptyScan() async throws {
            let server = try await FakeRedisServer {
                $0[0] == "PING" ? .reply("+PONG\r\n") : .reply("*2\r\n$1\r\n0\r\n*0\r\n")
            }
            try await server.makeCache().removeAll()
            #expect(server.commandNames == ["SCAN"])
        }

        @Test(
            "another reply to SCAN is an error", arguments: [":1\r\n", "*1\r\n$1\r\n0\r\n", "*2\r\n$1\r\n0\r\n:1\r\n"])
        func invalidScan(reply: String) async throws {
            let server = try await FakeRedisServer { $0[0] == "PING" ? .reply("+PONG\r\n") : .reply(reply) }
            let cache = try server.makeCache()
            await #expect(throws: DataCacheError.io("redis: the reply to SCAN is none")) { try await cache.removeAll() }
        }

        @Test("a removal that the server refuses throws")
        func refusedRemoval() async throws {
            let server = try await FakeRedisServer { $0[0] == "PING" ? .reply("+PONG\r\n") : .reply("-ERR no\r\n") }
            let cache = try server.makeCache()
            await #expect(throws: DataCacheError.io("redis: ERR no")) { try await cache.remove(for: key) }
            await #expect(throws: DataCacheError.io("redis: ERR no")) { try await cache.removeAll() }
        }

        @Test("an entry that is too large takes the older one away")
        func tooLarge() async throws {
            let server = try await FakeRedisServer { $0[0] == "PING" ? .reply("+PONG\r\n") : .reply(":1\r\n") }
            let cache = try server.makeCache { $0.entryByteLimit = 10 }
            let entry = DataCacheEntry(data: Data(), creationDate: Date(timeIntervalSinceReferenceDate: 1))
            await #expect(throws: DataCacheError.tooLarge(byteCount: 41, byteLimit: 10)) {
                try await cache.store(entry, for: key)
            }
            #expect(server.script.commands.value.last == ["UNLINK", cache.keyName(of: key)])
        }

        @Test("each caller of a lease has a token of its own, and the lease a duration of 10 seconds")
        func tokens() async throws {
            let server = try await FakeRedisServer { command in
                command[0] == "PING" ? .reply("+PONG\r\n") : command[0] == "SET" ? .reply("+OK\r\n") : .reply(":1\r\n")
            }
            let lease = DistributedLease(store: RedisLeaseStore(sharing: try server.makeCache()), clock: ManualClock())
            for _ in 0..<2 {
                let value = await lease.value(for: "a") {
                    nil
                } produce: {
                    1
                }
                #expect(value == 1)
            }
            let sets = server.script.commands.value.filter { $0[0] == "SET" }
            #expect(Set(sets.map { $0[2] }).count == 2)
            #expect(sets.map { $0.suffix(3) } == [["NX", "PX", "10000"], ["NX", "PX", "10000"]])
            // Each releases its own.
            let releases = server.script.commands.value.filter { $0[0] == "EVAL" }
            #expect(releases.map(\.last) == sets.map { $0[2] })
        }
    }
#endif
