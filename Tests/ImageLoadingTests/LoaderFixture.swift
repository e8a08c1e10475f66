import Foundation
import ImageCoalescing
import ImageCore
import ImageHTTPCaching
import ImageLoading
import ImageScheduling
import ImageTransporting
import Synchronization

@testable import ImageTesting

/// A loader with real coalescers and otherwise fake components, which tests can inspect.
struct LoaderFixture {
    private let fixture: LoaderTestBed
    let disk = InMemoryDataCache()
    let decoder: FakeSizedImageDecoder
    let observer = RecordingObserver()
    /// The executor of all tasks of the loader, which only runs in `run()`. Nil for Swift's global executor.
    let executor: SeededExecutor?
    private let scheduler: any WorkScheduler

    var loader: ImageLoader { fixture.loader }
    var transport: ScriptedTransport { fixture.transport }
    var memory: InMemoryImageCache { fixture.memory }
    var clock: ManualClock { fixture.clock }
    var coalescer: TaskCoalescer<OperationKey, OperationResult> { fixture.coalescer }

    /// The lifetime of responses without freshness information.
    static let lifetime = Duration.seconds(3_600)
    let wallTime = WallTime()

    /// Returns a fixture whose tasks only run in `run()`.
    static func stepped(
        _ executor: SeededExecutor = SeededExecutor(seed: 1), retries: Int = 0, downloads: Int = 6,
        adjust: (inout ImageLoaderParts) -> Void = { _ in }
    ) -> LoaderFixture {
        let lanes = [WorkLane.download: downloads, .decode: 2].mapValues {
            LaneOptions(limit: $0, executor: executor)
        }
        return LoaderFixture(
            scheduler: PriorityScheduler(lanes: lanes), retries: retries, executor: executor, adjust: adjust)
    }

    /// Waits until `count` callers wait for images and originals, including callers that share an operation.
    func reaches(callers count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await becomesTrue(file: file, line: line) { coalescer.callerCount >= count }
    }

    /// Runs tasks until none is ready.
    func run() { executor?.run() }

    /// The names of the images requested from the transport, in order.
    var sent: [String] { transport.requests.map(\.url.lastPathComponent) }

    func requests(_ names: some Sequence<String>, adjust: (inout ImageRequest) -> Void = { _ in }) -> [ImageRequest] {
        names.map { request($0, adjust: adjust) }
    }

    /// Changes the number of concurrent downloads of a stepped fixture. 0 blocks them.
    func limitDownloads(to count: Int) { (scheduler as? PriorityScheduler)?[limitOf: .download] = count }

    /// Changes the number of concurrent decodes of a stepped fixture. 0 blocks them.
    func limitDecodes(to count: Int) { (scheduler as? PriorityScheduler)?[limitOf: .decode] = count }

    /// Starts a task on the executor of the loader.
    func start<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error> {
        Task(executorPreference: executor) { try await body() }
    }

    /// - Parameter adjust: Replaces components of the loader.
    init(
        scheduler: any WorkScheduler = ImmediateScheduler(), retries: Int = 0, decodeGate: TestGate? = nil,
        executor: SeededExecutor? = nil, adjust: (inout ImageLoaderParts) -> Void = { _ in }
    ) {
        self.executor = executor
        self.scheduler = scheduler
        let decoder = FakeSizedImageDecoder(gate: decodeGate)
        self.decoder = decoder
        fixture = LoaderTestBed(scheduler: scheduler, executor: executor) { [disk, observer, wallTime] configuration in
            let cached = CachingTransport(
                over: configuration.transport, cache: disk, options: Self.cachingOptions(observer), clock: nil
            ) { wallTime.next() }
            configuration.transport = .cached(cached)
            (configuration.decoder, configuration.observer) = (decoder, observer)
            configuration.retryPolicy = TransferRetryPolicy(
                maxRetries: retries, baseDelay: .seconds(1), maxDelay: .seconds(60)
            ) {
                1
            }
            configuration.transferOptions = TransferOptions(bodyByteLimit: 10_000)
            adjust(&configuration)
        }
    }

    private static func cachingOptions(_ observer: RecordingObserver) -> CachingOptions {
        CachingOptions(
            policy: RFC9111Policy(defaultLifetime: lifetime),
            observer: { event in
                guard case .cacheFailed(let url, let failure) = event else { return }
                observer.handle(ImageLoadEvent(requestID: nil, url: url, kind: .diskFailed(failure)))
            })
    }

    /// Returns a request for an image of 40 by 30 pixels, and scripts the transport's replies. The last one is
    /// repeated.
    func request(
        _ name: String, fit side: Int? = 20, first: ScriptedTransport.Reply? = nil,
        then: ScriptedTransport.Reply = .ok(image), adjust: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        fixture.request(name, (first.map { [$0] } ?? []) + [then]) { request in
            request.target = side.map { ImageTarget(PixelSize(width: $0, height: $0)) }
            adjust(&request)
        }
    }

    /// The stored bodies of requests without an identifier. Their keys contain a space, unlike those of an index.
    var storedOriginals: [Data] { disk.entries.filter { $0.key.identifier.contains(" ") }.map(\.value.data) }

    static let image = FakeImage.encode(width: 40, height: 30)
}

extension ImageRequest {
    /// The URL of a request that has one.
    var address: URL {
        guard let url else { preconditionFailure("no URL: \(origin)") }
        return url
    }
}

/// A wall clock that advances on each read and on demand.
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

extension ManualScheduler {
    /// Waits until work was cancelled while it waited.
    func reachesCancellation() async {
        await waitUntil { $0.contains { if case .cancelled = $0 { true } else { false } } }
    }

    /// Waits until the work has this priority.
    func reaches(_ priority: RequestPriority, of id: Int) async {
        await waitUntil { Self.lastPriority(of: id, in: $0) == priority }
    }

    private static func lastPriority(of id: Int, in messages: [Message]) -> RequestPriority? {
        messages.reduce(nil) { last, message in
            switch message {
            case .enqueued(id, _, let priority, _), .reprioritized(id, let priority): priority
            default: last
            }
        }
    }
}
