import Foundation
import ImageCoalescing
import ImageCore
import ImageLoading
import ImageScheduling
import ImageTesting
import Synchronization

/// The whole loader with its real coalescers and its real scheduler, over fakes at the edges, driven through a workload one
/// step of one task at a time. After each step everything that is promised is checked.
package final class Simulation {
    package struct Failure: Error, Hashable, CustomStringConvertible {
        package var step: Int
        package var violation: Violation

        package var description: String { "at step \(step), \(violation)" }
    }

    private static let limits: KeyValuePairs<WorkLane, Int> = [.download: 3, .decode: 2]

    private let workload: Workload
    private let world: World
    private let network: SimulatedNetwork
    private let memory = InMemoryImageCache(byteLimit: 60)
    private let scheduler: PriorityScheduler
    private let imageCoalescer: SharedWorkCoalescer<ImageJobKey, LoadedImage>
    private let dataCoalescer: SharedWorkCoalescer<DataJobKey, LoadedData>
    private var loader: ImageLoader?
    private var prefetchers: [ImagePrefetcher.Destination: ImagePrefetcher] = [:]
    private var requests: [Int: SimulatedRequest] = [:]
    private let tokens = TokenCount()
    private let bug: PlantedBug?

    package init(_ workload: Workload, bug: PlantedBug? = nil) {
        self.workload = workload
        self.bug = bug
        let world = World(seed: workload.seed)
        self.world = world
        let executor = world.executor
        network = SimulatedNetwork(world: world)
        let perHost = LaneBooks.perHostLimit
        let limits = Self.limits
        scheduler = PriorityScheduler(lanes: [
            .download: LaneConfiguration(
                limit: 3, perHostLimit: perHost,
                startRate: StartRate(burst: 3, perSecond: 2, clock: world.clock), executor: executor),
            .decode: LaneConfiguration(limit: 2, executor: executor),
        ])
        world.note { state in
            for (lane, limit) in limits { state.lanes.setLimit(limit, of: lane) }
        }
        imageCoalescer = SharedWorkCoalescer(executor: executor)
        dataCoalescer = SharedWorkCoalescer(executor: executor)
        let loader = ImageLoader(configuration())
        self.loader = loader
        for destination in ImagePrefetcher.Destination.allCases {
            prefetchers[destination] = ImagePrefetcher(
                loader: loader, destination: destination, limit: PrefetchBooks.limit)
        }
    }

    /// How many steps tasks have gone.
    package var stepCount: Int { world.executor.stepCount }

    /// Equal for equal schedules.
    package var fingerprint: UInt64 { world.executor.fingerprint }

    /// Runs the workload, lets all requests come to their end, and looks at what is left.
    package func run() throws(Failure) {
        for step in workload.steps {
            perform(step.event)
            try check()
            try go(steps: step.stepsAfter)
        }
        for (lane, limit) in Self.limits {
            perform(.limit(lane.rawValue, limit))
            perform(.suspend(lane.rawValue, false))
        }
        perform(.pausePrefetching(false))
        try settle()
        try checkRemains()
    }

    // MARK: Events

    private func perform(_ event: Workload.Event) {
        switch event {
        case .request(let number, let request):
            let record = RequestRecord(number, request, world: world)
            guard let loader else { return }
            requests[number] = SimulatedRequest(
                request, of: loader, record, Token(tokens), world.executor, deliversLate: bug == .deliversLate)
        case .cancel(let number): requests[number]?.cancel()
        case .drop(let number): requests[number]?.drop()
        case .reprioritise(let number, let priority): requests[number]?.setPriority(priority)
        case .prefetch(let requests, let destination):
            prefetchers[destination]?.start(requests.compactMap(\.imageRequest))
        case .stopPrefetching(let requests, let destination):
            prefetchers[destination]?.stop(requests.compactMap(\.imageRequest))
        case .pausePrefetching(let pauses):
            pausePrefetching(pauses)
        case .advance(let seconds): world.clock.advance(by: .seconds(seconds))
        case .evictMemory(let share): memory.trim(toShare: share)
        case .evictStored: network.evictAll()
        case .limit(let lane, let limit): setLimit(limit, of: WorkLane(rawValue: lane))
        case .suspend(let lane, let suspends): setSuspended(suspends, WorkLane(rawValue: lane))
        case .invalidate:
            world.note { $0.isInvalidated = true }
            loader?.invalidate()
        }
    }

    private func pausePrefetching(_ pauses: Bool) {
        let underWay = prefetchesUnderWay
        world.note { pauses ? $0.books.prefetchingPaused(underWay: underWay) : $0.books.prefetchingGoesOn() }
        if bug == .ignoresPauses { return }
        for destination in ImagePrefetcher.Destination.allCases { prefetchers[destination]?.isPaused = pauses }
    }

    /// At most: some of them may have nothing left to do but to end.
    private var prefetchesUnderWay: Int {
        prefetchers.values.reduce(0) { $0 + min($1.count, PrefetchBooks.limit) }
    }

    private func setLimit(_ limit: Int, of lane: WorkLane) {
        letStartsBegin()
        world.note { $0.lanes.setLimit(limit, of: lane) }
        scheduler.setLimit(limit, of: lane)
    }

    private func setSuspended(_ suspends: Bool, _ lane: WorkLane) {
        letStartsBegin()
        world.note { $0.lanes.setSuspended(suspends, lane) }
        if !suspends { return scheduler.resume(lane) }
        if bug != .ignoresSuspension { scheduler.suspend(lane) }
    }

    /// Waits until whatever the scheduler has started has begun, so that the books need not know the difference.
    private func letStartsBegin() {
        while scheduler.runningCount != world.note({ $0.lanes.runningCount }), world.executor.step() {}
    }

    // MARK: Steps

    private func go(steps: Int) throws(Failure) {
        var left = steps
        while left > 0, world.executor.step() {
            left -= 1
            try check()
        }
    }

    private func check() throws(Failure) {
        if let violation = world.violation() { throw Failure(step: stepCount, violation: violation) }
        let live = requests.values.count { $0.record.isLive } + prefetchesUnderWay
        let waiting = world.note { $0.books.rootWaiterCount }
        if waiting > live { throw failure(.noWorkForNobody, "\(waiting) wait for \(live) requests") }
    }

    /// Goes on until every request has ended, for as long as any back-off or pause could last.
    private func settle() throws(Failure) {
        for _ in 0..<100 {
            try go(steps: .max)
            if requests.values.allSatisfy({ $0.record.hasEnded }),
                prefetchers.values.allSatisfy({ $0.count == 0 }), isIdle
            {
                return
            }
            world.clock.advance(by: .seconds(60))
        }
        let open = requests.filter { !$0.value.record.hasEnded }.keys.sorted()
        if open.isEmpty { throw failure(.nothingLeft, "work never ends") }
        throw failure(.oneEnd, "requests \(open) never end")
    }

    private var isIdle: Bool {
        imageCoalescer.isIdle && dataCoalescer.isIdle && scheduler.waitingCount == 0 && scheduler.runningCount == 0
    }

    /// When all requests have ended, nothing of them may be left.
    private func checkRemains() throws(Failure) {
        requests = [:]
        weak let loader = loader
        (self.loader, prefetchers) = (nil, [:])
        try go(steps: .max)
        if loader != nil { throw failure(.nothingLeft, "the loader is kept alive") }
        if tokens.count != 0 { throw failure(.nothingLeft, "\(tokens.count) handlers are kept alive") }
        if !world.note({ $0.books.isEmpty }) { throw failure(.nothingLeft, "shared work is left behind") }
        if !isIdle { throw failure(.nothingLeft, "work is left behind") }
    }

    private func failure(_ promise: Promise, _ detail: String) -> Failure {
        Failure(step: stepCount, violation: Violation(promise, detail))
    }

    private func configuration() -> ImageLoaderConfiguration {
        let images: any RequestCoalescer<ImageJobKey, LoadedImage> = imageCoalescer
        let data: any RequestCoalescer<DataJobKey, LoadedData> = dataCoalescer
        return ImageLoaderConfiguration(
            memoryCache: bug?.planted(in: memory) ?? memory, responseCache: network, transport: network,
            decoder: SimulatedDecoder(forgets: bug == .worsensPreviews),
            scheduler: MonitoredScheduler(bug?.planted(in: scheduler) ?? scheduler, world: world),
            imageCoalescer: MonitoredCoalescer(bug?.planted(in: images, world) ?? images, world: world) { .image($0) },
            dataCoalescer: MonitoredCoalescer(bug?.planted(in: data, world) ?? data, world: world) { .data($0) },
            retryPolicy: RetryPolicy(retries: 2, baseDelay: .seconds(1), breakerThreshold: 4) { 1 },
            clock: world.clock, taskExecutor: world.executor)
    }
}
