import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageScheduling
import ImageTesting
import Testing

@testable import ImageLoading

@Suite("ImagePrefetcher", .timeLimit(.minutes(10)))
struct ImagePrefetcherTests {
    @Test("at least one request runs at a time")
    func leastConcurrency() async {
        let fixture = LoaderFixture()
        let prefetcher = ImagePrefetcher(loader: fixture.loader, maxConcurrentRequests: 0)
        prefetcher.start([fixture.request("a")])
        #expect(prefetcher.taskCount == 1)
        await prefetcher.waitUntilFinished()
    }

    // MARK: Concurrency limit

    @Test("of ten thousand requests, only a limited number run, and the rest have no tasks")
    func bound() {
        let fixture = LoaderFixture.stepped(downloads: 0)
        let prefetcher = ImagePrefetcher(loader: fixture.loader, maxConcurrentRequests: 5)
        prefetcher.start(fixture.requests((0..<10_000).map(String.init)))
        #expect(prefetcher.count == 10_000)
        #expect(fixture.executor?.readyCount == 5)
        fixture.run()
        #expect(fixture.coalescer.callerCount == 10)
        prefetcher.stop()
        fixture.run()
        #expect(prefetcher.count == 0)
        #expect(fixture.observer.kinds().count { $0 == .started } == 5)
    }

    @Test("the number of concurrent requests is limited, and all are started eventually", arguments: UInt64(1)...5)
    func boundAtEachStep(seed: UInt64) {
        let fixture = LoaderFixture.stepped(SeededExecutor(seed: seed))
        let prefetcher = ImagePrefetcher(loader: fixture.loader, maxConcurrentRequests: 3)
        let gates = (0..<40).map { _ in TestGate() }
        let image = LoaderFixture.image
        let requests = gates.enumerated().map { number, gate in
            fixture.request(
                "\(number)",
                then: ScriptedTransport.Reply(announcedByteCount: image.count, body: [.wait(gate), .piece(image)]))
        }
        prefetcher.start(requests)
        var most = 0
        for gate in gates {
            while fixture.executor?.step() == true { most = max(most, fixture.coalescer.callerCount) }
            gate.open()
        }
        fixture.run()
        #expect(most == 6)
        #expect(prefetcher.count == 0)
        #expect(requests.allSatisfy { fixture.loader.cachedImage(for: $0) != nil })
    }

    @Test("repeated starts and stops never exceed the limit of tasks")
    func boundOverStops() {
        let fixture = LoaderFixture.stepped()
        let prefetcher = ImagePrefetcher(loader: fixture.loader, maxConcurrentRequests: 2)
        let requests = fixture.requests((0..<100).map(String.init))
        for request in requests {
            prefetcher.start([request])
            prefetcher.stop([request])
        }
        #expect(fixture.executor?.readyCount == 2)
        prefetcher.start(requests.suffix(1))
        fixture.run()
        #expect(fixture.sent == ["99"])
    }

    @Test("who waits for the end is told when all requests are stopped")
    func waitsForStop() {
        let (fixture, log) = (LoaderFixture.stepped(downloads: 0), MessageLog<String>())
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        prefetcher.start(fixture.requests(["a"]))
        _ = fixture.start {
            await prefetcher.waitUntilFinished()
            log.append("finished")
        }
        fixture.run()
        prefetcher.stop()
        fixture.run()
        #expect(log.messages == ["finished"])
    }

    @Test("requests run in order of arrival, and a failure frees its slot")
    func order() {
        let fixture = LoaderFixture.stepped()
        let prefetcher = ImagePrefetcher(loader: fixture.loader, maxConcurrentRequests: 1)
        let failing = fixture.request("b", then: .status(.notFound))
        prefetcher.start(fixture.requests(["a"]) + [failing] + fixture.requests(["c"]))
        prefetcher.start(fixture.requests(["a", "d"]))
        fixture.run()
        #expect(fixture.sent == ["a", "b", "c", "d"])
        #expect(prefetcher.count == 0)
    }

    @Test("a running or waiting request is not started again")
    func duplicates() {
        let fixture = LoaderFixture.stepped(downloads: 0)
        let prefetcher = ImagePrefetcher(loader: fixture.loader, maxConcurrentRequests: 2)
        let requests = fixture.requests(["a", "b", "c"])
        prefetcher.start(requests + requests)
        fixture.run()
        prefetcher.start(requests)
        #expect(prefetcher.count == 3)
        fixture.limitDownloads(to: 6)
        fixture.run()
        #expect(Set(fixture.sent) == ["a", "b", "c"] && fixture.sent.count == 3)
        #expect(fixture.observer.kinds().count { $0 == .started } == 3)
    }

    @Test("while paused, nothing starts, and running requests continue")
    func pause() {
        let fixture = LoaderFixture.stepped()
        let prefetcher = ImagePrefetcher(loader: fixture.loader, maxConcurrentRequests: 1)
        prefetcher.start(fixture.requests(["a", "b"]))
        prefetcher.isPaused = true
        prefetcher.start(fixture.requests(["c"]))
        fixture.run()
        #expect(prefetcher.isPaused)
        #expect(fixture.sent == ["a"])
        #expect(prefetcher.count == 2)
        prefetcher.isPaused = false
        fixture.run()
        #expect(fixture.sent == ["a", "b", "c"])
    }

    // MARK: Stopping and sharing

