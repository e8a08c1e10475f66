import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageTransporting
import Synchronization
import Testing

@testable import ImageLoading
@testable import ImageTesting

@Suite("Image loader")
struct ImageLoaderTests {
    @Test("a request that accepts truncated files is decoded so, and shares the original, but no image, with others")
    func acceptsTruncated() async throws {
        let fixture = LoaderFixture()
        let request = fixture.request("a")
        var tolerant = request
        tolerant.acceptsTruncated = true
        _ = try await fixture.loader.image(for: tolerant)
        #expect(fixture.loader.cachedImage(for: request) == nil && tolerant != request)
        _ = try await fixture.loader.image(for: request)
        let decoded = fixture.decoder.messages.compactMap {
            if case .decode(_, let request) = $0 { request } else { nil }
        }
        #expect(decoded.map(\.acceptsTruncated) == [true, false])
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("a first load checks memory, disk and network in this order, and stores the result in both caches")
    func firstLoad() async throws {
        let fixture = LoaderFixture()
        let request = fixture.request("a")
        let loaded = try await fixture.loader.image(for: request)
        #expect(loaded.source == .network)
        #expect(loaded.encodedByteCount == LoaderFixture.image.count)
        #expect(loaded.decoded.bitmap.size == PixelSize(width: 20, height: 15))
        #expect(
            fixture.transport.messages == [.sent(request.address), .head(request.address), .finished(request.address)])
        #expect(fixture.disk.messages.first == .entry(DataCacheKey(identifier: request.address.absoluteString)))
        #expect(fixture.storedOriginals == [LoaderFixture.image])
        #expect(fixture.memory.images.values.map(\.bitmap.size) == [PixelSize(width: 20, height: 15)])
    }

