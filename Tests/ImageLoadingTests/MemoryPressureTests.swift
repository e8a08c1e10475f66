import ImageCore
import ImageLoading
import Testing

@testable import ImageTesting

@Suite("The loader under memory pressure")
struct MemoryPressureTests {
    private let monitor = SettableConditionMonitor(MemoryPressureLevel.normal)

    private func fixture(_ scheduler: any WorkScheduler = ImmediateScheduler()) -> LoaderFixture {
        LoaderFixture(scheduler: scheduler) { $0.memoryPressureMonitor = monitor }
    }

    @Test(
        "each level trims the memory cache by its share",
        arguments: [
            (MemoryPressureLevel.warning, InMemoryImageCache.Message.trim(toShare: 0.5)), (.critical, .removeAll),
        ])
    func responses(_ level: MemoryPressureLevel, _ message: InMemoryImageCache.Message) {
        let fixture = fixture()
        monitor.condition = level
        #expect(fixture.memory.messages == [message])
        monitor.condition = .normal
        #expect(fixture.memory.messages == [message])
    }

    @Test("the memory cache keeps a quarter when the application disappears")
    func background() {
        let application = SettableConditionMonitor(ApplicationState.foreground)
        let fixture = LoaderFixture { $0.applicationStateMonitor = application }
        application.condition = .background
        application.condition = .foreground
        #expect(fixture.memory.messages == [.trim(toShare: 0.25)])
    }

    @Test("a released loader does not trim the cache")
    func releasedLoader() {
        let memory = fixture().memory
        monitor.condition = .critical
        #expect(memory.messages.isEmpty)
    }

    @Test(
        "under memory pressure, prefetches stop, waiting ones never start, and requests continue",
        arguments: [
            MemoryPressureLevel.warning, .critical,
        ])
    func prefetches(_ level: MemoryPressureLevel) async throws {
        let scheduler = ManualScheduler()
        let fixture = fixture(scheduler)
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        let (ahead, wanted) = (fixture.request("ahead"), fixture.request("wanted"))
        prefetcher.start([ahead, wanted])
        await scheduler.waitForArrivals(2)
        let task = Task { try await fixture.loader.image(for: wanted) }
        await scheduler.waitUntil { $0.contains { if case .reprioritized(_, .normal) = $0 { true } else { false } } }
        monitor.condition = level
        #expect(prefetcher.count == 0)
        await scheduler.reachesCancellation()
        try await scheduler.runNext()
        await scheduler.waitForArrivals(3)
        try await scheduler.runNext()
        #expect(try await task.value.source == .network)
        #expect(!fixture.transport.messages.contains(.sent(ahead.address)))
    }

    @Test("prefetches are ignored under memory pressure and start afterwards")
    func refusal() async {
        let fixture = fixture()
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        let request = fixture.request("a")
        monitor.condition = .warning
        prefetcher.start([request])
        #expect(prefetcher.count == 0)
        monitor.condition = .normal
        prefetcher.start([request])
        await prefetcher.waitUntilFinished()
        #expect(fixture.transport.messages.contains(.sent(request.address)))
    }
}
