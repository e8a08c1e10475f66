import Foundation
import HTTPTypes
import ImageCore
import ImageDiskCaching
import ImageTesting
import ImageTransporting
import Testing

@testable import ImageHTTPCaching

@Suite("Storing bodies")
struct StoringTests {
    private let test = CachingFixture()

    @Test("a truncated body is an error, and is not stored")
    func cut() async throws {
        let reply = ScriptedTransport.Reply.fresh(announcedByteCount: 9, [.piece(Data("123".utf8))])
        test.script("/a", reply)
        await #expect(throws: TransportError.closedEarly(received: 3, expected: 9)) { try await test.get() }
        #expect(try await test.stored(acceptsStale: true) == nil)
        #expect(test.entryCount == 0)
    }

    @Test("a body that its consumer drops is not stored, and its transfer is cancelled")
    func dropped() async throws {
        let reply = ScriptedTransport.Reply.fresh(
            announcedByteCount: 6, [.piece(Data("123".utf8)), .piece(Data("456".utf8))])
        test.script("/a", reply)
        do {
            let response = try await test.transport.send(CachingFixture.request("/a"))
            var body = response.body.makeAsyncIterator()
            #expect(try await body.next() == Data("123".utf8))
        }
        await test.server.waitForCancellations(1)
        #expect(try await test.stored(acceptsStale: true) == nil)
        #expect(test.entryCount == 0)
    }

    @Test("a body that its consumer discards lets its connection be used again", arguments: [200, 404])
    func discarded(status: Int) async throws {
        // More than is read ahead of an error.
        let body = [ScriptedTransport.Step.piece(Data(count: 100_000)), .piece(Data("123".utf8))]
        test.script("/a", .fresh(status: .init(code: status), body))
        do { try await test.transport.send(CachingFixture.request("/a")).body.discard() }
        #expect(test.server.cancellationCount == 0)
    }

    @Test("an error whose body is cut short is delivered as far as it was received")
    func truncatedError() async throws {
        let failure = TransportError.closedEarly(received: 3, expected: 9)
        test.script("/a", .fresh(status: .notFound, [.piece(Data("123".utf8)), .fail(failure)]))
        var body = try await test.transport.send(CachingFixture.request("/a")).body.makeAsyncIterator()
        #expect(try await body.next() == Data("123".utf8))
        await #expect(throws: failure) { try await body.next() }
    }

    @Test("without a body, a response can't be used offline or validated, and a cache that fails has none")
    func lostBody() async throws {
        let disk = InMemoryDataCache()
        let test = CachingFixture(disk: disk)
        test.script("/a", .text("one", "Cache-Control: max-age=60", "ETag: \"1\""))
        func loseBody() async throws {
            for (key, entry) in disk.entries where entry.data == Data("one".utf8) { try await disk.remove(for: key) }
        }
        func miss() async throws -> CacheMiss? {
            let request = CachingFixture.request("/a") { $0.cacheUse = CacheUse(.onlyIfCached) }
            guard case .exchange(let miss, let start) = try await test.transport.answer(to: request) else { return nil }
            #expect(try await start().head.status.code == 504)
            return miss
        }
        _ = try await test.get()
        try await loseBody()
        #expect(try await miss() == .missingBytes)
        _ = try await test.get()
        try await loseBody()
        test.time.advance(61)
        #expect(try await test.get().source == .network)
        #expect(test.server.requests.last?.headers[.ifNoneMatch] == nil)
        disk.fail(.entry, with: .noSpace)
        #expect(try await miss() == .unreadable)
    }

    @Test("delivers each chunk as soon as it arrives")
    func streamed() async throws {
        let gate = TestGate()
        let reply = ScriptedTransport.Reply.fresh(
            announcedByteCount: 6, [.piece(Data("123".utf8)), .wait(gate), .piece(Data("456".utf8))])
        test.script("/a", reply)
        let response = try await test.transport.send(CachingFixture.request("/a"))
        var body = response.body.makeAsyncIterator()
        #expect(try await body.next() == Data("123".utf8))
        #expect(try await test.stored(acceptsStale: true) == nil, "not before it is complete")
        gate.open()
        #expect(try await body.next() == Data("456".utf8))
        #expect(try await body.next() == nil)
        #expect(test.events.messages == [.stored(CachingFixture.url("/a"), bytes: 6)])
        #expect(try await test.get().text == "123456")
        #expect(test.server.sendCount == 1)
    }

