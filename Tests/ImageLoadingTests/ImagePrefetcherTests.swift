import HTTPTypes
import ImageCore
import ImageLoading
import ImageScheduling
import ImageTesting
import Testing

@Suite("The prefetcher", .timeLimit(.minutes(10)))
struct ImagePrefetcherTests {
    // MARK: Turns

    @Test("of ten thousand only so many are under way, and the rest costs no task")
    func bound() {
        let stage = SteppedLoader(downloads: 0)
        let prefetcher = ImagePrefetcher(loader: stage.loader, limit: 5)
        prefetcher.start(stage.requests((0..<10_000).map(String.init)))
        #expect(prefetcher.count == 10_000)
        #expect(stage.executor.readyCount == 5)
        stage.executor.run()
        #expect(stage.waiterCount == 5)
        prefetcher.stop()
        stage.executor.run()
        #expect(prefetcher.count == 0)
        #expect(stage.fixture.observer.kinds().count { $0 == .started } == 5)
    }

    @Test("at each moment at most so many are under way, and all come to their turn", arguments: UInt64(1)...5)
    func boundAtEachStep(seed: UInt64) {
        let stage = SteppedLoader(seed: seed)
        let prefetcher = ImagePrefetcher(loader: stage.loader, limit: 3)
        let gates = (0..<40).map { _ in Gate() }
        let picture = LoaderFixture.picture
        let requests = gates.enumerated().map { number, gate in
            stage.fixture.request(
                "\(number)",
                then: ScriptedTransport.Reply(announcedBytes: picture.count, body: [.wait(gate), .piece(picture)]))
        }
        prefetcher.start(requests)
        var most = 0
        for gate in gates {
            while stage.executor.step() { most = max(most, stage.waiterCount) }
            gate.open()
        }
        stage.executor.run()
        #expect(most == 3)
        #expect(prefetcher.count == 0)
        #expect(requests.allSatisfy { stage.loader.cachedImage(for: $0) != nil })
    }

    @Test("started and stopped again and again, there are never more tasks than may be under way")
    func boundOverStops() {
        let stage = SteppedLoader()
        let prefetcher = ImagePrefetcher(loader: stage.loader, limit: 2)
        let requests = stage.requests((0..<100).map(String.init))
        for request in requests {
            prefetcher.start([request])
            prefetcher.stop([request])
        }
        #expect(stage.executor.readyCount == 2)
        prefetcher.start(requests.suffix(1))
        stage.executor.run()
        #expect(stage.sent == ["99"])
    }

    @Test("first come, first served; one that fails frees its place")
    func order() {
        let stage = SteppedLoader()
        let prefetcher = ImagePrefetcher(loader: stage.loader, limit: 1)
        let failing = stage.fixture.request("b", then: .status(.notFound))
        prefetcher.start(stage.requests(["a"]) + [failing] + stage.requests(["c"]))
        prefetcher.start(stage.requests(["a", "d"]))
        stage.executor.run()
        #expect(stage.sent == ["a", "b", "c", "d"])
        #expect(prefetcher.count == 0)
    }

    @Test("what is on its way, or waits for its turn, is not started once more")
    func duplicates() {
        let stage = SteppedLoader(downloads: 0)
        let prefetcher = ImagePrefetcher(loader: stage.loader, limit: 2)
        let requests = stage.requests(["a", "b", "c"])
        prefetcher.start(requests + requests)
        stage.executor.run()
        prefetcher.start(requests)
        #expect(prefetcher.count == 3)
        stage.scheduler.setLimit(6, of: .download)
        stage.executor.run()
        #expect(Set(stage.sent) == ["a", "b", "c"] && stage.sent.count == 3)
        #expect(stage.fixture.observer.kinds().count { $0 == .started } == 3)
    }

    @Test("a pause lets nothing come to its turn, and what is under way goes on")
    func pause() {
        let stage = SteppedLoader()
        let prefetcher = ImagePrefetcher(loader: stage.loader, limit: 1)
        prefetcher.start(stage.requests(["a", "b"]))
        prefetcher.isPaused = true
        prefetcher.start(stage.requests(["c"]))
        stage.executor.run()
        #expect(prefetcher.isPaused)
        #expect(stage.sent == ["a"])
        #expect(prefetcher.count == 2)
        prefetcher.isPaused = false
        stage.executor.run()
        #expect(stage.sent == ["a", "b", "c"])
    }

    // MARK: Stopping and taking over

    @Test("stop reaches what has not come to its turn, and what runs")
    func stop() {
        let stage = SteppedLoader(downloads: 1)
        let gate = Gate()
        let prefetcher = ImagePrefetcher(loader: stage.loader, limit: 2)
        let running = stage.fixture.request("running", then: ScriptedTransport.Reply(body: [.wait(gate)]))
        let rest = stage.requests(["queued", "waiting", "wanted"])
        prefetcher.start([running])
        stage.executor.run()
        prefetcher.start(rest)
        stage.executor.run()
        prefetcher.stop([running, rest[0], rest[1]])
        #expect(prefetcher.count == 1)
        stage.executor.run()
        #expect(stage.sent == ["running", "wanted"])
        #expect(stage.fixture.transport.cancellationCount == 1)
        gate.open()
    }

