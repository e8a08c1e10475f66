import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageLoading
import ImageTransporting
import Synchronization
import Testing

@testable import ImageTesting

@Suite("ImageTask", .timeLimit(.minutes(10)))
struct ImageTaskTests {
    private let fixture = LoaderFixture()
    private let gate = TestGate()
    private let log = MessageLog<String>()

    /// Returns a request that receives ten bytes at once, and the rest when the gate is open.
    private func heldRequest(of stepped: LoaderFixture? = nil) -> ImageRequest {
        let (head, tail) = (LoaderFixture.image.prefix(10), Data(LoaderFixture.image.dropFirst(10)))
        let body: [ScriptedTransport.Step] = [.piece(head), .wait(gate), .piece(tail)]
        return (stepped ?? fixture).request(
            "a", then: ScriptedTransport.Reply(announcedByteCount: LoaderFixture.image.count, body: body))
    }

    private func text(_ event: ImageTask.Event) -> String {
        switch event {
        case .progress(let progress): "\(progress.completedByteCount)"
        case .preview: "preview"
        case .finished(.success(let loaded)): "\(loaded.source)"
        case .finished(.failure(let error)): "\(error)"
        }
    }

    private func events(_ task: ImageTask) async -> [String] {
        var texts: [String] = []
        for await event in task.events { texts.append(text(event)) }
        return texts
    }

    @Test("a set of tasks has each of them once, and results can be compared")
    func hashing() async throws {
        let request = fixture.request("a")
        let (first, second) = (fixture.loader.task(for: request), fixture.loader.task(for: request))
        #expect(Set([first, second, first]).count == 2 && first == first && first != second)
        let image = try await fixture.loader.image(for: request)
        #expect(Set([image, image]).count == 1)
    }

    @Test("a listener receives progress and the result, a late one the latest progress and the result")
    func listening() async throws {
        let task = fixture.loader.task(for: heldRequest())
        var iterator = task.events.makeAsyncIterator()
        #expect(await iterator.next().map(text) == "10")
        gate.open()
        let whole = "\(LoaderFixture.image.count)"
        #expect(await iterator.next().map(text) == whole)
        #expect(await iterator.next().map(text) == "network")
        #expect(await iterator.next() == nil)
        #expect(await events(task) == [whole, "network"])
        #expect(try await task.image.source == .network)
    }

    @Test("a second attempt that receives no more than the first is no progress")
    func equalProgress() async throws {
        let fixture = LoaderFixture(retries: 1)
        let (head, tail) = (LoaderFixture.image.prefix(10), Data(LoaderFixture.image.dropFirst(10)))
        let count = LoaderFixture.image.count
        let broken: [ScriptedTransport.Step] = [.piece(head), .fail(.connectionLost("cut"))]
        let task = fixture.loader.task(
            for: fixture.request(
                "a", first: ScriptedTransport.Reply(announcedByteCount: count, body: broken),
                then: ScriptedTransport.Reply(
                    announcedByteCount: count, body: [.piece(head), .wait(gate), .piece(tail)])))
        let listener = Task { await events(task) }
        await fixture.clock.waitForSleepers(1)
        fixture.clock.advance(by: .seconds(1))
        await gate.waitForArrivals(1)
        gate.open()
        #expect(await listener.value == ["10", "\(count)", "network"])
    }

    @Test("an image in memory is available when the task is returned, without a Swift task")
    func memoryHit() async throws {
        let request = fixture.request("a")
        _ = try await fixture.loader.image(for: request)
        let task = fixture.loader.task(for: request)
        #expect(fixture.observer.kinds().suffix(3) == [.started, .memoryHit, .succeeded(.memory)])
        #expect(await events(task) == ["memory"])
    }

    @Test("after cancel nothing is delivered, the waiting listener ends, and the transfer ends")
    func cancelling() async {
        let task = fixture.loader.task(for: heldRequest())
        let listener = Task { await events(task) }
        await gate.waitForArrivals(1)
        task.cancel()
        #expect(await listener.value.allSatisfy { $0 == "10" })
        await fixture.transport.waitForCancellations(1)
        gate.open()
        #expect(await events(task).isEmpty)
        await #expect(throws: ImageError.self) { try await task.image }
    }

    @Test("a cancelled task waits for no work when cancel returns, and the observer receives its end")
    func cancelledAtOnce() async {
        let task = fixture.loader.task(for: heldRequest())
        await gate.waitForArrivals(1)
        task.cancel()
        #expect(fixture.coalescer.callerCount == 0)
        await fixture.observer.waitUntil { $0.last?.kind == .cancelled }
        gate.open()
    }

    @Test("a task created in a cancelled Swift task is not cancelled")
    func createdInCancelledTask() async throws {
        let request = fixture.request("a")
        for source: ImageSource in [.network, .memory] {
            let maker = Task { [loader = fixture.loader] in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return loader.task(for: request)
            }
            #expect(try await maker.value.image.source == source)
            #expect(fixture.observer.kinds().last == .succeeded(source))
        }
        #expect(fixture.observer.kinds().suffix(3) == [.started, .memoryHit, .succeeded(.memory)])
    }

    @Test(
        "cancelling a finished task has no effect on its result and events", arguments: ["image", "failure", "memory"])
    func cancelledAfterEnd(kind: String) async throws {
        let reply: ScriptedTransport.Reply = kind == "failure" ? .status(.notFound) : .ok(LoaderFixture.image)
        let request = fixture.request("a", then: reply)
        if kind == "memory" { _ = try await fixture.loader.image(for: request) }
        let task = fixture.loader.task(for: request)
        let before = await events(task)
        #expect(before.last == ["image": "network", "failure": "not found", "memory": "memory"][kind])
        task.cancel()
        task.cancel()
        #expect(await events(task) == before)
        #expect((try? await task.image) != nil || kind == "failure")
        #expect(!fixture.observer.kinds().contains(.cancelled))
    }

