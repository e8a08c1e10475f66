import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageLoading
import ImageTransporting
import Testing

@testable import ImageTesting

@Suite("Invalidation of the loader", .timeLimit(.minutes(10)))
struct InvalidationTests {
    private let fixture = LoaderFixture.stepped()
    private let gate = TestGate()
    private let log = MessageLog<String>()

    private var loader: ImageLoader { fixture.loader }
    private var isIdle: Bool { fixture.coalescer.isIdle }

    /// Returns a request that receives ten bytes at once, and the rest when the gate is open.
    private func heldRequest(_ name: String = "held") -> ImageRequest {
        let (head, tail) = (LoaderFixture.image.prefix(10), Data(LoaderFixture.image.dropFirst(10)))
        return fixture.request(
            name, then: ScriptedTransport.Reply(body: [.piece(head), .wait(gate), .piece(tail)]))
    }

    /// Returns a description of the result of a request.
    private func end<Value>(of task: Task<Value, any Error>) async -> String {
        do {
            _ = try await task.value
            return "succeeded"
        } catch {
            return "\(error)"
        }
    }

    private static let shutDown = "\(ImageError.shutDown)"

    @Test("running requests fail once, and their transfers end")
    func runningRequests() async {
        let request = heldRequest()
        let image = fixture.start { [loader] in try await loader.image(for: request) }
        let data = fixture.start { [loader] in try await loader.data(for: request) }
        let task = loader.task(for: request)
        let listener = fixture.start { [log] in
            for await event in task.events { if case .finished(let result) = event { log.append("\(result)") } }
        }
        fixture.run()
        #expect(fixture.coalescer.callerCount == 4)
        loader.shutDown()
        fixture.run()
        #expect(await end(of: image) == Self.shutDown)
        #expect(await end(of: data) == Self.shutDown)
        #expect(await end(of: Task { try await task.image }) == Self.shutDown)
        #expect(await end(of: listener) == "succeeded")
        #expect(log.messages.count == 1 && log.messages.first?.contains("shut down") == true)
        #expect(fixture.transport.messages.last == .cancelled(request.address))
        gate.open()
        fixture.run()
        let ends = fixture.observer.kinds().filter { $0 == .failed(.shutDown) }
        #expect(ends.count == 3 && isIdle)
    }

    @Test("later requests of each form fail at once and start nothing")
    func laterRequests() async {
        let request = fixture.request("a")
        loader.shutDown()
        loader.shutDown()
        let bytes = ImageRequest(.data(LoaderFixture.image, name: "bytes"))
        let task = loader.task(for: request)
        let ends = [
            fixture.start { [loader] in _ = try await loader.image(for: request) },
            fixture.start { [loader] in _ = try await loader.data(for: request) },
            fixture.start { [loader] in _ = try await loader.image(for: bytes) },
            fixture.start { _ = try await task.image },
        ]
        let prefetcher = ImagePrefetcher(loader: loader)
        prefetcher.start([request])
        fixture.run()
        for task in ends { #expect(await end(of: task) == Self.shutDown) }
        #expect(prefetcher.count == 0)
        #expect(fixture.transport.messages.isEmpty && fixture.decoder.messages.isEmpty && isIdle)
    }

    @Test("images in memory are still returned, and the caches can be emptied")
    func memory() async throws {
        let request = fixture.request("a")
        let first = fixture.start { [loader] in try await loader.image(for: request) }
        fixture.run()
        _ = try await first.value
        loader.shutDown()
        #expect(loader.cachedImage(for: request)?.source == .memory)
        #expect(try await loader.image(for: request).source == .memory)
        #expect(try await loader.task(for: request).image.source == .memory)
        #expect(try await loader.cacheSizes().memory == 1_200)
        try await loader.removeAllCachedImages()
        #expect(loader.cachedImage(for: request) == nil)
    }

    @Test("waiting and running prefetches end")
    func prefetches() async {
        let fixture = LoaderFixture.stepped(downloads: 1)
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        let requests = ["a", "b"].map {
            fixture.request($0, then: ScriptedTransport.Reply(body: [.wait(gate)]))
        }
        prefetcher.start(requests)
        fixture.run()
        #expect(fixture.transport.sendCount == 1)
        fixture.loader.shutDown()
        fixture.run()
        #expect(prefetcher.count == 0)
        #expect(fixture.transport.sendCount == 1 && fixture.transport.cancellationCount == 1)
        gate.open()
    }

    @Test("a request that was also cancelled ends as cancelled")
    func cancelledToo() async {
        let request = fixture.request("a")
        let task = fixture.start { [loader] in try await loader.image(for: request) }
        task.cancel()
        loader.shutDown()
        fixture.run()
        #expect(await end(of: task) == "\(ImageError.cancelled)")
    }

    @Test("the loader is released with its last reference")
    func leaks() async {
        weak var loader: ImageLoader?
        weak var coalescer: TaskCoalescer<OperationKey, OperationResult>?
        weak var task: ImageTask?
        let executor = SeededExecutor(seed: 1)
        do {
            let fixture = LoaderFixture.stepped(executor)
            let held = ScriptedTransport.Reply(body: [.wait(TestGate())])
            let kept = fixture.loader.task(for: fixture.request("a", then: held))
            let prefetcher = ImagePrefetcher(loader: fixture.loader)
            prefetcher.start([fixture.request("b", then: held)])
            fixture.run()
            (loader, coalescer, task) = (fixture.loader, fixture.coalescer, kept)
            fixture.loader.shutDown()
            fixture.run()
        }
        executor.run()
        #expect(loader == nil && coalescer == nil && task == nil)
    }
}