    @Test("a prefetch is low; a real request takes it over at its own priority and keeps it when all prefetches stop")
    func takingOver() async throws {
        let stage = SteppedLoader(downloads: 0)
        let prefetcher = ImagePrefetcher(loader: stage.loader)
        let ahead = stage.requests(["a", "b", "c"]) { $0.priority = .veryHigh }
        prefetcher.start(ahead)
        stage.executor.run()
        let other = stage.load(stage.fixture.request("real") { $0.priority = .normal })
        let wanted = stage.load(stage.fixture.request("c") { $0.priority = .high })
        stage.executor.run()
        stage.scheduler.setLimit(1, of: .download)
        prefetcher.stop()
        stage.executor.run()
        #expect(stage.sent == ["c", "real"])
        #expect(try await wanted.value.source == .network)
        #expect(try await other.value.source == .network)
    }

    @Test("a prefetcher that goes away stops what it started")
    func gone() {
        let stage = SteppedLoader()
        let gate = Gate()
        do {
            let prefetcher = ImagePrefetcher(loader: stage.loader, limit: 1)
            prefetcher.start([stage.fixture.request("a", then: ScriptedTransport.Reply(body: [.wait(gate)]))])
            prefetcher.start(stage.requests(["b"]))
            stage.executor.run()
        }
        stage.executor.run()
        #expect(stage.fixture.transport.cancellationCount == 1)
        #expect(stage.sent == ["a"])
        gate.open()
    }

    @Test("a prefetch that reloads is not taken for one that does not")
    func reload() {
        let stage = SteppedLoader()
        let prefetcher = ImagePrefetcher(loader: stage.loader)
        let plain = stage.fixture.request("a")
        let reload = stage.fixture.request("a") { $0.mode = .reload }
        prefetcher.start([plain])
        prefetcher.start([reload, plain])
        #expect(prefetcher.count == 2)
        prefetcher.stop([plain])
        #expect(prefetcher.count == 1)
        stage.executor.run()
        #expect(stage.sent == ["a"])
    }

    @Test("a prefetcher holds no lock while it asks a step for its name")
    func asksUnlocked() {
        let stage = SteppedLoader()
        let prefetcher = ImagePrefetcher(loader: stage.loader)
        let request = stage.fixture.request("a") { $0.processors = [CallingBack(call: { _ = prefetcher.count })] }
        prefetcher.start([request])
        prefetcher.stop([request])
        #expect(prefetcher.count == 0)
    }

    // MARK: The end

    @Test("whoever waits for the end is told when what was started by then has arrived, failed or been stopped")
    func finished() async {
        let stage = SteppedLoader(downloads: 0)
        let prefetcher = ImagePrefetcher(loader: stage.loader, limit: 2)
        let gate = Gate()
        let later = stage.fixture.request("later", then: ScriptedTransport.Reply(body: [.wait(gate)]))
        let requests = stage.requests(["a", "b", "c"])
        await prefetcher.finished()
        prefetcher.start(requests)
        let isOver = Watched(false)
        let waiting = Task(executorPreference: stage.executor) {
            await prefetcher.finished()
            isOver.change { $0 = true }
        }
        stage.executor.run()
        prefetcher.start([later])
        prefetcher.stop([requests[0], requests[2]])
        stage.executor.run()
        #expect(!isOver.value)
        stage.scheduler.setLimit(1, of: .download)
        while !isOver.value, stage.executor.step() {}
        #expect(isOver.value)
        #expect(prefetcher.count == 1)
        await waiting.value
        gate.open()
    }

    @Test("many tasks may start, stop and pause at once: what is left at the end comes to its end")
    func concurrency() async {
        let fixture = LoaderFixture()
        let prefetcher = ImagePrefetcher(loader: fixture.loader, limit: 3)
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
        await prefetcher.finished()
        #expect(prefetcher.count == 0)
        #expect(requests.allSatisfy { fixture.loader.cachedImage(for: $0) != nil })
    }

    @Test("whoever waits for the end, and is cancelled, waits no more")
    func finishedCancelled() async {
        let stage = SteppedLoader(downloads: 0)
        let prefetcher = ImagePrefetcher(loader: stage.loader)
        prefetcher.start(stage.requests(["a"]))
        for cancelsBefore in [true, false] {
            let waiting = Task(executorPreference: stage.executor) { await prefetcher.finished() }
            if cancelsBefore { waiting.cancel() }
            stage.executor.run()
            waiting.cancel()
            stage.executor.run()
            await waiting.value
        }
        #expect(prefetcher.count == 1)
    }
}

/// A step that calls somebody while it is asked for its name.
private struct CallingBack: ImageProcessor {
    var call: @Sendable () -> Void

    var identifier: String {
        call()
        return "calling back"
    }

    func process(_ bitmap: Bitmap) -> Bitmap { bitmap }
}
