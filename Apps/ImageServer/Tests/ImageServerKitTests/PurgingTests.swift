import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import Logging
import Synchronization
import Testing

@testable import ImageServerKit

@Suite("Purging results and originals") struct PurgingTests {
    private let path = ServiceFixture.path("w:10/f:png")
    private let token: HTTPFields = [.authorization: "Bearer secret"]

    private func level(_ handler: RequestHandler, _ path: String) async -> String? {
        await handler.answer(path)["X-Cache"]
    }

    @Test("a purge of a result hides it in memory, on disk and in the shared cache, and no other one")
    func results() async throws {
        let fixture = try ServiceFixture.withImage()
        let service = fixture.makeService()
        let handler = fixture.makeHandler(service)
        let other = ServiceFixture.path("w:11/f:png")
        for path in [path, other] { #expect(await level(handler, path) == "origin") }
        await service.parts.cache.flush()
        fixture.advance(seconds: 1)
        #expect(await handler.answer(path, .delete, token).status == 204)
        fixture.advance(seconds: 1)
        #expect(await level(handler, path) == "origin")
        #expect(await level(handler, path) == "memory")
        #expect(await level(handler, other) == "memory")
        #expect(fixture.removedOrigins.withLock { $0 } == [])
        await service.shutDown()
    }

    @Test("a purge of a source hides all of its results, and removes the original", arguments: [false, true])
    func sources(isEncoded: Bool) async throws {
        let fixture = try ServiceFixture.withImage()
        let service = fixture.makeService()
        let handler = fixture.makeHandler(service)
        let paths = [path, ServiceFixture.path("w:11/f:png"), ServiceFixture.path("w:12")]
        for path in paths { #expect(await level(handler, path) == "origin") }
        fixture.advance(seconds: 1)
        let source = isEncoded ? Base64URL.encode(ServiceFixture.source.utf8) : "plain/\(ServiceFixture.source)"
        #expect(await handler.answer("/purge/\(source)", .delete, token).status == 204)
        fixture.script(.data(try SampleImages.jpeg()), purgedAt: fixture.now)
        fixture.advance(seconds: 1)
        for path in paths { #expect(await level(handler, path) == "origin") }
        #expect(fixture.removedOrigins.withLock { $0 } == [ServiceFixture.source])
        await service.shutDown()
    }

    @Test("only requests with the token purge")
    func authentication() async throws {
        let fixture = try ServiceFixture.withImage()
        let handler = fixture.makeHandler()
        #expect(await level(handler, path) == "origin")
        for field in ["", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "Basic secret", "secret"] {
            let response = await handler.answer(path, .delete, field.isEmpty ? [:] : [.authorization: field])
            #expect(response.status == 401 && response["WWW-Authenticate"] == "Bearer", "\(field)")
        }
        #expect(await level(handler, path) == "memory")
        for field in ["bearer secret", "BEARER  secret"] {
            #expect(await handler.answer(path, .delete, [.authorization: field]).status == 204, "\(field)")
        }
        let closed = RequestHandler(
            service: fixture.makeService(), workCounts: { (0, 0) },
            logger: .init(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(await closed.answer(path, .delete, token).status == 405)
    }

    @Test("other servers, also restarted ones, learn of a purge from the shared cache")
    func cluster() async throws {
        let fixture = try ServiceFixture.withImage()
        let (disk, first) = (InMemoryDataCache(), fixture.makeService())
        let second = fixture.makeService(disk: disk)
        for service in [first, second] { _ = try await service.image(path: path, accept: nil) }
        for service in [first, second] { await service.parts.cache.flush() }
        #expect(try second.imageInMemory(path: path, accept: nil) != nil)
        fixture.advance(seconds: 1)
        #expect(try await first.purgeSource(path: "/plain/\(ServiceFixture.source)"))
        fixture.script(.data(try SampleImages.jpeg()), purgedAt: fixture.now)
        fixture.advance(seconds: 1)
        await second.synchronizePurges()
        #expect(try second.imageInMemory(path: path, accept: nil) == nil)
        #expect(fixture.removedOrigins.withLock { $0 }.count == 2)
        fixture.advance(seconds: 1)
        #expect(try await second.image(path: path, accept: nil).level == .origin)
        await second.shutDown()
        let restarted = fixture.makeService(disk: disk)
        await restarted.synchronizePurges()
        #expect(try await restarted.image(path: path, accept: nil).level == .disk)
        #expect(fixture.removedOrigins.withLock { $0 }.count == 2)
        await first.shutDown()
        await restarted.shutDown()
    }

    @Test("what another server began to load before a purge is not used")
    func loadedMeanwhile() async throws {
        let (fixture, hold) = (ServiceFixture(), TestGate())
        fixture.script(.held(hold, .data(try SampleImages.jpeg())))
        let (first, second) = (fixture.makeService(), fixture.makeService(disk: InMemoryDataCache()))
        let rendering = Task { try await first.image(path: path, accept: nil) }
        await fixture.loader.waitForMessages(1)
        fixture.advance(seconds: 1)
        #expect(try await second.purgeSource(path: "/plain/\(ServiceFixture.source)"))
        fixture.script(.data(try SampleImages.jpeg()), purgedAt: fixture.now)
        fixture.advance(seconds: 1)
        hold.open()
        _ = try await rendering.value
        #expect(try await second.image(path: path, accept: nil).level == .origin)
        for service in [first, second] { await service.shutDown() }
    }

    @Test("purges of several servers at once are all kept, also if the shared cache is emptied")
    func merging() async throws {
        let shared = InMemoryDataCache()
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let servers = (0..<3).map { _ in
            Purges(levels: [.init(name: .shared, cache: shared)], now: { now })
        }
        let urls = try (0..<3).map { ImageURL(options: .init(), source: try #require(URL(string: "http://h/\($0)"))) }
        for (server, url) in zip(servers, urls) { server.add(source: url.source) }
        for server in servers + servers { await server.synchronize() }
        try await shared.removeAll()
        for server in servers { await server.synchronize() }
        let late = Purges(levels: [.init(name: .shared, cache: shared)], now: { now })
        #expect(Set(await late.synchronize().purged) == Set(urls.map(\.source)))
        for server in servers + [late] { #expect(urls.allSatisfy { server.time(for: $0) == now }) }
        let unrelated = ImageURL(options: .init(), source: try #require(URL(string: "http://h/9")))
        #expect(late.time(for: unrelated) == .distantPast)
    }

    @Test("a long list forgets the oldest purges by hiding everything that is as old")
    func longList() {
        var list = PurgeList()
        let start = Date(timeIntervalSince1970: 0)
        for index in 0...PurgeList.limit { list.add("source \(index)", at: start.addingTimeInterval(Double(index))) }
        #expect(list.times.count <= PurgeList.limit && list.times["source 0"] == nil)
        #expect(list.floor >= start && list.times.values.allSatisfy { $0 > list.floor })
        var other = PurgeList()
        other.merge(list)
        #expect(other == list)
    }

    @Test("a purge hides what a server with a fast clock made before it learned of the purge")
    func clocks() async throws {
        let shared = InMemoryDataCache()
        let purged = Date(timeIntervalSince1970: 1_700_000_000)
        let fast = purged.addingTimeInterval(100)
        let first = Purges(levels: [.init(name: .shared, cache: shared)], now: { purged })
        let second = Purges(levels: [.init(name: .shared, cache: shared)], now: { fast })
        let url = ImageURL(options: .init(), source: try #require(URL(string: "http://h/a")))
        first.add(source: url.source)
        for server in [first, second] { await server.synchronize() }
        #expect(first.time(for: url) == purged && second.time(for: url) == fast)
    }

    @Test("purges of a time that has not come, and of names that no URL has, don't count")
    func impossiblePurges() {
        let now = Date(timeIntervalSinceReferenceDate: 0)
        let long = String(repeating: "a", count: 9_000)
        let text = "1e300\n1e300 source a\n1 source b\n1 \(long)\nnan source c\nx source d\n\n \nsource e\n\u{FF} 1"
        let list = PurgeList(Data(text.utf8), now: now)
        #expect(Array(list.times.keys) == ["source b"] && list.floor == .distantPast)
        #expect(PurgeList(list.encoded, now: now) == list)
    }

    @Test("purges at the same time are written together, and forgotten after the longest lifetime")
    func batches() async throws {
        let shared = InMemoryDataCache()
        let time = Mutex(Date(timeIntervalSince1970: 1_700_000_000))
        let purges = Purges(levels: [.init(name: .shared, cache: shared)], longest: .seconds(100)) {
            time.withLock { $0 }
        }
        let urls = (0..<100).compactMap { URL(string: "http://h/\($0)") }
        let gate = TestGate()
        shared.hold(.entry, at: gate)
        let calls = Watched(0)
        await withTaskGroup { group in
            for url in urls {
                purges.add(source: url)
                group.addTask {
                    calls.change { $0 += 1 }
                    await purges.synchronize()
                }
            }
            await calls.waitUntil { $0 == urls.count }
            gate.open()
        }
        let reads = shared.messages.count { $0 == .entry(DataCacheKey(identifier: "purges 2 revision")) }
        #expect(reads < 50, "one for each exchange, and few of them")
        #expect(urls.allSatisfy { purges.time(ofOriginal: $0) == time.withLock { $0 } })
        time.withLock { $0 += 100 }
        await purges.synchronize()
        #expect(urls.allSatisfy { purges.time(ofOriginal: $0) != .distantPast })
        time.withLock { $0 += 1 }
        await purges.synchronize()
        #expect(urls.allSatisfy { purges.time(ofOriginal: $0) == .distantPast })
        let entry = try #require(try await shared.entry(for: DataCacheKey(identifier: "purges 2")))
        #expect(PurgeList(entry.data, now: .distantFuture).times.isEmpty, "the stored list ends, too")
    }

    @Test("a server without caches below its memory, and one that learned of a purge, forget it, too")
    func forgotten() async throws {
        let levels = [ResultCache.Level(name: .shared, cache: InMemoryDataCache())]
        let time = Mutex(Date(timeIntervalSince1970: 1_700_000_000))
        let servers = [[], levels, levels].map { levels in
            Purges(levels: levels, longest: .seconds(100)) { time.withLock { $0 } }
        }
        let url = try #require(URL(string: "http://h/a"))
        for server in servers.prefix(2) { server.add(source: url) }
        for server in servers { await server.synchronize() }
        #expect(servers.allSatisfy { $0.time(ofFile: url) == time.withLock { $0 } })
        time.withLock { $0 += 101 }
        for server in servers { await server.synchronize() }
        #expect(servers.allSatisfy { $0.time(ofFile: url) == .distantPast })
    }

    @Test("tells that a cache can't be reached")
    func unreachable() async throws {
        let fixture = try ServiceFixture.withImage()
        let handler = fixture.makeHandler()
        fixture.shared.fail(.entry, with: .io("down"))
        #expect(await handler.answer(path, .delete, token).status == 502)
    }
}
