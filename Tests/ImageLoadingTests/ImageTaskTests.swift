import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageLoading
import ImageTesting
import ImageTransporting
import Synchronization
import Testing

@Suite("ImageTask", .timeLimit(.minutes(10)))
struct ImageTaskTests {
    private let fixture = LoaderFixture()
    private let gate = Gate()
    private let log = MessageLog<String>()

    /// Returns a request that receives ten bytes at once, and the rest when the gate is open.
    private func heldRequest(of stepped: LoaderFixture? = nil) -> ImageRequest {
        let (head, tail) = (LoaderFixture.image.prefix(10), Data(LoaderFixture.image.dropFirst(10)))
        let body: [ScriptedTransport.Step] = [.piece(head), .wait(gate), .piece(tail)]
        return (stepped ?? fixture).request(
            "a", then: ScriptedTransport.Reply(announcedBytes: LoaderFixture.image.count, body: body))
    }

    private func text(_ event: ImageTask.Event) -> String {
        switch event {
        case .progress(let progress): "\(progress.completedBytes)"
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
        #expect(try await task.image().source == .network)
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
        await gate.arrivals(1)
        task.cancel()
        #expect(await listener.value.allSatisfy { $0 == "10" })
        await fixture.transport.cancellations(1)
        gate.open()
        #expect(await events(task).isEmpty)
        await #expect(throws: ImageError.self) { try await task.image() }
    }

    @Test("a cancelled task waits for no work when cancel returns, and the observer receives its end")
    func cancelledAtOnce() async {
        let task = fixture.loader.task(for: heldRequest())
        await gate.arrivals(1)
        task.cancel()
        #expect(fixture.imageCoalescer.callerCount == 0)
        await fixture.observer.reaches { $0.last?.kind == .cancelled }
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
            #expect(try await maker.value.image().source == source)
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
        let counts = fixture.loader.statistics
        task.cancel()
        task.cancel()
        #expect(await events(task) == before)
        #expect((try? await task.image()) != nil || kind == "failure")
        #expect(fixture.loader.statistics.cancelled.count == counts.cancelled.count)
    }

    @Test("cancelling a task in its completion handler has no effect on its result")
    func cancelledInHandler() async throws {
        let cell = Cell(log)
        let held = Mutex<ImageTask?>(nil)
        let task = fixture.loader.load(heldRequest(), for: cell, on: .immediate) { cell, _ in
            held.withLock { $0 }?.cancel()
            cell.log.append("end")
        }
        held.withLock { $0 = task }
        gate.open()
        #expect(try await task.image().source == .network)
        await log.reaches(1)
        #expect(try await task.image().source == .network)
        held.withLock { $0 = nil }
    }

    @Test("a cancelled listener ends, and the request continues")
    func listenerCancelled() async throws {
        let task = fixture.loader.task(for: heldRequest())
        let listener = Task { await events(task) }
        await gate.arrivals(1)
        listener.cancel()
        #expect(await !listener.value.contains("network"))
        gate.open()
        #expect(try await task.image().source == .network)
    }

    @Test("releasing a task cancels it")
    func releasing() async {
        var task: ImageTask? = fixture.loader.task(for: heldRequest())
        await gate.arrivals(1)
        #expect(task != nil)
        task = nil
        await fixture.transport.cancellations(1)
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
        await scheduler.arrivals(1)
        let download = try #require(scheduler.waiting.first)
        await scheduler.reaches(.high, of: download)
        task.priority = .veryLow
        await scheduler.reaches(.veryLow, of: download)
        try await scheduler.run(download)
        await scheduler.arrivals(2)
        try await scheduler.runNext()
        _ = try await task.image()
    }

    // MARK: Handlers

    private final class Cell: Sendable {
        let log: MessageLog<String>
        init(_ log: MessageLog<String>) { self.log = log }
    }

    /// Runs enqueued closures on demand.
    private final class ManualDelivery: Sendable {
        private let waiting = Watched<[@Sendable () -> Void]>([])
        var delivery: Delivery {
            Delivery { [waiting] body in waiting.change { $0.append(body) } }
        }

        var count: Int { waiting.value.count }

        func deliver() async {
            await waiting.reaches { !$0.isEmpty }
            let body = waiting.change { $0.isEmpty ? nil : $0.removeFirst() }
            body?()
        }
    }

    @Test("a finished task with an undelivered result delivers nothing after its release")
    func releasedBeforeDelivery() async throws {
        let request = fixture.request("a")
        _ = try await fixture.loader.image(for: request)
        let (cell, manual) = (Cell(log), ManualDelivery())
        var task: ImageTask? = fixture.loader.load(request, for: cell, on: manual.delivery) { cell, _ in
            cell.log.append("called")
        }
        #expect(manual.count == 1 && task != nil)
        task = nil
        await manual.deliver()
        #expect(log.messages.isEmpty)
    }

    @Test("a delivery is enqueued once for all new events")
    func handler() async throws {
        let (cell, manual) = (Cell(log), ManualDelivery())
        let task = fixture.loader.follow(heldRequest(), for: cell, on: manual.delivery) { cell, event in
            cell.log.append(self.text(event))
        }
        await gate.arrivals(1)
        gate.open()
        _ = try await task.image()
        #expect(log.messages.isEmpty)
        #expect(manual.count == 1)
        await manual.deliver()
        #expect(log.messages == ["\(LoaderFixture.image.count)", "network"])
    }

    @Test("a completion handler is not called for progress")
    func completionAlone() async throws {
        let (cell, manual) = (Cell(log), ManualDelivery())
        let task = fixture.loader.load(heldRequest(), for: cell, on: manual.delivery) { cell, _ in
            cell.log.append("end")
        }
        var iterator = task.events.makeAsyncIterator()
        #expect(await iterator.next().map(text) == "10")
        #expect(manual.count == 0)
        gate.open()
        _ = try await task.image()
        #expect(manual.count == 1)
        await manual.deliver()
        #expect(log.messages == ["end"])
    }

    @Test("undelivered events of a cancelled task are not delivered")
    func cancelledBeforeDelivery() async throws {
        let (cell, manual) = (Cell(log), ManualDelivery())
        let task = fixture.loader.load(fixture.request("a"), for: cell, on: manual.delivery) { cell, _ in
            cell.log.append("end")
        }
        _ = try await task.image()
        task.cancel()
        await manual.deliver()
        #expect(log.messages.isEmpty)
        #expect(try await task.image().source == .network)
    }

    @Test("by default, a handler is called on the main actor")
    func mainActor() async throws {
        let cell = Cell(log)
        let task = fixture.loader.load(fixture.request("a"), for: cell) { cell, result in
            MainActor.assertIsolated()
            cell.log.append((try? result.get()) == nil ? "failed" : "image")
        }
        await log.reaches(1)
        #expect(log.messages == ["image"])
        withExtendedLifetime(task) {}
    }

    @Test("a handler can be called on an actor")
    func actor() async throws {
        actor Receiver {
            let log: MessageLog<String>
            init(_ log: MessageLog<String>) { self.log = log }
            func load(_ request: ImageRequest, _ loader: ImageLoader) -> ImageTask {
                loader.load(request, for: self, on: .on(self)) { receiver, _ in
                    receiver.assumeIsolated { $0.log.append("here") }
                }
            }
        }
        let receiver = Receiver(log)
        let task = await receiver.load(fixture.request("a"), fixture.loader)
        await log.reaches(1)
        withExtendedLifetime(task) {}
    }

    @Test("releasing the owner of a task cancels its work at once, before anything is sent")
    func ownerReleased() async {
        final class Owner: Sendable {
            let task = Mutex<ImageTask?>(nil)
        }
        let scheduler = ManualScheduler()
        let fixture = LoaderFixture(scheduler: scheduler)
        let request = fixture.request("a")
        var owner: Owner? = Owner()
        if let owner {
            let task = fixture.loader.load(request, for: owner, on: .immediate) { [log] _, _ in log.append("called") }
            owner.task.withLock { $0 = task }
        }
        await scheduler.arrivals(1)
        owner = nil
        await scheduler.reachesCancellation()
        #expect(scheduler.waiting.isEmpty)
        #expect(fixture.transport.messages.isEmpty)
        #expect(log.messages.isEmpty)
    }

    @Test(
        "a task whose owner was released is cancelled at its next event", arguments: [true, false])
    func ownerReleasedTaskRetained(receivesAllEvents: Bool) async {
        let fixture = LoaderFixture.stepped()
        var cell: Cell? = Cell(log)
        let task = cell.map { cell in
            let request = heldRequest(of: fixture)
            if !receivesAllEvents {
                return fixture.loader.load(request, for: cell, on: .immediate) { $0.log.append("\($1)") }
            }
            return fixture.loader.follow(request, for: cell, on: .immediate) { cell, event in
                cell.log.append(self.text(event))
            }
        }
        fixture.run()
        cell = nil
        gate.open()
        fixture.run()
        #expect(fixture.imageCoalescer.isIdle)
        #expect(fixture.loader.statistics.cancelled.count == 1)
        #expect(log.messages == (receivesAllEvents ? ["10"] : []))
        if let task { #expect(await events(task).isEmpty) }
    }

    @Test("a task whose owner was released before its end never calls the handler")
    func ownerReleasedBeforeEnd() async {
        let fixture = LoaderFixture.stepped()
        var cell: Cell? = Cell(log)
        let task = cell.map { cell in
            let request = fixture.request("missing", then: .status(.notFound))
            return fixture.loader.load(request, for: cell, on: .immediate) { $0.log.append("\($1)") }
        }
        cell = nil
        fixture.run()
        #expect(fixture.loader.statistics.failed.count == 1 && log.messages.isEmpty)
        if let task { #expect(await events(task) == ["not found"]) }
    }

    @Test("a handler is released at the end, even if the task is retained")
    func handlerReleased() {
        final class Payload: Sendable {}
        let fixture = LoaderFixture.stepped()
        let cell = Cell(log)
        weak var payload: Payload?
        let task: ImageTask
        do {
            let held = Payload()
            payload = held
            task = fixture.loader.load(fixture.request("a"), for: cell, on: .immediate) { cell, _ in
                withExtendedLifetime(held) { cell.log.append("called") }
            }
        }
        fixture.run()
        #expect(log.messages == ["called"])
        #expect(payload == nil)
        withExtendedLifetime(task) {}
    }
}
