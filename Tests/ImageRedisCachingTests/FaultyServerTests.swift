#if RedisCaching
    import Foundation
    import ImageCore
    import ImageTesting
    import NIOCore
    import NIOPosix
    import Testing

    @testable import ImageRedisCaching

    @Suite("A cache on a server that fails")
    struct FaultyServerTests {
        typealias Reaction = FakeRedisServer.Reaction

        private let key = DataCacheKey(identifier: "https://images.test/1")
        private let entry = DataCacheEntry(
            data: Data("image".utf8), creationDate: Date(timeIntervalSinceReferenceDate: 1))

        /// Returns a script that reacts to PING as a server does, and to everything else with `reaction`.
        private static func ready(_ reaction: Reaction) -> @Sendable ([String]) -> Reaction {
            { $0[0] == "PING" ? .reply("+PONG\r\n") : reaction }
        }

        @Test(
            "a reply that is none, too large, interrupted or out of step is a miss, and then no command is sent",
            arguments: [
                Reaction.reply("garbage\r\n"), .reply("$1000000000\r\nabc"), .reply("*2147483647\r\n"),
                .reply(String(repeating: "*1\r\n", count: 50)), .reply("$5\r\nab\r\n\r\n:1\r\n"),
                .pieces(["$", "100", "000", "000", "\r", "\n"]), .replyAndClose(""), .replyAndClose("$5\r\nab"),
                .reply("$-1\r\n$-1\r\n"),
            ])
        func invalidReply(_ reaction: Reaction) async throws {
            let server = try await FakeRedisServer(Self.ready(reaction))
            let cache = try server.makeCache()
            #expect(await cache.entry(for: key) == nil)
            #expect(await cache.entry(for: key) == nil)
            #expect(server.commandNames.count == 1)
        }

        @Test("a server that replies the entry of another key is not believed")
        func otherEntry() async throws {
            let value = RedisEntryFormat.bytes(of: entry, for: key)
            let reply = Array("$\(value.count)\r\n".utf8) + value + Array("\r\n".utf8)
            let server = try await FakeRedisServer(Self.ready(.bytes(reply)))
            let cache = try server.makeCache()
            #expect(await cache.entry(for: key) == entry)
            #expect(await cache.entry(for: DataCacheKey(identifier: "other")) == nil)
            #expect(server.commandNames == ["GETRANGE", "GETRANGE"])
        }

        @Test("a damaged entry is a miss, and is removed from the server")
        func damaged() async throws {
            let server = try await FakeRedisServer(Self.ready(.reply("damaged".bulk)))
            let cache = try server.makeCache()
            #expect(await cache.entry(for: key) == nil)
            #expect(server.script.commands.value.last == ["UNLINK", cache.keyName(of: key)])
        }

        @Test("a reply in pieces is read as a whole")
        func pieces() async throws {
            let server = try await FakeRedisServer(Self.ready(.pieces(["$", "-", "1\r", "\n"])))
            let cache = try server.makeCache()
            #expect(await cache.entry(for: key) == nil)
            #expect(cache.isAvailable)
        }

        @Test("a server that doesn't reply costs one timeout, and then nothing", .timeLimit(.minutes(1)))
        func silent() async throws {
            let server = try await FakeRedisServer(Self.ready(.silence))
            let cache = try server.makeCache {
                ($0.connectTimeout, $0.commandTimeout) = (.seconds(600), .milliseconds(20))
            }
            #expect(await cache.entry(for: key) == nil)
            for _ in 1...100 { #expect(await cache.entry(for: key) == nil) }
            await #expect(throws: DataCacheError.self) { try await cache.store(entry, for: key) }
            #expect(server.commandNames.count <= 1)
        }

        @Test("a command that was sent before another one was answered times out, too", .timeLimit(.minutes(1)))
        func laterCommand() async throws {
            let count = Watched(0)
            // The reply to the second command is that of the first.
            let server = try await FakeRedisServer { command in
                if command[0] == "PING" { return .reply("+PONG\r\n") }
                let number = count.change { count in
                    count += 1
                    return count
                }
                return number == 2 ? .reply("$-1\r\n") : .silence
            }
            let cache = try server.makeCache { $0.commandTimeout = .seconds(1) }
            let first = Task { await cache.entry(for: key) }
            await count.waitUntil { $0 == 1 }
            // Wait with the timeout of another server, so that the second command has a later limit.
            let silent = try await FakeRedisServer(Self.ready(.silence))
            let other = try silent.makeCache { $0.commandTimeout = .milliseconds(300) }
            #expect(await other.entry(for: key) == nil)
            #expect(await cache.entry(for: DataCacheKey(identifier: "other")) == nil)
            #expect(await first.value == nil)
            #expect(!cache.isAvailable)
        }

        @Test("the connection of a released cache is closed")
        func released() async throws {
            let server = try await FakeRedisServer(Self.ready(.reply("$-1\r\n")))
            _ = try await server.makeCache().entry(for: key)
            await server.script.closedCount.waitUntil { $0 == 1 }
        }

        @Test("a server that accepts connections but never replies costs one timeout")
        func silentLogin() async throws {
            let server = try await FakeRedisServer { _ in .silence }
            let cache = try server.makeCache { $0.connectTimeout = .milliseconds(20) }
            for _ in 1...10 { #expect(await cache.entry(for: key) == nil) }
            #expect(server.script.connectionCount.value <= 1)
        }

        @Test("without a server, a lookup is a miss and a store throws")
        func refused() async throws {
            var options = RedisCacheOptions()
            options.connectTimeout = .seconds(60)
            let url = try #require(URL(string: "unix:///tmp/\(UUID().uuidString)"))
            let cache = try RedisDataCache(url: url, options: options, clock: ManualClock())
            #expect(await cache.entry(for: key) == nil)
            await #expect(throws: DataCacheError.self) { try await cache.store(entry, for: key) }
            await #expect(throws: DataCacheError.self) { try await cache.removeAll() }
        }

        @Test("a server that is back is found by a probe, one at a time and after growing delays")
        func recovers() async throws {
            let server = try await FakeRedisServer { _ in .replyAndClose("") }
            let clock = ManualClock()
            let cache = try server.makeCache(clock: clock) { $0.retryDelay = .seconds(1) }
            #expect(await cache.entry(for: key) == nil)
            for (number, delay) in [1, 2, 4].enumerated() {
                clock.advance(by: .seconds(delay) - .milliseconds(1))
                #expect(await cache.entry(for: key) == nil)
                #expect(server.script.connectionCount.value == number + 1)
                clock.advance(by: .milliseconds(1))
                for _ in 1...5 { #expect(await cache.entry(for: key) == nil) }
                await cache.client.probeEnded()
                #expect(server.script.connectionCount.value == number + 2)
            }
            server.script.change(Self.ready(.reply("$-1\r\n")))
            clock.advance(by: .seconds(8))
            #expect(await cache.entry(for: key) == nil)
            await cache.client.probeEnded()
            #expect(cache.isAvailable)
            #expect(server.commandNames.isEmpty)
            #expect(await cache.entry(for: key) == nil)
            #expect(server.commandNames == ["GETRANGE"])
        }

        @Test(
            "a server that can't answer now is left alone for some time",
            arguments: ["LOADING Redis is loading the dataset", "MASTERDOWN Link down", "BUSY script", "CLUSTERDOWN"])
        func outage(text: String) async throws {
            let server = try await FakeRedisServer(Self.ready(.reply("-\(text)\r\n")))
            let cache = try server.makeCache()
            for _ in 1...2 { #expect(await cache.entry(for: key) == nil) }
            #expect(server.commandNames.count == 1)
            let failure = await #expect(throws: DataCacheError.self) { try await cache.store(entry, for: key) }
            #expect(failure == .inaccessible("redis: not asked for some time after a failure: \(text)"))
        }

        @Test(
            "an error about one command is a miss, and commands are still sent",
            arguments: ["MOVED 3999 127.0.0.1:6381", "ASK 3999 127.0.0.1:6381", "ERR unknown command", "NOPERM", ""])
        func errorReply(text: String) async throws {
            let server = try await FakeRedisServer(Self.ready(.reply("-\(text)\r\n")))
            let cache = try server.makeCache()
            for _ in 1...2 { #expect(await cache.entry(for: key) == nil) }
            #expect(server.commandNames.count == 2)
            #expect(cache.isAvailable)
        }

        @Test(
            "a refused store throws and removes the older entry",
            arguments: [
                ("OOM command not allowed when used memory > 'maxmemory'.", DataCacheError.noSpace),
                ("READONLY You can't write against a read only replica.", nil), ("MISCONF Errors writing", nil),
            ])
        func refusedStore(text: String, failure: DataCacheError?) async throws {
            let server = try await FakeRedisServer { command in
                command[0] == "SET" ? .reply("-\(text)\r\n") : .reply(":1\r\n")
            }
            let cache = try server.makeCache()
            await #expect(throws: failure ?? .io("redis: \(text)")) { try await cache.store(entry, for: key) }
            #expect(server.commandNames == ["SET", "UNLINK"])
            #expect(cache.isAvailable)
        }

        @Test(
            "a login that is refused is a failure of the server", arguments: ["AUTH", "SELECT", "PING"])
        func login(refused: String) async throws {
            let server = try await FakeRedisServer { command in
                command[0] == refused ? .reply("-NOAUTH Authentication required.\r\n") : .reply("+OK\r\n")
            }
            let cache = try server.makeCache(user: ":secret@", path: "/1")
            for _ in 1...3 { #expect(await cache.entry(for: key) == nil) }
            #expect(server.script.connectionCount.value == 1)
            #expect(!server.commandNames.contains("GETRANGE"))
            await server.script.closedCount.waitUntil { $0 == 1 }
        }

        @Test("the login has user, password and database, before any other command")
        func loginCommands() async throws {
            let server = try await FakeRedisServer { $0[0] == "GETRANGE" ? .reply("$-1\r\n") : .reply("+OK\r\n") }
            let cache = try server.makeCache(user: "me:secret@", path: "/7")
            _ = await cache.entry(for: key)
            #expect(
                server.script.commands.value.prefix(3) == [["AUTH", "me", "secret"], ["SELECT", "7"], ["PING"]])
            #expect(server.commandNames.last == "GETRANGE")
        }

        @Test("no more commands wait than allowed, and others fail at once without a failure of the server")
        func manyCommands() async throws {
            let server = try await FakeRedisServer(Self.ready(.silence))
            let cache = try server.makeCache { $0.maxWaitingCommands = 3 }
            let waiting = (1...3).map { number in Task { await cache.entry(for: DataCacheKey(identifier: "\(number)")) }
            }
            await server.script.commands.waitUntil { $0.filter { $0[0] == "GETRANGE" }.count == 3 }
            #expect(await cache.entry(for: key) == nil)
            #expect(cache.isAvailable)
            #expect(server.script.connectionCount.value == 1)
            cache.client.closeConnection()
            for task in waiting { #expect(await task.value == nil) }
        }

        @Test("a lookup asks for at most one byte more than allowed, and a larger entry is a miss that stays")
        func oversized() async throws {
            let server = try await FakeRedisServer(Self.ready(.reply(String(repeating: "a", count: 101).bulk)))
            let cache = try server.makeCache { $0.entryByteLimit = 100 }
            #expect(await cache.entry(for: key) == nil)
            #expect(server.script.commands.value.last?.suffix(2) == ["0", "100"])
            #expect(server.commandNames == ["GETRANGE"])
            #expect(cache.isAvailable)
        }

        @Test("an entry of exactly the limit is stored and found, and one byte more is too large")
        func exactLimit() async throws {
            let value = RedisEntryFormat.bytes(of: entry, for: key)
            let reply = Array("$\(value.count)\r\n".utf8) + value + Array("\r\n".utf8)
            let server = try await FakeRedisServer { command in
                command[0] == "SET" ? .reply("+OK\r\n") : command[0] == "GETRANGE" ? .bytes(reply) : .reply(":1\r\n")
            }
            let cache = try server.makeCache { $0.entryByteLimit = value.count }
            try await cache.store(entry, for: key)
            #expect(await cache.entry(for: key) == entry)
            var larger = entry
            larger.data.append(0)
            await #expect(throws: DataCacheError.tooLarge(byteCount: value.count + 1, byteLimit: value.count)) {
                try await cache.store(larger, for: key)
            }
        }

        @Test("a SCAN that never ends stops when the task is cancelled")
        func endlessScan() async throws {
            let server = try await FakeRedisServer(Self.ready(.reply("*2\r\n$1\r\n1\r\n*0\r\n")))
            let cache = try server.makeCache()
            let task = Task { try await cache.removeAll() }
            await server.script.commands.waitUntil { $0.count > 10 }
            task.cancel()
            await #expect(throws: DataCacheError.self) { try await task.value }
        }
    }
#endif
