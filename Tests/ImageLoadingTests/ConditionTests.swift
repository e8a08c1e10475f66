import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageTransporting
import Testing

@testable import ImageLoading
@testable import ImageTesting

@Suite("Downloads under memory pressure, in the background and without a network", .timeLimit(.minutes(10)))
struct ConditionTests {
    private let pressure = SettableConditionMonitor(MemoryPressureLevel.normal)
    private let application = SettableConditionMonitor(ApplicationState.foreground)
    private let network = SettableConditionMonitor(Connectivity.online)
    private let gate = TestGate()

    private func fixture(retries: Int = 0, downloads: Int = 6, maxNetworkWait: Duration? = nil) -> LoaderFixture {
        .stepped(retries: retries, downloads: downloads) {
            $0.memoryPressureMonitor = pressure
            $0.applicationStateMonitor = application
            $0.connectivityMonitor = network
            $0.transport = $0.transport.adding(DataURLTransport(), forScheme: "data")
            $0.maxNetworkWait = maxNetworkWait
        }
    }

    /// Returns a request whose first transfer blocks at the gate, and whose next one completes.
    private func heldOnce(_ name: String, _ priority: RequestPriority, _ fixture: LoaderFixture) -> ImageRequest {
        fixture.request(name, first: ScriptedTransport.Reply(body: [.wait(gate)])) { $0.priority = priority }
    }

    /// Returns a request whose first transfer fails without a network, and whose next one completes.
    private func failingOnce(
        _ name: String, _ priority: RequestPriority, _ fixture: LoaderFixture, _ failure: TransportError? = nil
    ) -> ImageRequest {
        fixture.request(name, first: .failure(failure ?? .unresolvedHost(name))) { $0.priority = priority }
    }

