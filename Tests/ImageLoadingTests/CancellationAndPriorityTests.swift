import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageLoading
import ImageScheduling
import ImageTransporting
import Testing

@testable import ImageTesting

@Suite("Cancellation, priority and retry of the loader")
struct CancellationAndPriorityTests {
    @Test("the transport receives the priority of a request", arguments: [RequestPriority.low, .veryHigh])
    func sentPriority(_ priority: RequestPriority) async throws {
        let fixture = LoaderFixture()
        _ = try await fixture.loader.image(for: fixture.request("a") { $0.priority = priority })
        #expect(fixture.transport.requests.map(\.priority) == [priority])
    }

    @Test("downloading, decoding and processing have the priority of the request")
    func priorityOfEachStep() async throws {
        let scheduler = ManualScheduler()
        let fixture = LoaderFixture(scheduler: scheduler)
        let request = fixture.request("a") { ($0.priority, $0.processors) = (.high, [FakeProcessor("same") { $0 }]) }
        let task = Task { try await fixture.loader.image(for: request) }
        for count in 1...3 {
            await scheduler.waitForArrivals(count)
            try await scheduler.runNext()
        }
        _ = try await task.value
        let priorities = scheduler.messages.compactMap {
            if case .enqueued(_, _, let priority, _) = $0 { priority } else { nil }
        }
        #expect(priorities == [.high, .high, .high])
    }

    @Test("data follows the priority of its call in place of that of the request")
    func priorityOfData() async throws {
        let (fixture, gate, priority) = (LoaderFixture(), TestGate(), LivePriority(.low))
        let reply = ScriptedTransport.Reply(body: [.wait(gate), .piece(LoaderTestBed.file(width: 4))])
        let request = fixture.request("a", first: reply) { $0.priority = .veryHigh }
        let task = Task { try await fixture.loader.data(for: request, following: priority) { _ in } }
        await gate.waitForArrivals(1)
        let sent = try #require(fixture.transport.requests.last?.livePriority)
        #expect(sent.value == .low)
        priority.value = .high
        #expect(sent.value == .high)
        gate.open()
        _ = try await task.value
    }

    @Test("a transport that has begun learns of a raised priority")
    func raisedPriority() async throws {
        let (fixture, gate) = (LoaderFixture(), TestGate())
        let reply = ScriptedTransport.Reply(body: [.wait(gate), .piece(LoaderTestBed.file(width: 4))])
        let task = fixture.loader.task(for: fixture.request("a", first: reply) { $0.priority = .low })
        await gate.waitForArrivals(1)
        let priority = try #require(fixture.transport.requests.last?.livePriority)
        #expect(priority.value == .low)
        task.priority = .veryHigh
        #expect(priority.value == .veryHigh)
        gate.open()
        _ = try await task.image
    }