    @Test("a large body is stored with all of its pieces, and the time of its arrival")
    func pieces() async throws {
        let (disk, piece) = (InMemoryDataCache(), Data(repeating: 65, count: 300_000))
        let test = CachingFixture(disk: disk)
        test.script("/a", .fresh([.piece(piece), .piece(piece)]))
        _ = try await test.get()
        #expect(try await test.stored()?.text.count == 600_000)
        #expect(disk.entries.values.map(\.creationDate) == [noon, noon])
    }

    @Test(
        "stores the body of an error or redirect even if nobody reads it, unless it is long",
        arguments: [true, false])
    func unread(_ isLong: Bool) async throws {
        let piece = Data(repeating: 65, count: isLong ? 70_000 : 32_768)
        let reply = ScriptedTransport.Reply.fresh(status: .notFound, [.piece(piece), .piece(piece)])
        test.script("/a", reply)
        let unread = try await test.transport.send(CachingFixture.request("/a"))
        #expect((try await test.stored() != nil) == !isLong)
        #expect(try await test.get().text.count == 2 * piece.count)
        #expect(try await test.stored()?.text.count == 2 * piece.count)
        #expect(try await Received(unread).text.count == 2 * piece.count, "what was read ahead is delivered, too")
    }

    @Test("throws a failure in the body of an error when the body is read")
    func brokenError() async throws {
        let reply = ScriptedTransport.Reply.fresh(status: .notFound, [.fail(.connectionLost("reset"))])
        test.script("/a", reply)
        let response = try await test.transport.send(CachingFixture.request("/a"))
        #expect(response.head.status == .notFound)
        await #expect(throws: TransportError.connectionLost("reset")) { try await Received(response) }
    }

    @Test("the response to an older request does not replace the result of a reload")
    func olderEndsLater() async throws {
        let gate = TestGate()
        let older = ScriptedTransport.Reply.fresh([.wait(gate), .piece(Data("old".utf8))])
        test.script("/a", older, .text("new", "Cache-Control: max-age=60"))
        let first = try await test.transport.send(CachingFixture.request("/a"))
        test.time.advance(1)
        #expect(try await test.get { $0.cacheUse.mode = .reload }.text == "new")
        gate.open()
        #expect(try await Received(first).text == "old")
        #expect(try await test.stored()?.text == "new")
        #expect(test.entryCount == 2)
    }

