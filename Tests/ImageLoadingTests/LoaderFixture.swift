import Foundation
import ImageCoalescing
import ImageCore
import ImageHTTPCaching
import ImageLoading
import ImageScheduling
import ImageTesting
import ImageTransportCaching
import Synchronization

/// A loader over fakes at every edge and the real coalescers, with everything that a test wants to look at.
struct LoaderFixture {
    let transport = ScriptedTransport()
    let memory = InMemoryImageCache()
    let disk = InMemoryDataCache()
    let decoder: FakeSizedImageDecoder
    let observer = RecordingObserver()
    let clock = ManualClock()
    let imageCoalescer: SharedWorkCoalescer<ImageJobKey, LoadedImage>
    let dataCoalescer: SharedWorkCoalescer<DataJobKey, LoadedData>
    /// Where all tasks of the loader run, if not on Swift's pool: then nothing happens but in `run`.
    let executor: SeededExecutor?
    let loader: ImageLoader

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
        imageCoalescer = SharedWorkCoalescer(executor: executor)
        dataCoalescer = SharedWorkCoalescer(executor: executor)
        decoder = FakeSizedImageDecoder(gate: decodeGate)
        let rules = CachingRules(
            policy: RFC9111Policy(defaultLifetime: Self.lifetime),
            observer: { [observer] event in
                guard case .cacheFailed(let url, let failure) = event else { return }
                observer.loader(did: ImageLoadEvent(request: 0, url: url, kind: .diskFailed(failure)))
            })
        let cached = CachingTransport(over: transport, cache: disk, rules: rules) { [wallTime] in wallTime.next() }
        var configuration = ImageLoaderConfiguration(
            memoryCache: memory, responseCache: cached, transport: cached, decoder: decoder, scheduler: scheduler,
            imageCoalescer: imageCoalescer, dataCoalescer: dataCoalescer, observer: observer,
            retryPolicy: RetryPolicy(retries: retries, baseDelay: .seconds(1), maxDelay: .seconds(60)) { 1 },
            transferLimits: TransferLimits(maxBodyBytes: 10_000), clock: clock, taskExecutor: executor)
        adjust(&configuration)
        loader = ImageLoader(configuration)
    }

    /// A request for a picture of 40 by 30 pixels; the transport is told how to reply, at first and ever after.
    func request(
        _ name: String, fit side: Int? = 20, first: ScriptedTransport.Reply? = nil,
        then: ScriptedTransport.Reply = .ok(picture), adjust: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        var components = URLComponents()
        (components.scheme, components.host, components.path) = ("http", "pictures.example", "/\(name)")
        guard let url = components.url else { preconditionFailure("no path of a URL: \(name)") }
        if let first { transport.script(url, first, then) } else { transport.script(url, then) }
        var request = ImageRequest(url: url, target: side.map { ImageTarget(PixelSize(width: $0, height: $0)) })
        adjust(&request)
        return request
    }

    /// The bodies on disk, of requests without an identity of their own: an index's key has no space.
    var storedOriginals: [Data] { disk.entries.filter { $0.key.source.contains(" ") }.map(\.value.data) }

    static let picture = FakePicture.encode(width: 40, height: 30)
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