    private func end(of task: ImageTask, _ fixture: LoaderFixture, line: UInt = #line) async -> String {
        fixture.run()
        let limit = WaitGuard.start(#fileID, line) { "\(fixture.observer.kinds())" }
        defer { limit.cancel() }
        do throws(ImageError) {
            return "\(try await task.image.source)"
        } catch {
            return "\(error)"
        }
    }

    // MARK: Low priority

    @Test(
        "a low-priority download is interrupted without an error, and starts again when it is allowed",
        arguments: [true, false])
    func interrupted(_ byMemory: Bool) async {
        let fixture = fixture()
        let task = fixture.loader.task(for: heldOnce("a", .low, fixture))
        fixture.run()
        if byMemory { pressure.condition = .warning } else { application.condition = .background }
        fixture.run()
        #expect(fixture.transport.cancellationCount == 1 && fixture.transport.sendCount == 1)
        #expect(fixture.observer.kinds().last == .deferred)
        #expect(fixture.coalescer.callerCount == 2)
        if byMemory { pressure.condition = .normal } else { application.condition = .foreground }
        #expect(await end(of: task, fixture) == "network")
        #expect(fixture.transport.sendCount == 2)
    }

    @Test("a change that still allows a download doesn't interrupt it")
    func allowedChanges() {
        let fixture = fixture()
        let task = fixture.loader.task(for: heldOnce("a", .low, fixture))
        fixture.run()
        network.condition = .offline
        network.condition = .online
        fixture.run()
        #expect(fixture.transport.cancellationCount == 0)
        withExtendedLifetime(task) {}
    }

    @Test("an interrupted download uses what has been stored meanwhile, as nothing has failed")
    func storedMeanwhile() async {
        let fixture = fixture()
        let request = heldOnce("a", .low, fixture)
        let task = fixture.loader.task(for: request)
        fixture.run()
        let storing = fixture.start { await fixture.loader.cacheData(LoaderFixture.image, for: request) }
        fixture.run()
        pressure.condition = .warning
        fixture.run()
        #expect(fixture.observer.kinds().last == .succeeded(.disk))
        withExtendedLifetime((task, storing)) {}
    }

    @Test("a new low-priority download is not sent under pressure until its priority is raised")
    func raised() async {
        let fixture = fixture()
        pressure.condition = .critical
        let task = fixture.loader.task(for: fixture.request("a") { $0.priority = .low })
        fixture.run()
        #expect(fixture.transport.messages.isEmpty)
        task.priority = .normal
        #expect(await end(of: task, fixture) == "network")
    }

    @Test("a low-priority download that waits for a slot when memory becomes short is not sent")
    func shortWhileQueued() async {
        let fixture = fixture()
        fixture.limitDownloads(to: 0)
        let task = fixture.loader.task(for: fixture.request("a") { $0.priority = .low })
        fixture.run()
        pressure.condition = .critical
        fixture.limitDownloads(to: 1)
        fixture.run()
        #expect(fixture.transport.messages.isEmpty)
        pressure.condition = .normal
        #expect(await end(of: task, fixture) == "network")
    }

    @Test("normal downloads and cached images are not affected")
    func normal() async throws {
        let fixture = fixture()
        let task = fixture.loader.task(for: heldOnce("a", .normal, fixture))
        fixture.run()
        pressure.condition = .critical
        application.condition = .background
        fixture.run()
        #expect(fixture.transport.cancellationCount == 0)
        let url = try #require(URL(string: "data:;base64,\(LoaderFixture.image.base64EncodedString())"))
        let local = ImageRequest(url: url, priority: .veryLow)
        #expect(await end(of: fixture.loader.task(for: local), fixture) == "local")
        gate.open()
        withExtendedLifetime(task) {}
    }

    @Test("when the network returns, the gate opens by priority, and in the order of arrival within one priority")
    func orderOfOpening() {
        let (gate, executor, log) = (DownloadGate(), QueueExecutor(), MessageLog<Int>())
        gate.changeConditions { $0.connectivity = .offline }
        let priorities: [RequestPriority] = [.low, .normal, .veryHigh, .normal, .veryLow, .high]
        for (number, priority) in priorities.enumerated() {
            Task(executorPreference: executor) {
                _ = try await gate.waitForNetwork(LivePriority(priority), atMost: nil, ManualClock()) {}
                log.append(number)
            }
        }
        executor.run()
        gate.changeConditions { $0.connectivity = .online }
        executor.run()
        #expect(log.messages == [2, 5, 1, 3, 0, 4])
    }

    @Test("a download that is cancelled at the gate leaves nothing there")
    func cancelledAtGate() async {
        let (gate, executor) = (DownloadGate(), QueueExecutor())
        gate.changeConditions { $0.pressure = .critical }
        weak var priority: LivePriority?
        do {
            let waiting = LivePriority(.low)
            priority = waiting
            let task = Task(executorPreference: executor) { try await gate.waitUntilOpen(waiting) {} }
            executor.run()
            task.cancel()
            executor.run()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(priority == nil)
    }

    @Test("a download that has ended leaves nothing at the gate", arguments: [false, true])
    func endedAtGate(fails: Bool) async {
        let gate = DownloadGate()
        weak var priority: LivePriority?
        do {
            let running = LivePriority(.low)
            priority = running
            let result = try? await gate.run(running) { if fails { throw ImageError.offline } else { 7 } }
            #expect(result == (fails ? nil : 7))
        }
        #expect(priority == nil)
    }

    @Test("a deferred download is cancelled with its request")
    func cancelledWhileDeferred() async {
        let fixture = fixture()
        application.condition = .background
        let task = fixture.loader.task(for: fixture.request("a") { $0.priority = .low })
        fixture.run()
        task.cancel()
        fixture.run()
        #expect(fixture.coalescer.isIdle)
        application.condition = .foreground
        fixture.run()
        #expect(fixture.transport.messages.isEmpty)
    }

    @Test("the conditions when the loader is created apply, and each monitor alone is enough")
    func initialConditions() {
        application.condition = .background
        pressure.condition = .warning
        let fixtures = [
            fixture(), LoaderFixture.stepped { $0.applicationStateMonitor = application },
            LoaderFixture.stepped { $0.memoryPressureMonitor = pressure },
        ]
        for fixture in fixtures {
            let task = fixture.loader.task(for: fixture.request("a") { $0.priority = .low })
            fixture.run()
            #expect(fixture.transport.messages.isEmpty)
            withExtendedLifetime(task) {}
        }
    }

    // MARK: Network

    @Test("a request that fails without a network waits without a slot, and completes with the network")
    func networkReturns() async {
        let fixture = fixture(downloads: 1)
        network.condition = .offline
        let failures = [nil, nil, TransportError.serverUnavailable("it failed too often")]
        let tasks = zip(["a", "b", "c"], failures).map { name, failure in
            fixture.loader.task(for: failingOnce(name, .normal, fixture, failure))
        }
        fixture.run()
        #expect(fixture.transport.sendCount == 3)
        #expect(fixture.observer.kinds().filter { $0 == .waitingForNetwork }.count == 3)
        network.condition = .online
        for task in tasks { #expect(await end(of: task, fixture) == "network") }
        #expect(fixture.transport.sendCount == 6)
    }

    @Test("with the network, the request with the highest current priority starts first")
    func priorities() async {
        let fixture = fixture(downloads: 1)
        network.condition = .offline
        let tasks = ["a", "b", "c"].map { fixture.loader.task(for: failingOnce($0, .normal, fixture)) }
        fixture.run()
        tasks[2].priority = .veryHigh
        tasks[0].priority = .veryLow
        let blocker = fixture.loader.task(for: heldOnce("blocker", .normal, fixture))
        fixture.run()
        network.condition = .online
        fixture.run()
        let before = fixture.transport.requests.count
        blocker.cancel()
        fixture.run()
        #expect(fixture.transport.requests.dropFirst(before).map(\.url.lastPathComponent) == ["c", "b", "a"])
    }

    @Test("waiting for the network ends if the request is cancelled or the loader is shut down")
    func cancelledWhileWaiting() async {
        let fixture = fixture()
        network.condition = .offline
        let cancelled = fixture.loader.task(for: failingOnce("a", .normal, fixture))
        let stopped = fixture.loader.task(for: failingOnce("b", .normal, fixture))
        fixture.run()
        cancelled.cancel()
        fixture.loader.shutDown()
        #expect(await end(of: stopped, fixture) == "\(ImageError.shutDown)")
        network.condition = .online
        fixture.run()
        #expect(fixture.transport.sendCount == 2 && fixture.coalescer.isIdle)
    }

    @Test("retries, delays and host failures before and during the outage don't count")
    func freshStart() async {
        let fixture = fixture(retries: 1)
        let replies = Array(repeating: ScriptedTransport.Reply.failure(.connectionFailed("no route")), count: 13)
        let task = fixture.loader.task(for: fixture.request("a", first: replies[0]))
        fixture.transport.script(fixture.request("a").address, replies + [.ok(LoaderFixture.image)])
        fixture.run()
        network.condition = .offline
        fixture.clock.advance(by: .seconds(1))
        for _ in 0..<10 {
            fixture.run()
            fixture.clock.advance(by: .seconds(100))
            network.condition = .online
            network.condition = .offline
        }
        fixture.run()
        network.condition = .online
        fixture.run()
        fixture.clock.advance(by: .seconds(1))
        #expect(await end(of: task, fixture) == "network")
        #expect(fixture.transport.sendCount == 14)
    }

    @Test("a download waits for the network as long as it may, and then ends with its failure", arguments: [60, nil])
    func longestWait(_ seconds: Int?) async {
        let fixture = fixture(maxNetworkWait: seconds.map { .seconds($0) })
        network.condition = .offline
        let task = fixture.loader.task(for: failingOnce("a", .normal, fixture))
        fixture.run()
        fixture.clock.advance(by: .seconds(59))
        fixture.run()
        #expect(fixture.coalescer.callerCount == 2)
        fixture.clock.advance(by: .seconds(1))
        fixture.run()
        #expect(fixture.coalescer.isIdle == (seconds != nil))
        network.condition = .online
        let expected =
            seconds == nil ? "network" : "\(ImageError.network(.unresolvedHost, "can't resolve the host: a"))"
        #expect(await end(of: task, fixture) == expected)
    }

    @Test("a failure with a network or for another reason ends the request")
    func otherFailures() async {
        let fixture = fixture()
        let refused = fixture.loader.task(for: failingOnce("a", .normal, fixture))
        #expect(await end(of: refused, fixture).hasPrefix("network (unresolvedHost)"))
        network.condition = .offline
        let missing = fixture.loader.task(for: fixture.request("b", then: .status(.notFound)))
        #expect(await end(of: missing, fixture) == "not found")
    }

    @Test("monitors don't retain the loader, and don't call it after its release")
    func leaks() {
        weak var loader: ImageLoader?
        do {
            let fixture = fixture()
            loader = fixture.loader
            let task = fixture.loader.task(for: heldOnce("a", .high, fixture))
            fixture.run()
            task.cancel()
            fixture.run()
        }
        #expect(loader == nil)
        application.condition = .background
        pressure.condition = .critical
    }
}