    @Test(
        "downloads are limited by server: scheme, host and port",
        arguments: [
            ("http://h/a", "http://h:80"), ("http://H:80/a", "http://h:80"), ("http://h:81/a", "http://h:81"),
            ("https://h/a", "https://h:443"), ("https://[::1]:8443/a", "https://::1:8443"),
        ])
    func server(url: String, server: String) async throws {
        let scheduler = ManualScheduler()
        let fixture = LoaderFixture(scheduler: scheduler)
        let request = ImageRequest(url: try #require(URL(string: url)))
        let task = Task { try await fixture.loader.image(for: request) }
        await scheduler.waitForArrivals(1)
        let servers = scheduler.messages.compactMap {
            if case .enqueued(_, .download, _, let server) = $0 { server } else { nil }
        }
        #expect(servers == [server])
        task.cancel()
        _ = await task.result
    }

    @Test("a request cancelled while its download waits for a slot is never sent")
    func cancelledWhileQueued() async throws {
        let scheduler = ManualScheduler()
        let fixture = LoaderFixture(scheduler: scheduler)
        let request = fixture.request("a")
        let task = Task { try await fixture.loader.image(for: request) }
        await scheduler.waitForArrivals(1)
        task.cancel()
        await #expect(throws: ImageError.cancelled) { try await task.value }
        #expect(fixture.observer.kinds().last == .cancelled)
        await scheduler.reachesCancellation()
        #expect(scheduler.waiting.isEmpty)
        #expect(fixture.transport.messages.isEmpty)
    }

    @Test("a request cancelled while its decode waits for a slot is never decoded, but its bytes are stored")
    func cancelledBeforeDecode() async throws {
        let scheduler = ManualScheduler()
        let fixture = LoaderFixture(scheduler: scheduler)
        let request = fixture.request("a")
        let task = Task { try await fixture.loader.image(for: request) }
        await scheduler.waitForArrivals(1)
        try await scheduler.runNext()
        await scheduler.waitForArrivals(2)
        task.cancel()
        await #expect(throws: ImageError.self) { try await task.value }
        await scheduler.reachesCancellation()
        #expect(scheduler.waiting.isEmpty)
        #expect(fixture.decoder.messages.isEmpty)
        #expect(fixture.storedOriginals.count == 1)
    }

    @Test("the priority of download and decode is the highest of the requests'")
    func priority() async throws {
        let scheduler = ManualScheduler()
        let fixture = LoaderFixture(scheduler: scheduler)
        let low = fixture.request("a") { $0.priority = .low }
        let high = fixture.request("a") { $0.priority = .veryHigh }
        let first = Task { try await fixture.loader.image(for: low) }
        await scheduler.waitForArrivals(1)
        let download = try #require(scheduler.waiting.first)
        let second = Task { try await fixture.loader.image(for: high) }
        await scheduler.reaches(.veryHigh, of: download)
        second.cancel()
        await scheduler.reaches(.low, of: download)
        try await scheduler.run(download)
        await scheduler.waitForArrivals(2)
        try await scheduler.runNext()
        #expect(try await first.value.source == .network)
        let lanes = scheduler.messages.compactMap { message -> String? in
            guard case .enqueued(_, let lane, let priority, let server) = message else { return nil }
            return "\(lane.rawValue) \(priority) \(server ?? "-")"
        }
        #expect(lanes == ["download low http://images.example:80", "decode low -"])
    }

    @Test("a retry waits for the policy's delay without occupying a slot")
    func retry() async throws {
        let scheduler = PriorityScheduler(lanes: [.download: LaneOptions(limit: 1)])
        let fixture = LoaderFixture(scheduler: scheduler, retries: 2)
        let request = fixture.request("a", first: .failure(.connectionFailed("refused")))
        let task = Task { try await fixture.loader.data(for: request) }
        await fixture.clock.waitForSleepers(1)
        #expect(try await fixture.loader.data(for: fixture.request("b")).source == .network)
        fixture.clock.advance(by: .milliseconds(999))
        #expect(fixture.transport.sendCount == 2)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await task.value.source == .network)
        #expect(fixture.transport.sendCount == 3)
    }

    @Test("a waiting retry is cancelled with its request")
    func cancelledRetry() async {
        let fixture = LoaderFixture(retries: 2)
        let request = fixture.request("a", then: .failure(.connectionFailed("refused")))
        let task = Task { try await fixture.loader.data(for: request) }
        await fixture.clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: ImageError.cancelled) { try await task.value }
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("a request in a cancelled task receives no image, even if it is in memory")
    func cancelledWithAnAnswer() async throws {
        let fixture = LoaderFixture()
        let request = fixture.request("a")
        _ = try await fixture.loader.image(for: request)
        let executor = SeededExecutor(seed: 1)
        let task = Task(executorPreference: executor) { try await fixture.loader.image(for: request) }
        task.cancel()
        executor.run()
        await #expect(throws: ImageError.self) { try await task.value }
        #expect(fixture.observer.kinds().last == .cancelled)
    }
}