    @Test("each step is reported, including hits, with exactly one end")
    func events() async throws {
        let fixture = LoaderFixture()
        let request = fixture.request("a")
        let bytes = LoaderFixture.image.count
        let size = PixelSize(width: 20, height: 15)
        _ = try await fixture.loader.image(for: request)
        #expect(
            fixture.observer.kinds() == [
                .started, .memoryMiss(.absent), .diskMiss(.absent), .queued(.download), .downloadStarted,
                .received(bytes: bytes, of: bytes), .downloadFinished(bytes: bytes), .queued(.decode), .decodingStarted,
                .decoded(size), .storedInMemory, .succeeded(.network),
            ])
        _ = try await fixture.loader.image(for: request)
        #expect(fixture.observer.kinds().suffix(3) == [.started, .memoryHit, .succeeded(.memory)])
        #expect(fixture.loader.cachedImage(for: request) != nil)
        #expect(fixture.observer.kinds().suffix(3) == [.started, .memoryHit, .succeeded(.memory)])
        fixture.memory.removeAll()
        _ = try await fixture.loader.image(for: request)
        #expect(
            fixture.observer.kinds().suffix(8) == [
                .started, .memoryMiss(.absent), .diskHit(bytes: bytes), .queued(.decode), .decodingStarted,
                .decoded(size), .storedInMemory, .succeeded(.disk),
            ])
        #expect(Set(fixture.observer.events.map(\.requestID)).count == 4)
    }

    @Test(
        "an image is loaded from each 2xx that can have the whole one",
        arguments: [200, 201, 202, 203, 207, 208, 218, 226, 250, 299])
    func successes(status: Int) async throws {
        let fixture = LoaderFixture()
        var reply = ScriptedTransport.Reply.ok(LoaderFixture.image, headers: [.cacheControl: "max-age=60"])
        reply.status = .init(code: status)
        let request = fixture.request("a", first: reply)
        #expect(try await fixture.loader.image(for: request).source == .network)
        fixture.memory.removeAll()
        #expect(try await fixture.loader.image(for: request).source == .disk)
        #expect(fixture.transport.sendCount == 1)
    }

    @Test(
        "a status without the whole image is an error, even with bytes",
        arguments: [204, 205, 206, 300, 304, 400, 403, 429, 501])
    func otherStatuses(status: Int) async throws {
        let fixture = LoaderFixture()
        var reply = ScriptedTransport.Reply.ok(LoaderFixture.image)
        reply.status = .init(code: status)
        let request = fixture.request("a", first: reply, then: reply)
        await #expect(throws: ImageError.httpStatus(status)) { try await fixture.loader.image(for: request) }
    }

    @Test("a 201 without a lifetime is not stored, and bytes of a 2xx that are no image fail in the decoder")
    func createdOnce() async throws {
        let fixture = LoaderFixture()
        var reply = ScriptedTransport.Reply.ok(LoaderFixture.image)
        reply.status = .init(code: 201)
        let request = fixture.request("a", first: reply, then: reply)
        _ = try await fixture.loader.image(for: request)
        #expect(fixture.disk.entries.isEmpty)
        let text = fixture.request("b", first: .init(status: .accepted, body: [.piece(Data("queued".utf8))]))
        let error = await #expect(throws: ImageError.self) { try await fixture.loader.image(for: text) }
        guard case .decoding = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "an image stored in memory between the lookup and the work is a hit, also if it is processed",
        arguments: [[], [FakeProcessor("unused") { $0 }]])
    func lateMemoryHit(_ processors: [FakeProcessor]) async throws {
        let late = LateImageCache()
        let fixture = LoaderFixture { $0.memoryCache = late }
        let request = fixture.request("a") { $0.processors = processors }
        #expect(try await fixture.loader.image(for: request).source == .memory)
        #expect(fixture.observer.kinds() == [.started, .memoryMiss(.absent), .memoryHit, .succeeded(.memory)])
        #expect(fixture.transport.messages.isEmpty)
    }

    @Test("a reload with a no-store response removes the older one from disk")
    func reloadForbiddenToStore() async throws {
        let fixture = LoaderFixture()
        let old = ScriptedTransport.Reply.ok(Data("old".utf8))
        let new = ScriptedTransport.Reply.ok(Data("new".utf8), headers: [.cacheControl: "no-store"])
        var request = fixture.request("a", first: old, then: new)
        #expect(try await fixture.loader.data(for: request).data == Data("old".utf8))
        request.mode = .reload
        #expect(try await fixture.loader.data(for: request).data == Data("new".utf8))
        request.mode = .standard
        #expect(try await fixture.loader.data(for: request).data == Data("new".utf8))
    }

    @Test("cachedImage returns nil for a request that bypasses memory")
    func cachedImageObeysPolicy() async throws {
        let fixture = LoaderFixture()
        var request = fixture.request("a")
        _ = try await fixture.loader.image(for: request)
        for policy in [ImageCachePolicy.diskOnly, .disabled] {
            request.cachePolicy = policy
            #expect(fixture.loader.cachedImage(for: request) == nil)
        }
        request.cachePolicy = .memoryOnly
        #expect(fixture.loader.cachedImage(for: request) != nil)
        request.mode = .reload
        #expect(fixture.loader.cachedImage(for: request) == nil)
    }

    @Test("data is returned without decoding, and is shared with the disk cache")
    func data() async throws {
        let fixture = LoaderFixture()
        let request = fixture.request("a", then: .ok(Data("no image".utf8)))
        #expect(try await fixture.loader.data(for: request).data == Data("no image".utf8))
        #expect(try await fixture.loader.data(for: request).source == .disk)
        #expect(fixture.decoder.messages.isEmpty)
        #expect(fixture.memory.messages.isEmpty)
    }

    @Test("each caller receives progress up to the total")
    func progress() async throws {
        let fixture = LoaderFixture()
        let gate = TestGate()
        let (head, tail) = (LoaderFixture.image.prefix(10), LoaderFixture.image.dropFirst(10))
        let request = fixture.request(
            "a",
            then: ScriptedTransport.Reply(
                announcedByteCount: LoaderFixture.image.count, body: [.piece(head), .wait(gate), .piece(Data(tail))]))
        let first = ProgressLog()
        let second = ProgressLog()
        let leader = Task { try await fixture.loader.image(for: request, onProgress: first.add) }
        await first.reaches { _ in true }
        let follower = Task { try await fixture.loader.image(for: request, onProgress: second.add) }
        await second.reaches { _ in true }
        gate.open()
        _ = try await (leader.value, follower.value)
        let total = LoaderFixture.image.count
        let expected = [10, total].map { WorkProgress(completedByteCount: $0, totalByteCount: total) }
        #expect(first.all == expected)
        #expect(second.all == expected)
        #expect(fixture.transport.sendCount == 1)
    }

    /// Violates the protocol: returns more bytes than the request allows.
    private struct FloodingTransport: DataTransport {
        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            TransportResponse(
                head: ResponseHead(status: .ok, url: request.url),
                body: TransportBody(pull: { () async throws(TransportError) in
                    if Task.isCancelled { throw .cancelled }
                    return Data(count: 6_000)
                }))
        }
    }

    @Test("a transport that returns more bytes than allowed is stopped", .timeLimit(.minutes(10)))
    func bodyLimit() async {
        let fixture = LoaderFixture { $0.transport = .uncached(FloodingTransport()) }
        let request = fixture.request("a")
        let result = await Task { try await fixture.loader.data(for: request) }.result
        guard case .failure(ImageError.tooLarge(10_000)) = result else {
            Issue.record("ended with \(result)")
            return
        }
        #expect(fixture.disk.entries.isEmpty)
    }

    @Test(
        "a request that is cancelled as its result arrives ends as cancelled",
        arguments: [ScriptedTransport.Reply.ok(LoaderFixture.image), .status(.notFound)])
    func cancelledAtTheEnd(_ reply: ScriptedTransport.Reply) async {
        for loads: @Sendable (LoaderFixture, ImageRequest) async throws -> Void in [
            { _ = try await $0.loader.image(for: $1) }, { _ = try await $0.loader.data(for: $1) },
        ] {
            let fixture = LoaderFixture { $0.coalescer = CancellingCoalescer() }
            let request = fixture.request("a", then: reply)
            await #expect(throws: ImageError.cancelled) { try await Task { try await loads(fixture, request) }.value }
            #expect(fixture.observer.kinds().last == .cancelled)
        }
    }

    @Test("headers are sent as given, and an invalid one fails before anything is sent")
    func headers() async throws {
        let fixture = LoaderFixture()
        let request = fixture.request("a") { $0.headers = ["x-token": "0", "X-Token": "1"] }
        _ = try await fixture.loader.image(for: request)
        #expect(fixture.transport.requests.map { $0.headers.map { "\($0.name): \($0.value)" } } == [["X-Token: 1"]])
        let broken = fixture.request("b") { $0.headers = ["not a name": "1"] }
        await #expect(throws: ImageError.invalidHeader("not a name")) { try await fixture.loader.image(for: broken) }
        let relative = ImageRequest(url: try #require(URL(string: "/a")))
        await #expect(throws: ImageError.invalidURL("/a")) { try await fixture.loader.data(for: relative) }
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("processors are applied in order, and one that throws is reported by name")
    func processors() async throws {
        func paint(_ value: UInt8) -> FakeProcessor {
            FakeProcessor("paint(\(value))") { bitmap in
                let pixels = bitmap.pixels.map { $0 / 2 + value }
                return Bitmap(size: bitmap.size, pixels: pixels, isOpaque: false)
            }
        }
        let fixture = LoaderFixture()
        let request = fixture.request("a", fit: 1) { $0.processors = [paint(10), paint(20)] }
        // 200, 100, 50, 255 halved, plus 10, halved, plus 20
        #expect(try await fixture.loader.image(for: request).decoded.bitmap.pixels == [75, 50, 37, 88])
        let broken = fixture.request("a", fit: 1) {
            $0.processors = [FakeProcessor("broken") { _ in throw CocoaError(.featureUnsupported) }]
        }
        let error = await #expect(throws: ImageError.self) { try await fixture.loader.image(for: broken) }
        #expect(error?.description.hasPrefix("processor broken failed") == true)
        #expect(fixture.storedOriginals.count == 1, "the original must stay stored")
        let cancelled = FakeProcessor("cancelled") { _ in throw CancellationError() }
        for (processor, isCancelled) in [(cancelled, false), (paint(0), true)] {
            #expect(throws: CancellationError.self) {
                try LoaderTestBed.image(width: 1).processed(by: [processor]) { isCancelled }
            }
        }
    }
}

