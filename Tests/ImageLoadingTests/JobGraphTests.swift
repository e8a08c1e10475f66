import Foundation
import ImageCoalescing
import ImageCore
import ImageTesting
import ImageTransporting
import Testing

@testable import ImageLoading

@Suite("Shared work of the loader", .timeLimit(.minutes(10)))
struct JobGraphTests {
    private let fixture = LoaderFixture()
    private let step = FakeProcessor("same") { $0 }

    private func processed(_ request: ImageRequest) -> ImageRequest {
        var request = request
        request.processors = [step]
        return request
    }

    @Test("a processed image and the plain image of the same size share a download and a decode")
    func sharedDecode() async throws {
        let scheduler = ManualDecodes()
        let fixture = LoaderFixture(scheduler: scheduler)
        let plain = fixture.request("a")
        let first = Task { try await fixture.loader.image(for: processed(plain)) }
        await scheduler.decodes.arrivals(1)
        let second = fixture.loader.task(for: plain)
        await fixture.reaches(callers: 3)
        try await scheduler.decodes.runNext()
        await scheduler.decodes.arrivals(2)
        try await scheduler.decodes.runNext()
        _ = try await (first.value, second.image())
        #expect(fixture.decoder.decodeCount == 1)
        #expect(fixture.transport.sendCount == 1)
        // The processed request doesn't store the plain image in memory, but the plain request does.
        #expect(Set(fixture.memory.images.keys.map(\.processors)) == [[], ["same"]])
    }

    @Test("a processed request doesn't store the plain image in memory")
    func intermediate() async throws {
        _ = try await fixture.loader.image(for: processed(fixture.request("a")))
        #expect(fixture.memory.images.keys.map(\.processors) == [["same"]])
    }

    @Test("a decoded image in memory serves a processed request without another decode")
    func decodedInMemory() async throws {
        let plain = fixture.request("a")
        _ = try await fixture.loader.image(for: plain)
        let loaded = try await fixture.loader.image(for: processed(plain))
        #expect(loaded.source == .memory)
        #expect(fixture.decoder.decodeCount == 1)
        #expect(fixture.loader.cachedImage(for: processed(plain)) != nil)
        var unread = processed(plain)
        unread.cachePolicy.memory = .none
        #expect(try await fixture.loader.image(for: unread).source == .disk)
        #expect(fixture.decoder.decodeCount == 2)
    }

    @Test("a request that writes to memory shares work with one that doesn't, and the image is stored")
    func joiningRequestWritesToMemory() async throws {
        let scheduler = ManualDecodes()
        let fixture = LoaderFixture(scheduler: scheduler)
        var request = fixture.request("a") { $0.cachePolicy.memory = .readOnly }
        let reader = Task { [request] in try await fixture.loader.image(for: request) }
        await scheduler.decodes.arrivals(1)
        request.cachePolicy.memory = .readWrite
        let writer = fixture.loader.task(for: request)
        await fixture.reaches(callers: 2)
        try await scheduler.decodes.runNext()
        _ = try await (reader.value, writer.image())
        #expect(fixture.decoder.decodeCount == 1)
        #expect(fixture.memory.images.count == 1)
    }

    @Test("a processed request's priority applies to the shared decode")
    func priority() async throws {
        let scheduler = ManualScheduler()
        let fixture = LoaderFixture(scheduler: scheduler)
        let task = fixture.loader.task(for: processed(fixture.request("a") { $0.priority = .low }))
        await scheduler.arrivals(1)
        let download = try #require(scheduler.waiting.first)
        task.priority = .veryHigh
        await scheduler.reaches(.veryHigh, of: download)
        for count in 2...3 {
            try await scheduler.runNext()
            await scheduler.arrivals(count)
        }
        try await scheduler.runNext()
        _ = try await task.image()
    }

    @Test("a larger image in memory is used for a smaller request only if the request allows it")
    func larger() async throws {
        _ = try await fixture.loader.image(for: fixture.request("a", fit: 20))
        var small = fixture.request("a", fit: 10)
        #expect(fixture.loader.cachedImage(for: small) == nil)
        small.acceptsLarger = true
        #expect(fixture.loader.cachedImage(for: small)?.image.bitmap.size == PixelSize(width: 20, height: 15))
        #expect(try await fixture.loader.image(for: small).source == .memory)
        var large = fixture.request("a", fit: 30)
        large.acceptsLarger = true
        #expect(fixture.loader.cachedImage(for: large) == nil)
        fixture.memory.removeAll()
        #expect(fixture.loader.cachedImage(for: small) == nil)
    }