    @Test("a cancelled listener ends, and the request continues")
    func listenerCancelled() async throws {
        let task = fixture.loader.task(for: heldRequest())
        let listener = Task { await events(task) }
        await gate.waitForArrivals(1)
        await becomesTrue { task.state.readerCount == 1 }
        listener.cancel()
        #expect(await !listener.value.contains("network"))
        #expect(task.state.readerCount == 0, "it is forgotten before the next event")
        gate.open()
        #expect(try await task.image.source == .network)
    }

    @Test("releasing a task cancels it")
    func releasing() async {
        var task: ImageTask? = fixture.loader.task(for: heldRequest())
        await gate.waitForArrivals(1)
        #expect(task != nil)
        task = nil
        await fixture.transport.waitForCancellations(1)
        gate.open()
    }

    @Test("a listener receives a failure as the result")
    func failure() async {
        let task = fixture.loader.task(for: fixture.request("a", then: .status(.notFound)))
        #expect(await events(task) == ["not found"])
    }

    @Test("a changed priority applies to waiting work, also before the task has joined it")
    func priority() async throws {
        let scheduler = ManualScheduler()
        let fixture = LoaderFixture(scheduler: scheduler)
        let task = fixture.loader.task(for: fixture.request("a") { $0.priority = .low })
        task.priority = .high
        #expect(task.priority == .high)
        await scheduler.waitForArrivals(1)
        let download = try #require(scheduler.waiting.first)
        await scheduler.reaches(.high, of: download)
        task.priority = .veryLow
        await scheduler.reaches(.veryLow, of: download)
        try await scheduler.run(download)
        await scheduler.waitForArrivals(2)
        try await scheduler.runNext()
        _ = try await task.image
    }

    // MARK: Handlers

    /// Lets the main actor run what is enqueued.
    @MainActor
    private func runMainActor() async { for _ in 0..<10 { await Task.yield() } }

    @Test("a handler is called once on the main actor, with the result only")
    @MainActor
    func handler() async throws {
        let task = fixture.loader.load(heldRequest()) { [log] result in
            MainActor.assertIsolated()
            log.append((try? result.get()) == nil ? "failed" : "image")
        }
        var iterator = task.events.makeAsyncIterator()
        #expect(await iterator.next().map(text) == "10")
        await runMainActor()
        #expect(log.messages.isEmpty)
        gate.open()
        await log.waitForCount(1)
        await runMainActor()
        #expect(log.messages == ["image"])
        #expect(try await task.image.source == .network)
    }

    @Test("a handler is called after `load` has returned, even for an image in memory")
    @MainActor
    func handlerOfMemoryHit() async throws {
        let request = fixture.request("a")
        _ = try await fixture.loader.image(for: request)
        let task = fixture.loader.load(request) { [log] _ in log.append("called") }
        #expect(log.messages.isEmpty)
        await log.waitForCount(1)
        withExtendedLifetime(task) {}
    }

    @Test("after a cancellation, an earlier result is not delivered to a handler")
    @MainActor
    func cancelledBeforeDelivery() async throws {
        let request = fixture.request("a")
        _ = try await fixture.loader.image(for: request)
        let task = fixture.loader.load(request) { [log] _ in log.append("called") }
        task.cancel()
        await runMainActor()
        #expect(log.messages.isEmpty)
        #expect(try await task.image.source == .memory)
    }

    @Test("a request with a handler runs until it ends, even if its task is not kept")
    @MainActor
    func taskNotKept() async {
        fixture.loader.load(heldRequest()) { [log] result in log.append("\((try? result.get()) != nil)") }
        await gate.waitForArrivals(1)
        await runMainActor()
        gate.open()
        await log.waitForCount(1)
        #expect(log.messages == ["true"])
    }

    @Test("cancelling a task in its handler has no effect on its result")
    @MainActor
    func cancelledInHandler() async throws {
        final class Owner { var task: ImageTask? }
        let owner = Owner()
        owner.task = fixture.loader.load(heldRequest()) { [log] _ in
            owner.task?.cancel()
            log.append("end")
        }
        gate.open()
        await log.waitForCount(1)
        #expect(try await owner.task?.image.source == .network)
        owner.task = nil
    }

    @Test("releasing the owner of a task cancels its work at once, before anything is sent")
    @MainActor
    func ownerReleased() async {
        final class Owner { var task: ImageTask? }
        let scheduler = ManualScheduler()
        let fixture = LoaderFixture(scheduler: scheduler)
        var owner: Owner? = Owner()
        owner?.task = fixture.loader.task(for: fixture.request("a"))
        await scheduler.waitForArrivals(1)
        owner = nil
        await scheduler.reachesCancellation()
        #expect(scheduler.waiting.isEmpty)
        #expect(fixture.transport.messages.isEmpty)
    }

    @Test("a handler is released at the end, even if the task is retained")
    @MainActor
    func handlerReleased() async {
        final class Payload: Sendable {}
        weak var payload: Payload?
        let task: ImageTask
        do {
            let held = Payload()
            payload = held
            task = fixture.loader.load(fixture.request("a")) { [log] _ in
                withExtendedLifetime(held) { log.append("called") }
            }
        }
        await log.waitForCount(1)
        await runMainActor()
        #expect(payload == nil)
        withExtendedLifetime(task) {}
    }
}
