import Foundation
import ImageCoalescing
import ImageCore
import ImageHTTPCaching
import ImageLoading
import ImageScheduling
import ImageTesting
import ImageTransportCaching
import ImageTransporting
import LoaderTestBed
import Synchronization

/// A loader over fakes at every edge and the real coalescers, with everything that a test wants to look at.
struct LoaderFixture {
    private let fixture: LoaderTestBed
    let disk = InMemoryDataCache()
    let decoder: FakeSizedImageDecoder
    let observer = RecordingObserver()
    /// Where all tasks of the loader run, if not on Swift's pool: then nothing happens but in `run`.
    let executor: SeededExecutor?

    var loader: ImageLoader { fixture.loader }
    var transport: ScriptedTransport { fixture.transport }
    var memory: InMemoryImageCache { fixture.memory }
    var clock: ManualClock { fixture.clock }
    var imageCoalescer: TaskCoalescer<ImageJobKey, ImageJobResult> { fixture.imageCoalescer }
    var dataCoalescer: TaskCoalescer<DataJobKey, DataJobResult> { fixture.dataCoalescer }

    /// So long is fresh what the origin says nothing about.
    static let lifetime = Duration.seconds(3_600)
    let wallTime = WallTime()

    /// A loader whose tasks take a step only in `run`.
    static func stepped(
        _ executor: SeededExecutor = SeededExecutor(seed: 1), retries: Int = 0, downloads: Int = 6,
        adjust: (inout ImageLoaderConfiguration) -> Void = { _ in }
    ) -> LoaderFixture {
        let lanes = [WorkLane.download: downloads, .decode: 2].mapValues {
            LaneConfiguration(limit: $0, executor: executor)
        }
        return LoaderFixture(
            scheduler: PriorityScheduler(lanes: lanes), retries: retries, executor: executor, adjust: adjust)
    }

    /// Returns when so many callers wait for images, shared ones included.
    func reaches(callers count: Int) async {
        while imageCoalescer.callerCount < count { await Task.yield() }
    }

    /// Takes steps until nothing is ready.
    func run() { executor?.run() }

    /// A task that takes its steps with the loader's.
    func start<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error> {
        Task(executorPreference: executor) { try await body() }
    }

    /// - Parameter adjust: exchanges parts; the fixture's own are then not asked.
    init(
        scheduler: any WorkScheduler = ImmediateScheduler(), retries: Int = 0, decodeGate: Gate? = nil,
        executor: SeededExecutor? = nil, adjust: (inout ImageLoaderConfiguration) -> Void = { _ in }
    ) {
        self.executor = executor
        let decoder = FakeSizedImageDecoder(gate: decodeGate)
        self.decoder = decoder
        fixture = LoaderTestBed(scheduler: scheduler, executor: executor) { [disk, observer, wallTime] configuration in
            let cached = CachingTransport(
                over: configuration.transport, cache: disk, rules: Self.rules(telling: observer)
            ) { wallTime.next() }
            (configuration.responseCache, configuration.transport) = (cached, cached)
            (configuration.decoder, configuration.observer) = (decoder, observer)
            configuration.retryPolicy = RetryPolicy(retries: retries, baseDelay: .seconds(1), maxDelay: .seconds(60)) {
                1
            }
            configuration.transferLimits = TransferLimits(maxBodyBytes: 10_000)
            adjust(&configuration)
        }
    }

    private static func rules(telling observer: RecordingObserver) -> CachingRules {
        CachingRules(
            policy: RFC9111Policy(defaultLifetime: lifetime),
            observer: { event in
                guard case .cacheFailed(let url, let failure) = event else { return }
                observer.handle(ImageLoadEvent(request: 0, url: url, kind: .diskFailed(failure)))
            })
    }

    /// A request for an image of 40 by 30 pixels; the transport is told how to reply, at first and ever after.
    func request(
        _ name: String, fit side: Int? = 20, first: ScriptedTransport.Reply? = nil,
        then: ScriptedTransport.Reply = .ok(image), adjust: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        fixture.request(name, (first.map { [$0] } ?? []) + [then]) { request in
            request.target = side.map { ImageTarget(PixelSize(width: $0, height: $0)) }
            adjust(&request)
        }
    }

    /// The bodies on disk, of requests without an identity of their own: an index's key has no space.
    var storedOriginals: [Data] { disk.entries.filter { $0.key.source.contains(" ") }.map(\.value.data) }

    static let image = FakeImage.encode(width: 40, height: 30)
}

extension ImageRequest {
    /// The URL of a request that has one.
    var address: URL {
        guard let url else { preconditionFailure("no URL: \(origin)") }
        return url
    }
}

/// A wall clock that moves when it is looked at, and when a test says so.
final class WallTime: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_700_000_000))

    func advance(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }

    func next() -> Date {
        time.withLock { time in
            time += 0.001
            return time
        }
    }
}