    @Test("the response to an older request is not stored after a newer one that must not be stored")
    func olderEndsAfterNoStore() async throws {
        let gate = TestGate()
        let older = ScriptedTransport.Reply.fresh([.wait(gate), .piece(Data("old".utf8))])
        let new = ScriptedTransport.Reply.text("new", "Cache-Control: no-store")
        test.script("/a", older, new, new, .text("newest", "Cache-Control: max-age=60"))
        let first = try await test.transport.send(CachingFixture.request("/a"))
        // The clock is set back and corrected.
        for seconds in [1.0, -9, 9] {
            test.time.advance(seconds)
            if seconds < 9 { #expect(try await test.get { $0.cacheUse.mode = .reload }.text == "new") }
        }
        gate.open()
        #expect(try await Received(first).text == "old")
        #expect(test.entryCount == 0)
        test.time.advance(1)
        #expect(try await test.get().text == "newest")
        #expect(try await test.stored()?.text == "newest")
    }

    @Test("a response that must not be stored outdates the older ones of other processes")
    func olderEndsInOtherProcess() async throws {
        let (gate, other) = (TestGate(), CachingFixture(disk: test.disk, time: test.time))
        let older = ScriptedTransport.Reply.fresh([.wait(gate), .piece(Data("old".utf8))])
        test.script("/a", .text("one", "Cache-Control: max-age=1"), older)
        other.script("/a", .text("new", "Cache-Control: no-store"))
        _ = try await test.get()
        test.time.advance(2)
        let first = try await test.transport.send(CachingFixture.request("/a"))
        test.time.advance(1)
        _ = try await other.get()
        gate.open()
        #expect(try await Received(first).text == "old")
        #expect(try await test.stored(acceptsStale: true) == nil)
    }

    @Test(
        "an older response that arrives later changes nothing that a later request stored",
        arguments: [
            ScriptedTransport.Reply.text("old", "Cache-Control: no-store"),
            .text("", "Cache-Control: max-age=600", "ETag: \"1\"", status: .notModified),
            .text("", "ETag: \"2\""), .text("", "ETag: \"1\"", "Cache-Control: max-age=600"),
        ], [HTTPRequest.Method.get, .head])
    func olderArrivesLater(_ older: ScriptedTransport.Reply, _ method: HTTPRequest.Method) async throws {
        let gate = TestGate()
        var held = older
        held.beforeHead = [.wait(gate)]
        let newer = ScriptedTransport.Reply.text("", "ETag: \"1\"", status: .notModified)
        test.script("/a", .text("one", "Cache-Control: max-age=1", "ETag: \"1\""), held, newer)
        _ = try await test.get()
        test.time.advance(5)
        async let first = test.get { $0.method = method }
        await gate.waitForArrivals(1)
        test.time.advance(1)
        #expect(try await test.get().source == .validated)
        let stored = try await test.stored(acceptsStale: true)
        gate.open()
        _ = try await first
        #expect(try await test.stored(acceptsStale: true) == stored)
        #expect(stored?.text == "one")
    }

    @Test("ignores future request times after the clock is corrected", arguments: ["no-cache", "no-store"])
    func clockSetBack(_ directive: String) async throws {
        test.script("/a", .text("one", "Cache-Control: \(directive)"), .text("two", "Cache-Control: no-cache"))
        test.time.advance(86_400)
        _ = try await test.get()
        test.time.advance(-86_400)
        _ = try await test.get()
        #expect(try await test.stored(acceptsStale: true)?.text == "two")
    }

    @Test("reports a failing data cache, and continues without it", arguments: InMemoryDataCache.Operation.allCases)
    func brokenCache(_ operation: InMemoryDataCache.Operation) async throws {
        let disk = InMemoryDataCache()
        let test = CachingFixture(disk: disk)
        test.script("/a", .text("one", "Cache-Control: max-age=60"), .text("two", "Cache-Control: no-store"))
        disk.fail(operation, with: .noSpace)
        #expect(try await test.get().text == "one")
        #expect(try await test.get { $0.cacheUse.mode = .reload }.text == "two")
        #expect(
            operation == .removeAll || test.events.messages.contains(.cacheFailed(CachingFixture.url("/a"), .noSpace)))
        disk.recover()
        test.script("/a", .text("three", "Cache-Control: max-age=60"))
        #expect(try await test.get { $0.cacheUse.mode = .reload }.text == "three")
        #expect(try await test.get().source == .cache)
    }

