import Foundation
import ImageCoalescing
import ImageCore
import ImageTransporting
import Testing

@testable import ImageLoading
@testable import ImageTesting

@Suite("Shared operations of the loader", .timeLimit(.minutes(10)))
struct SharedOperationTests {
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
        await scheduler.decodes.waitForArrivals(1)
        let second = fixture.loader.task(for: plain)
        await fixture.reaches(callers: 3)
        try await scheduler.decodes.runNext()
        await scheduler.decodes.waitForArrivals(2)
        try await scheduler.decodes.runNext()
        _ = try await (first.value, second.image)
        #expect(fixture.decoder.decodeCount == 1)
        #expect(fixture.transport.sendCount == 1)
        // The processed request doesn't store the plain image in memory, but the plain request does.
        #expect(Set(fixture.memory.images.keys.map(\.processors)) == [[], ["same"]])
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
        unread.cachePolicy.memory = .disabled
        #expect(try await fixture.loader.image(for: unread).source == .disk)
        #expect(fixture.decoder.decodeCount == 2)
    }

    @Test("a request that writes to memory shares work with one that doesn't, and the image is stored")
    func joiningRequestWritesToMemory() async throws {
        let scheduler = ManualDecodes()
        let fixture = LoaderFixture(scheduler: scheduler)
        var request = fixture.request("a") { $0.cachePolicy.memory = .readOnly }
        let reader = Task { [request] in try await fixture.loader.image(for: request) }
        await scheduler.decodes.waitForArrivals(1)
        request.cachePolicy.memory = .readWrite
        let writer = fixture.loader.task(for: request)
        await fixture.reaches(callers: 2)
        try await scheduler.decodes.runNext()
        _ = try await (reader.value, writer.image)
        #expect(fixture.decoder.decodeCount == 1)
        #expect(fixture.memory.images.count == 1)
    }

    @Test("a processed request's priority applies to the shared decode")
    func priority() async throws {
        let scheduler = ManualScheduler()
        let fixture = LoaderFixture(scheduler: scheduler)
        let task = fixture.loader.task(for: processed(fixture.request("a") { $0.priority = .low }))
        await scheduler.waitForArrivals(1)
        let download = try #require(scheduler.waiting.first)
        task.priority = .veryHigh
        await scheduler.reaches(.veryHigh, of: download)
        for count in 2...3 {
            try await scheduler.runNext()
            await scheduler.waitForArrivals(count)
        }
        try await scheduler.runNext()
        _ = try await task.image
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

    @Test("undecodable bytes on disk are not fetched again for a request that mustn't use the network")
    func undecodableOffline() async throws {
        let request = fixture.request("a") { $0.mode = .onlyIfCached }
        await fixture.loader.cacheData(Data("no image".utf8), for: request)
        await #expect(throws: ImageError.self) { try await fixture.loader.image(for: request) }
        #expect(fixture.transport.messages.isEmpty && fixture.storedOriginals.isEmpty)
    }

    @Test("undecodable bytes from the network don't remove a stored original that the request can't use")
    func undecodableWithoutDisk() async throws {
        let request = fixture.request("a", then: .ok(Data("no image".utf8))) { $0.cachePolicy = .disabled }
        await fixture.loader.cacheData(LoaderFixture.image, for: request)
        await #expect(throws: ImageError.self) { try await fixture.loader.image(for: request) }
        #expect(fixture.storedOriginals == [LoaderFixture.image])
    }

    @Test("undecodable bytes from the network are not fetched again")
    func undecodableFromNetwork() async throws {
        let request = fixture.request("a", then: .ok(Data("no image".utf8)))
        await #expect(throws: ImageError.self) { try await fixture.loader.image(for: request) }
        #expect(fixture.transport.sendCount == 1)
        #expect(fixture.storedOriginals.isEmpty)
    }
}