/// Records progress and lets a test wait for a report.
final class ProgressLog: Sendable {
    private let log = Watched<[WorkProgress]>([])

    var all: [WorkProgress] { log.value }

    func add(_ progress: WorkProgress) { log.change { $0.append(progress) } }

    /// Waits until the latest report satisfies `condition`.
    func reaches(_ condition: @escaping @Sendable (WorkProgress) -> Bool) async {
        await log.waitUntil { $0.last.map(condition) ?? false }
    }
}

/// Has no image at the first lookup and every image afterwards, as if another request had just stored it.
private final class LateImageCache: ImageCache {
    private let isLate = Mutex(false)

    func image(for key: ImageCacheKey) -> DecodedImage? {
        let isThere = isLate.withLock { isLate in
            defer { isLate = true }
            return isLate
        }
        guard isThere else { return nil }
        let size = PixelSize(width: 1, height: 1)
        return DecodedImage(
            bitmap: Bitmap(size: size, pixels: [0, 0, 0, 255], isOpaque: true),
            header: ImageHeader(format: .png, storedSize: size))
    }

    func insert(_ image: DecodedImage, for key: ImageCacheKey, retention: MemoryRetention) {
        Issue.record("the image is already stored")
    }
    func remove(for key: ImageCacheKey) {}
    func removeAll() {}
    func removeAll(where isUnwanted: (ImageCacheKey, Duration?) -> Bool) {}
}

/// Cancels the task of its first caller as the result arrives.
private final class CancellingCoalescer: RequestCoalescer {
    private let coalescer = TaskCoalescer<OperationKey, OperationResult>()
    private let isFirst = Mutex(true)

    func value(
        for key: OperationKey, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping @Sendable (any SharedOperation) async throws -> OperationResult
    ) async throws -> OperationResult {
        let cancels = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        defer { if cancels { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } } }
        return try await coalescer.value(
            for: key, priority: priority, onProgress: onProgress, operation: operation)
    }

    func close(throwing error: any Error) { coalescer.close(throwing: error) }
}