    @Test("a missing body or an unreadable index is a miss")
    func lostParts() async throws {
        let disk = InMemoryDataCache()
        let test = CachingFixture(disk: disk)
        test.script("/a", .text("one", "Cache-Control: max-age=60"))
        for isBody in [true, false] {
            _ = try await test.get()
            let key = try #require(disk.entries.first { ($0.value.data == Data("one".utf8)) == isBody }?.key)
            if isBody {
                try await disk.remove(for: key)
                #expect(try await test.stored() == nil)
                #expect(test.entryCount == 0, "the index is removed with the last body")
            } else {
                try await disk.store(DataCacheEntry(data: Data("{".utf8), creationDate: test.time.now), for: key)
                let answer = try await test.transport.answer(to: CachingFixture.request("/a"))
                if case .exchange(let miss, _) = answer { #expect(miss == .absent) } else { Issue.record("stored") }
            }
            #expect(try await test.get().source == .network)
            #expect(try await test.get().source == .cache)
        }
    }

    @Test("on disk, a relaunch finds stored responses, and damage in a large body throws")
    func files() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "caching-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let large = String(repeating: "0123456789abcdef", count: 50_000)
        func makeTest() -> CachingFixture {
            CachingFixture(
                disk: DiskDataCache(directory: folder, byteLimit: 10_000_000, options: DiskCacheOptions()) {
                    noon
                })
        }
        let first = makeTest()
        first.script("/large", .text(large, "Cache-Control: max-age=60"))
        first.script("/small", .text("small", "Cache-Control: max-age=60"))
        _ = try await first.get("/large")
        _ = try await first.get("/small")
        let second = makeTest()
        #expect(try await second.get("/large") == (try await first.get("/large")))
        #expect(try await second.get("/small").text == "small")
        #expect(try await second.get("/large", "Range: bytes=262140-262150").text == "cdef0123456")
        #expect(try await second.get("/large", "Range: bytes=700000-").text.count == 100_000)
        #expect(second.server.sendCount == 0)
        try Self.damageLastBlock(in: folder)
        await #expect(throws: TransportError.self) { try await second.get("/large") }
        second.script("/large", .text(large, "Cache-Control: max-age=60"))
        #expect(try await second.get("/large").source == .network)
    }

    /// Changes a byte near the end of the largest file.
    private static func damageLastBlock(in folder: URL) throws {
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey]))
        let sizes = try files.compactMap { $0 as? URL }.map {
            ($0, try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
        }
        let file = try #require(sizes.max { $0.1 < $1.1 }?.0)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count * 9 / 10] ^= 1
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    @Test("an image of the application's own is stored for any lifetime, and its event and result say whether it is")
    func ownBody() async throws {
        for (path, lifetime) in [("/a", Duration.seconds(-1)), ("/b", .seconds(Int64.max)), ("/c", .seconds(9))] {
            let request = CachingFixture.request(path)
            #expect(await test.transport.storeResponse(Data([1]), to: request, lifetime: lifetime))
            #expect(test.events.messages.last == .stored(CachingFixture.url(path), bytes: 1))
            #expect(try await test.stored(path) != nil || lifetime < .zero)
            #expect(try await test.stored(path, acceptsStale: true)?.headers[.cacheControl]?.contains("=-") == false)
        }
        test.script("/gone", .text("", "Cache-Control: max-age=60", status: .notFound))
        _ = try await test.get("/gone")
        #expect(test.events.messages.count == 3, "only images are told")
        let secret = CachingFixture.request("/p", ["Cache-Control: no-store"])
        #expect(await !test.transport.storeResponse(Data([1]), to: secret, lifetime: .seconds(9)))
        let disk = InMemoryDataCache()
        let broken = CachingFixture(disk: disk)
        disk.fail(.store, with: .noSpace)
        let small = CachingFixture(disk: InMemoryDataCache(byteLimit: 9))
        for test in [broken, small] {
            let request = CachingFixture.request("/a")
            #expect(await !test.transport.storeResponse(Data([1]), to: request, lifetime: .seconds(9)))
        }
    }

    @Test("reading a large stored body ends when its task is cancelled")
    func cancelledReading() async throws {
        test.script("/a", .text(String(repeating: "a", count: 3 << 20), "Cache-Control: max-age=60"))
        _ = try await test.get()
        let response = try await test.transport.send(CachingFixture.request("/a"))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            for try await _ in response.body {}
        }
        task.cancel()
        await #expect(throws: TransportError.cancelled) { try await task.value }
    }

    @Test("throws if a stored body is larger than the request allows")
    func limit() async throws {
        test.script("/a", .text("12345", "Cache-Control: max-age=60"))
        _ = try await test.get()
        #expect(try await test.get { $0.bodyByteLimit = 5 }.source == .cache)
        await #expect(throws: TransportError.tooLarge(byteLimit: 4)) { try await test.get { $0.bodyByteLimit = 4 } }
    }
}

extension CachingFixture {
    var entryCount: Int { (disk as? InMemoryDataCache)?.entries.count ?? -1 }
}