    @Test(
        "undecodable bytes on disk are fetched once more, and are not stored if still undecodable"
    )
    func undecodable() async throws {
        let broken = ScriptedTransport.Reply.ok(Data("no image".utf8))
        let request = fixture.request("a", then: broken)
        _ = try await fixture.loader.data(for: request)
        #expect(fixture.storedOriginals.count == 1)
        await #expect(throws: ImageError.self) { try await fixture.loader.image(for: request) }
        #expect(fixture.transport.sendCount == 2)
        #expect(fixture.storedOriginals.isEmpty)
    }

    @Test("undecodable bytes from the network are not fetched again")
    func undecodableFromNetwork() async throws {
        let request = fixture.request("a", then: .ok(Data("no image".utf8)))
        await #expect(throws: ImageError.self) { try await fixture.loader.image(for: request) }
        #expect(fixture.transport.sendCount == 1)
        #expect(fixture.storedOriginals.isEmpty)
    }
}

@Suite("Larger images for smaller requests")
struct SizeIndexTests {
    private func key(_ target: ImageTarget?, _ source: String = "a", _ steps: [String] = []) -> ImageCacheKey {
        ImageCacheKey(source: source, target: target, processors: steps)
    }

    private func target(
        _ width: Int, _ height: Int, _ mode: ImageTarget.Mode = .fit, _ preference: DecodingPreference = .quality
    ) -> ImageTarget {
        ImageTarget(PixelSize(width: width, height: height), mode: mode, preference: preference)
    }

    @Test("candidates show the same content, smallest first, with the stored size last")
    func order() {
        var index = SizeIndex()
        for known in [nil, target(40, 40), target(30, 30), target(30, 30, .fill), target(50, 50, .fit, .speed)] {
            index.inserted(key(known))
        }
        index.inserted(key(target(60, 60), "b"))
        index.inserted(key(target(70, 70), "a", ["step"]))
        let found = index.candidates(for: key(target(10, 10))).map(\.target)
        #expect(found == [target(30, 30), target(40, 40), nil])
        #expect(index.candidates(for: key(target(10, 10, .fit, .speed))).count == 4)
        #expect(index.candidates(for: key(nil)).isEmpty)
    }

    @Test("a cropped image is only used for the same aspect ratio")
    func fill() {
        var index = SizeIndex()
        index.inserted(key(target(40, 20, .fill)))
        index.inserted(key(nil))
        #expect(index.candidates(for: key(target(20, 10, .fill))).map(\.target) == [target(40, 20, .fill)])
        #expect(index.candidates(for: key(target(20, 20, .fill))).isEmpty)
    }

    @Test("the oldest half is removed at the limit")
    func bounded() {
        var index = SizeIndex(limit: 8)
        for number in 0..<100 {
            index.inserted(key(target(40, 40), "\(number)"))
            #expect(index.count <= 8)
        }
        #expect(index.candidates(for: key(target(10, 10), "99")).count == 1)
        #expect(index.candidates(for: key(target(10, 10), "96")).count == 1)
        #expect(index.candidates(for: key(target(10, 10), "1")).isEmpty)
    }

    @Test("the size of the index is limited, also with one image of many sizes")
    func boundedBytes() {
        var index = SizeIndex(byteLimit: 100_000)
        for number in 0..<1_000 {
            index.inserted(key(nil, String(repeating: "a", count: 1_000) + "\(number)"))
            #expect(index.byteCount <= 102_000)
        }
        #expect(index.miss(of: key(nil, String(repeating: "a", count: 1_000) + "999")) == .evicted)
        for side in 0..<5_000 {
            index.inserted(key(target(side, side)))
            #expect(index.byteCount <= 102_000)
        }
        #expect(index.candidates(for: key(target(4_990, 4_990))).count >= 9)
    }

    @Test("the largest targets have a ratio, too")
    func extremes() {
        let sides: [Int] = [.min, -1, 0, 1, .max]
        for (width, height) in sides.flatMap({ width in sides.map { (width, $0) } }) {
            var index = SizeIndex()
            index.inserted(key(target(.max, .max, .fill)))
            let found = index.candidates(for: key(target(width, height, .fill)))
            #expect(found.isEmpty == (width != height || width == .max))
        }
    }
}
