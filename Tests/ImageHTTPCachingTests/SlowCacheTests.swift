import Foundation
import HTTPTypes
import ImageCore
import ImageTransporting
import Testing

@testable import ImageHTTPCaching
@testable import ImageTesting

@Suite("A slow or hung cache", .timeLimit(.minutes(10)))
struct SlowCacheTests {
    private let clock = ManualClock()
    private let cache = HungCache()
    private let test: CachingFixture

    init() { test = CachingFixture(disk: cache, clock: clock) }

    /// Gets a path. Advances the clock when the response waits for its storage.
    private func get(_ path: String) async throws -> Received {
        async let received = test.get(path)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        return try await received
    }

    private func script(_ count: Int) {
        for number in 0..<count { test.script("/\(number)", .text("\(number)", "Cache-Control: max-age=60")) }
    }

    private var failureCount: Int {
        test.events.messages.filter { if case .cacheFailed = $0 { true } else { false } }.count
    }

    @Test("a response waits two seconds for a cache that hangs, further ones don't, and each is reported once")
    func hungStore() async throws {
        script(40)
        #expect(try await get("/0").text == "0")
        for number in 1..<40 { #expect(try await test.get("/\(number)").text == "\(number)") }
        #expect(failureCount == 40)
        await cache.gate.waitForArrivals(16)
        #expect(cache.gate.arrivalCount == 16, "further ones are not stored")
    }

    @Test("what was late is stored when the cache recovers, and then responses wait again")
    func recovers() async throws {
        script(20)
        _ = try await get("/0")
        _ = try await test.get("/1")
        cache.gate.open()
        await cache.finished.waitForArrivals(4)
        #expect(try await test.get("/0").source == .cache)
        _ = try await test.get("/2")
        #expect(try await test.get("/2").source == .cache)
        #expect(failureCount == 2)
    }

    @Test("a validation, an error response and a removal don't wait for a cache that hangs either")
    func otherChanges() async throws {
        cache.gate.open()
        test.script(
            "/v", .text("v", "Cache-Control: max-age=0", "ETag: \"1\""), .text("", "ETag: \"1\"", status: .notModified))
        test.script("/gone", .text("", "Cache-Control: max-age=60", status: .notFound))
        _ = try await test.get("/v")
        cache.close()
        test.time.advance(1)
        #expect(try await get("/v").source == .validated)
        #expect(try await test.get("/gone").status == 404)
        await test.transport.removeStoredResponses(to: CachingFixture.request("/v"))
        let own = CachingFixture.request("/own")
        #expect(await !test.transport.storeResponse(Data([1]), to: own, lifetime: .seconds(9)))
    }

    @Test("a large body is not kept in memory for a cache whose writers hang")
    func largeBody() async throws {
        let hung = HungWriterCache()
        let test = CachingFixture(disk: hung, clock: clock)
        let piece = ScriptedTransport.Step.piece(Data(count: 300_000))
        test.script("/large", .fresh([piece, piece, piece]))
        async let received = test.get("/large")
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        #expect(try await received.text.utf8.count == 900_000)
        #expect(hung.gate.arrivalCount == 1)
        #expect(test.events.messages.count == 1)
        hung.gate.open()
        #expect(try await test.stored("/large") == nil)
    }

    @Test("a writer that is late is released, although the body is still read")
    func lateWriter() async throws {
        let hung = HungWriterCache()
        let test = CachingFixture(disk: hung, clock: clock)
        let piece = Data(count: 300_000)
        test.script("/large", .fresh(announcedByteCount: 600_000, [.piece(piece), .piece(piece)]))
        let response = try await test.transport.send(CachingFixture.request("/large"))
        async let first = Self.piece(of: response.body)
        await hung.gate.waitForArrivals(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        #expect(try await first == piece)
        hung.gate.open()
        await hung.writers.waitForCount(1)
        await becomesTrue { hung.writers.messages.allSatisfy { $0.writer == nil } }
        #expect(hung.writers.messages.map(\.expectedByteCount) == [600_000])
        withExtendedLifetime(response) {}
    }

    private static func piece(of body: TransportBody) async throws -> Data? {
        var pieces = body.makeAsyncIterator()
        return try await pieces.next()
    }

    @Test("a download whose parts are stored doesn't wait for a cache that hangs, which is reported once")
    func resuming() async throws {
        let url = CachingFixture.url("/r")
        let failures = MessageLog<DataCacheError>()
        let whole = Data(count: 100)
        test.server.script(url, [.ok(whole, headers: [.eTag: "\"1\""])])
        let transport = ResumingTransport(
            test.server, cache: cache, partByteCount: 16, clock: clock, now: { noon },
            onCacheFailure: { failures.append($1) })
        async let received = transport.send(TransportRequest(url: url)).body.collected(
            expectedByteCount: nil, byteLimit: .max)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        #expect(try await received == whole)
        #expect(failures.messages.count == 1)
    }
}

/// A cache whose changes wait for a gate. Lookups don't.
private final class HungCache: ImageDataCache {
    private let gates = MessageLog<TestGate>()
    private let entries = InMemoryDataCache()
    /// The arrivals are the changes that have ended.
    let finished = TestGate()

    init() {
        gates.append(TestGate())
        finished.open()
    }

    var gate: TestGate { gates.messages.last ?? TestGate() }

    func close() { gates.append(TestGate()) }

    func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry? {
        try await entries.entry(for: key)
    }

    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        await gate.pass()
        try await entries.store(entry, for: key)
        await finished.pass()
    }

    func remove(for key: DataCacheKey) async throws(DataCacheError) {
        await gate.pass()
        try await entries.remove(for: key)
    }

    func removeAll() async throws(DataCacheError) { try await entries.removeAll() }
}

/// A streaming cache that makes no writer before a gate opens.
private struct HungWriterCache: StreamingDataCache {
    final class Writer: DataCacheWriter {
        func append(_ bytes: Data) async throws(DataCacheError) {}
        func finish(metadata: Data, creationDate: Date) async throws(DataCacheError) {}
        func cancel() async {}
    }

    struct Start: Sendable {
        weak var writer: Writer?
        let expectedByteCount: Int?
    }

    let gate = TestGate()
    let writers = MessageLog<Start>()

    func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry? { nil }
    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {}
    func remove(for key: DataCacheKey) async throws(DataCacheError) {}
    func removeAll() async throws(DataCacheError) {}
    func reader(for key: DataCacheKey) async throws(DataCacheError) -> (any DataCacheReader)? { nil }

    func writer(
        for key: DataCacheKey, expectedByteCount: Int?
    ) async throws(DataCacheError) -> any DataCacheWriter {
        await gate.pass()
        let writer = Writer()
        writers.append(Start(writer: writer, expectedByteCount: expectedByteCount))
        return writer
    }
}