    @Test("stop cancels waiting and running requests")
    func stop() {
        let fixture = LoaderFixture.stepped(downloads: 1)
        let gate = TestGate()
        let prefetcher = ImagePrefetcher(loader: fixture.loader, maxConcurrentRequests: 2)
        let running = fixture.request("running", then: ScriptedTransport.Reply(body: [.wait(gate)]))
        let rest = fixture.requests(["queued", "waiting", "wanted"])
        prefetcher.start([running])
        fixture.run()
        prefetcher.start(rest)
        fixture.run()
        prefetcher.stop([running, rest[0], rest[1]])
        #expect(prefetcher.count == 1)
        fixture.run()
        #expect(fixture.sent == ["running", "wanted"])
        #expect(fixture.transport.cancellationCount == 1)
        gate.open()
    }

    @Test("a request joins a low-priority prefetch at its own priority, and continues when all prefetches stop")
    func joiningPrefetch() async throws {
        let fixture = LoaderFixture.stepped(downloads: 0)
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        let ahead = fixture.requests(["a", "b", "c"]) { $0.priority = .veryHigh }
        prefetcher.start(ahead)
        fixture.run()
        let (real, shared) = (fixture.request("real"), fixture.request("c") { $0.priority = .high })
        let other = fixture.start { try await fixture.loader.image(for: real) }
        let wanted = fixture.start { try await fixture.loader.image(for: shared) }
        fixture.run()
        fixture.limitDownloads(to: 1)
        prefetcher.stop()
        fixture.run()
        #expect(fixture.sent == ["c", "real"])
        #expect(try await wanted.value.source == .network)
        #expect(try await other.value.source == .network)
    }

    @Test("a released prefetcher stops its requests")
    func released() {
        let fixture = LoaderFixture.stepped()
        let gate = TestGate()
        do {
            let prefetcher = ImagePrefetcher(loader: fixture.loader, maxConcurrentRequests: 1)
            prefetcher.start([fixture.request("a", then: ScriptedTransport.Reply(body: [.wait(gate)]))])
            prefetcher.start(fixture.requests(["b"]))
            fixture.run()
        }
        fixture.run()
        #expect(fixture.transport.cancellationCount == 1)
        #expect(fixture.sent == ["a"])
        gate.open()
    }

    @Test("a prefetch that reloads is distinct from one that does not")
    func reload() {
        let fixture = LoaderFixture.stepped()
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        let plain = fixture.request("a")
        let reload = fixture.request("a") { $0.mode = .reload }
        prefetcher.start([plain])
        prefetcher.start([reload, plain])
        #expect(prefetcher.count == 2)
        prefetcher.stop([plain])
        #expect(prefetcher.count == 1)
        fixture.run()
        #expect(fixture.sent == ["a"])
    }

    @Test("a prefetcher holds no lock while it reads a processor's identifier")
    func readsIdentifierWithoutLock() {
        let fixture = LoaderFixture.stepped()
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        let request = fixture.request("a") { $0.processors = [CallingBack(call: { _ = prefetcher.count })] }
        prefetcher.start([request])
        prefetcher.stop([request])
        #expect(prefetcher.count == 0)
    }

    // MARK: Ending

    @Test("finished() returns when all requests have completed, failed or stopped")
    func finished() async {
        let fixture = LoaderFixture.stepped(downloads: 0)
        let prefetcher = ImagePrefetcher(loader: fixture.loader, maxConcurrentRequests: 2)
        let failing = fixture.request("failing", then: .status(.notFound))
        let requests = fixture.requests(["a", "b"]) + [failing]
        await prefetcher.waitUntilFinished()
        prefetcher.start(requests)
        let isOver = Watched(false)
        let waiting = Task(executorPreference: fixture.executor) {
            await prefetcher.waitUntilFinished()
            isOver.change { $0 = true }
        }
        fixture.run()
        prefetcher.stop([requests[0]])
        fixture.run()
        #expect(!isOver.value)
        fixture.limitDownloads(to: 1)
        fixture.run()
        #expect(isOver.value && prefetcher.count == 0)
        await waiting.value
    }

    @Test("concurrent starts, stops and pauses are safe, and all remaining requests end")
    func concurrency() async {
        let fixture = LoaderFixture()
        let prefetcher = ImagePrefetcher(loader: fixture.loader, maxConcurrentRequests: 3)
        let requests = (0..<20).map { fixture.request("\($0)") }
        await withTaskGroup { group in
            for seed in UInt64(1)...8 {
                group.addTask {
                    var random = SeededRandom(seed: seed)
                    for round in 0..<50 {
                        prefetcher.start(Array(requests.shuffled(using: &random).prefix(6)))
                        prefetcher.isPaused = round.isMultiple(of: 3)
                        prefetcher.stop(Array(requests.shuffled(using: &random).prefix(3)))
                        if round.isMultiple(of: 17) { prefetcher.stop() }
                    }
                }
            }
        }
        prefetcher.isPaused = false
        prefetcher.start(requests)
        await prefetcher.waitUntilFinished()
        #expect(prefetcher.count == 0 && prefetcher.taskCount == 0)
        #expect(requests.allSatisfy { fixture.loader.cachedImage(for: $0) != nil })
    }

    @Test("cancellation ends finished()")
    func finishedCancelled() async {
        let fixture = LoaderFixture.stepped(downloads: 0)
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        prefetcher.start(fixture.requests(["a"]))
        for cancelsBefore in [true, false] {
            let waiting = Task(executorPreference: fixture.executor) { await prefetcher.waitUntilFinished() }
            if cancelsBefore { waiting.cancel() }
            fixture.run()
            waiting.cancel()
            fixture.run()
            await waiting.value
        }
        #expect(prefetcher.count == 1)
    }
}

/// A processor that calls a closure while its identifier is read.
private struct CallingBack: ImageProcessor {
    var call: @Sendable () -> Void

    var identifier: String {
        call()
        return "calling back"
    }

    func process(_ bitmap: Bitmap) -> Bitmap { bitmap }
}
