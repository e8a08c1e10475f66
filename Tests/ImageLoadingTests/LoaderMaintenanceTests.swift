import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageTransporting
import Synchronization
import Testing

@testable import ImageLoading
@testable import ImageTesting

@Suite("Times, sharing and maintenance of the loader", .timeLimit(.minutes(10)))
struct LoaderMaintenanceTests {
    private let fixture = LoaderFixture()
    private let gate = TestGate()

    private func heldRequest(_ name: String, fit side: Int = 20, of stepped: LoaderFixture? = nil) -> ImageRequest {
        let body: [ScriptedTransport.Step] = [.wait(gate), .piece(LoaderFixture.image)]
        return (stepped ?? fixture).request(name, fit: side, then: ScriptedTransport.Reply(body: body))
    }

    @Test("each request that joins a download reports its bytes, also with processors or another size")
    func sharing() async throws {
        let fixture = LoaderFixture.stepped()
        let (request, smaller) = (heldRequest("a", of: fixture), heldRequest("a", fit: 10, of: fixture))
        var processed = request
        processed.processors = [FakeProcessor("step")]
        let images = [request, request, smaller, processed].map { request in
            fixture.start { _ = try await fixture.loader.image(for: request) }
        }
        let data = fixture.start { _ = try await fixture.loader.data(for: request) }
        fixture.run()
        gate.open()
        fixture.run()
        for task in images + [data] { try await task.value }
        let kinds = fixture.observer.kinds()
        #expect(kinds.count { $0 == .downloadFinished(bytes: LoaderFixture.image.count) } == 1)
        #expect(kinds.count { $0 == .joined(bytes: LoaderFixture.image.count) } == 4)
        fixture.memory.removeAll()
        let hold = TestGate()
        fixture.disk.hold(.entry, at: hold)
        let stored = [request, smaller].map { fixture.loader.task(for: $0) }
        fixture.run()
        hold.open()
        fixture.run()
        #expect(fixture.observer.kinds().count { $0 == .joined(bytes: LoaderFixture.image.count) } == 4)
        withExtendedLifetime(stored) {}
    }

    @Test("a request that joins a download sends the events `joined` and `succeeded`, with its own duration")
    func joining() async throws {
        let fixture = LoaderFixture.stepped()
        let request = heldRequest("a", of: fixture)
        let first = fixture.start { _ = try await fixture.loader.image(for: request) }
        fixture.run()
        fixture.clock.advance(by: .seconds(1))
        let second = fixture.start { _ = try await fixture.loader.image(for: request) }
        fixture.run()
        fixture.clock.advance(by: .seconds(2))
        gate.open()
        fixture.run()
        for task in [first, second] { try await task.value }
        let events = fixture.observer.events
        let joiner = try #require(events.last { $0.kind == .started }?.requestID)
        let last = events.filter { $0.requestID == joiner }.suffix(2)
        #expect(last.map(\.kind) == [.joined(bytes: LoaderFixture.image.count), .succeeded(.network)])
        #expect(last.map(\.elapsed) == [.seconds(2), .seconds(2)])
    }

    /// A store that logs removals and fails with an error.
    private struct LoggingDisk: DiskMaintenance {
        let log: MessageLog<String>
        var failure: DataCacheError?

        func removeAll() async throws(DataCacheError) { try change("removeAll") }
        func removeAll(unusedFor age: Duration) async throws(DataCacheError) { try change("older \(age)") }
        func byteCount() async -> Int? { 7 }

        private func change(_ name: String) throws(DataCacheError) {
            log.append(name)
            if let failure { throw failure }
        }
    }

    /// A store that can only be emptied.
    private struct OpaqueDisk: DiskMaintenance {
        let log: MessageLog<String>

        func removeAll() async { log.append("removeAll") }
    }

    @Test("a store that can only be emptied has no size, and is emptied of what is unused")
    func opaqueDisk() async throws {
        let log = MessageLog<String>()
        let fixture = LoaderFixture { $0.transport.maintenance = OpaqueDisk(log: log) }
        #expect(try await fixture.loader.cacheSizes().disk == nil)
        try await fixture.loader.removeCachedImages(unusedFor: .seconds(5))
        #expect(log.messages == ["removeAll"])
    }

    @Test("removing everything empties memory and disk, and memory even if the disk fails")
    func emptying() async throws {
        let log = MessageLog<String>()
        let fixture = LoaderFixture { $0.transport.maintenance = LoggingDisk(log: log) }
        _ = try await fixture.loader.image(for: fixture.request("a"))
        #expect(try await fixture.loader.cacheSizes() == CacheSizes(memory: 1_200, disk: 7))
        try await fixture.loader.removeAllCachedImages()
        #expect(fixture.memory.images.isEmpty)
        try await fixture.loader.removeCachedImages(unusedFor: .seconds(5))
        #expect(log.messages == ["removeAll", "older 5.0 seconds"])

        let broken = LoaderFixture { $0.transport.maintenance = LoggingDisk(log: log, failure: .noSpace) }
        _ = try await broken.loader.image(for: broken.request("a"))
        await #expect(throws: DataCacheError.noSpace) { try await broken.loader.removeAllCachedImages() }
        #expect(broken.memory.images.isEmpty)
    }

    @Test("each cache is emptied alone", arguments: [CacheSet.memory, .disk])
    func emptiedAlone(caches: CacheSet) async throws {
        let log = MessageLog<String>()
        let fixture = LoaderFixture { $0.transport.maintenance = LoggingDisk(log: log) }
        _ = try await fixture.loader.image(for: fixture.request("a"))
        try await fixture.loader.removeAllCachedImages(in: caches)
        #expect(fixture.memory.images.isEmpty == (caches == .memory))
        #expect(log.messages == (caches == .memory ? [] : ["removeAll"]))
    }

    @Test("a loader without a disk cache reports no disk size")
    func noDisk() async throws {
        #expect(try await fixture.loader.cacheSizes() == CacheSizes(memory: 0, disk: nil))
        try await fixture.loader.removeAllCachedImages()
    }
}
