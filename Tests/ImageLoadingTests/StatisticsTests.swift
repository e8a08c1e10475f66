import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageLoading
import ImageTesting
import ImageTransporting
import Synchronization
import Testing

@Suite("Statistics and maintenance of the loader", .timeLimit(.minutes(10)))
struct StatisticsTests {
    private let fixture = LoaderFixture()
    private let gate = Gate()

    private func heldRequest(_ name: String, fit side: Int = 20, of stepped: LoaderFixture? = nil) -> ImageRequest {
        let body: [ScriptedTransport.Step] = [.wait(gate), .piece(LoaderFixture.image)]
        return (stepped ?? fixture).request(name, fit: side, then: ScriptedTransport.Reply(body: body))
    }

    @Test("hits and misses are counted by cache, and results by source")
    func layers() async throws {
        let request = fixture.request("a")
        _ = try await fixture.loader.image(for: request)
        _ = try await fixture.loader.image(for: request)
        #expect(fixture.loader.cachedImage(for: request) != nil)
        fixture.memory.removeAll()
        _ = try await fixture.loader.image(for: request)
        let numbers = fixture.loader.statistics
        #expect(numbers.memory.hitRatio == 0.5)
        #expect(numbers.disk.hitRatio == 0.5)
        #expect(numbers.succeeded.mapValues(\.count) == [.network: 1, .memory: 2, .disk: 1])
        #expect(numbers.downloadedBytes == LoaderFixture.image.count)
        #expect(numbers.savedBytes == 0)
    }

    @Test("durations and event times use the loader's clock")
    func durations() async throws {
        let request = heldRequest("a")
        let task = Task { try await fixture.loader.image(for: request) }
        await gate.arrivals(1)
        fixture.clock.advance(by: .seconds(3))
        gate.open()
        _ = try await task.value
        #expect(fixture.loader.statistics.succeeded[.network]?.averageDuration == Duration.seconds(3))
        let times = fixture.observer.events.map { "\($0.kind) \($0.elapsed)" }
        #expect(times.first == "started 0.0 seconds")
        #expect(times.contains("downloadStarted 0.0 seconds"))
        #expect(times.contains("downloadFinished(bytes: \(LoaderFixture.image.count)) 3.0 seconds"))
        #expect(times.last == "succeeded(ImageCore.ImageSource.network) 3.0 seconds")
    }

    @Test("each request that joins a download saves its bytes")
    func sharing() async throws {
        let fixture = LoaderFixture.stepped()
        let (request, smaller) = (heldRequest("a", of: fixture), heldRequest("a", fit: 10, of: fixture))
        let images = [request, request, smaller].map { request in
            fixture.start { _ = try await fixture.loader.image(for: request) }
        }
        let data = fixture.start { _ = try await fixture.loader.data(for: request) }
        fixture.run()
        gate.open()
        fixture.run()
        for task in images + [data] { try await task.value }
        let numbers = fixture.loader.statistics
        #expect(numbers.downloadedBytes == LoaderFixture.image.count)
        #expect(numbers.savedBytes == 3 * LoaderFixture.image.count)
    }

    @Test("a processed image that shares another request's decode saves the bytes")
    func processedSharing() async throws {
        let fixture = LoaderFixture.stepped()
        let plain = heldRequest("a", of: fixture)
        var processed = plain
        processed.processors = [FakeProcessor("step")]
        let first = fixture.start { _ = try await fixture.loader.image(for: plain) }
        fixture.run()
        let second = fixture.start { [processed] in _ = try await fixture.loader.image(for: processed) }
        fixture.run()
        gate.open()
        fixture.run()
        for task in [first, second] { try await task.value }
        #expect(fixture.loader.statistics.savedBytes == LoaderFixture.image.count)
    }

    @Test(
        "a request that joins a transfer sends the events `joined` and `succeeded`, with its own duration",
        arguments: [true, false])
    func joining(isObserved: Bool) async throws {
        let fixture = LoaderFixture.stepped { if !isObserved { $0.observer = nil } }
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
        let network = fixture.loader.statistics.succeeded[.network]
        #expect(network?.count == 2 && network?.duration == .seconds(3 + 2))
        guard isObserved else { return }
        let events = fixture.observer.events
        let joiner = try #require(events.last { $0.kind == .started }?.request)
        let last = events.filter { $0.request == joiner }.suffix(2)
        #expect(last.map(\.kind) == [.joined(bytes: LoaderFixture.image.count), .succeeded(.network)])
        #expect(last.map(\.elapsed) == [.seconds(2), .seconds(2)])
    }

    @Test("failures and cancellations are counted separately")
    func failures() async {
        let missing = fixture.request("missing", then: .status(.notFound))
        await #expect(throws: ImageError.self) { try await fixture.loader.image(for: missing) }
        let held = heldRequest("a")
        let task = Task { try await fixture.loader.image(for: held) }
        await gate.arrivals(1)
        task.cancel()
        await #expect(throws: ImageError.self) { try await task.value }
        gate.open()
        let numbers = fixture.loader.statistics
        #expect(numbers.failed.count == 1)
        #expect(numbers.cancelled.count == 1)
        #expect(numbers.succeeded.isEmpty)
        #expect(numbers.failed.averageDuration == Duration.zero)
        #expect(ImageLoaderStatistics().failed.averageDuration?.components == nil)
    }

    /// Returns the maintenance of a store that logs removals and fails with an error.
    private func maintenance(_ log: MessageLog<String>, _ failure: DataCacheFailure? = nil) -> DiskMaintenance {
        @Sendable func change(_ name: String) throws(DataCacheFailure) {
            log.append(name)
            if let failure { throw failure }
        }
        return DiskMaintenance { () async throws(DataCacheFailure) in
            try change("removeAll")
        } removeUnused: { age async throws(DataCacheFailure) in
            try change("older \(age)")
        } byteCount: { () async throws(DataCacheFailure) in
            7
        }
    }

    @Test("removing everything empties memory and disk, and memory even if the disk fails")
    func emptying() async throws {
        let log = MessageLog<String>()
        let fixture = LoaderFixture { $0.transport.maintenance = maintenance(log) }
        _ = try await fixture.loader.image(for: fixture.request("a"))
        #expect(try await fixture.loader.cacheSizes() == CacheSizes(memory: 1_200, disk: 7))
        try await fixture.loader.removeAll()
        #expect(fixture.memory.images.isEmpty)
        try await fixture.loader.removeAll(olderThan: .seconds(5))
        #expect(log.messages == ["removeAll", "older 5.0 seconds"])

        let broken = LoaderFixture { $0.transport.maintenance = maintenance(log, .noSpace) }
        _ = try await broken.loader.image(for: broken.request("a"))
        await #expect(throws: DataCacheFailure.noSpace) { try await broken.loader.removeAll() }
        #expect(broken.memory.images.isEmpty)
    }

    @Test("a loader without a disk cache reports no disk size")
    func noDisk() async throws {
        #expect(try await fixture.loader.cacheSizes() == CacheSizes(memory: 0, disk: nil))
        try await fixture.loader.removeAll()
    }
}
