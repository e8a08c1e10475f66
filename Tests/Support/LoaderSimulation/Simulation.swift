import ImageCoalescing
import ImageCore
import ImageLoading
import ImageScheduling
import ImageTesting
import ImageTransporting

/// Runs the whole loader with a workload, one step of one task at a time, and checks all promises after each step.
///
/// The loader, the prefetchers, the coalescers and the scheduler are real. The network, the caches and the decoder are
/// simulated.
package final class Simulation {
    package struct Failure: Error, Hashable, CustomStringConvertible {
        package var step: Int
        package var violation: Violation

        package var description: String { "at step \(step), \(violation)" }
    }

    private static let limits: KeyValuePairs<WorkLane, Int> = [.download: 3, .decode: 2]

    private let workload: Workload
    private let context: SimulationContext
    private let network: SimulatedNetwork
    private let memory = InMemoryImageCache(byteLimit: 60)
    private let scheduler: PriorityScheduler
    private let coalescer: TaskCoalescer<OperationKey, OperationResult>
    private var loader: ImageLoader?
    private var prefetchers: [ImagePrefetcher.Destination: ImagePrefetcher] = [:]
    private var requests: [Int: SimulatedRequest] = [:]
    private let handlers = LifetimeCount()
    private let bug: PlantedBug?

    package init(_ workload: Workload, bug: PlantedBug? = nil) {
        self.workload = workload
        self.bug = bug
        context = SimulationContext(seed: workload.seed)
        network = SimulatedNetwork(context)
        scheduler = Self.makeScheduler(context)
        coalescer = TaskCoalescer(executor: context.executor)
        context.update { expected in
            for (lane, limit) in Self.limits { expected.lanes.setLimit(limit, of: lane) }
        }
        let loader = ImageLoader(makeParts())
        self.loader = loader
        for destination in ImagePrefetcher.Destination.allCases {
            prefetchers[destination] = ImagePrefetcher(
                loader: loader, destination: destination, maxConcurrentRequests: ExpectedPrefetching.limit)
        }
    }

    /// The number of steps so far.
    package var stepCount: Int { context.executor.stepCount }

    /// Equal for equal schedules.
    package var fingerprint: UInt64 { context.executor.fingerprint }

    /// Runs the workload, waits for the end of all requests, and checks for leaks.
    package func run() throws(Failure) {
        for step in workload.steps {
            try perform(step.event)
            try check()
            try takeSteps(step.stepsAfter)
        }
        for (lane, limit) in Self.limits {
            try perform(.limit(lane.rawValue, limit))
        }
        try perform(.pausePrefetching(false))
        try finish()
        try checkRemains()
    }

    // MARK: Events

    private func perform(_ event: Workload.Event) throws(Failure) {
        switch event {
        case .request(let number, let request):
            let record = RequestRecord(number, request, context)
            guard let loader else { return }
            requests[number] = SimulatedRequest(
                request, of: loader, record, LifetimeToken(handlers), context.executor, bug: bug)
        case .cancel(let number): requests[number]?.cancel()
        case .release(let number): requests[number]?.release()
        case .setPriority(let number, let priority): requests[number]?.setPriority(priority)
        case .prefetch(let requests, let destination):
            prefetchers[destination]?.start(requests.compactMap(\.imageRequest))
        case .stopPrefetching(let requests, let destination):
            prefetchers[destination]?.stop(requests.compactMap(\.imageRequest))
        case .pausePrefetching(let pauses): setPrefetchingPaused(pauses)
        case .advance(let seconds): context.clock.advance(by: .seconds(seconds))
        case .evictMemory(let share): memory.trim(toShare: share)
        case .evictStored: network.evictAll()
        case .limit(let lane, let limit): try setLimit(limit, of: WorkLane(rawValue: lane))
        case .invalidate:
            context.invalidate()
            loader?.shutDown()
        }
    }

    private func setPrefetchingPaused(_ isPaused: Bool) {
        let runningCount = runningPrefetchCount
        context.update { expected in
            if isPaused {
                expected.prefetchingPaused(runningCount: runningCount)
            } else {
                expected.prefetchingResumed()
            }
        }
        if bug == .ignoresPauses { return }
        for destination in ImagePrefetcher.Destination.allCases { prefetchers[destination]?.isPaused = isPaused }
    }

    /// The maximum number of running prefetches. Some may have already loaded their image.
    private var runningPrefetchCount: Int {
        prefetchers.values.reduce(0) { $0 + min($1.count, ExpectedPrefetching.limit) }
    }

    private func setLimit(_ limit: Int, of lane: WorkLane) throws(Failure) {
        try runUntilChosenWorkHasStarted()
        context.update { $0.lanes.setLimit(limit, of: lane) }
        if bug == .ignoresZeroLimit, limit == 0 { return }
        scheduler[limitOf: lane] = limit
    }

    /// Takes steps until all work that the scheduler has chosen has started, so that none starts after a change of its
    /// lane.
    private func runUntilChosenWorkHasStarted() throws(Failure) {
        while !chosenWorkHasStarted, context.executor.step() { try check() }
    }

    private var chosenWorkHasStarted: Bool { scheduler.runningCount == context.update { $0.lanes.runningCount } }

    // MARK: Steps

    /// Takes `count` steps, or fewer if no task is ready.
    private func takeSteps(_ count: Int = .max) throws(Failure) {
        var left = count
        while left > 0, context.executor.step() {
            left -= 1
            try check()
        }
    }

    private func check() throws(Failure) {
        let moment = ExpectedState.Moment(
            chosenWorkHasStarted: chosenWorkHasStarted, isIdle: context.executor.readyCount == 0)
        if let violation = context.check(moment) { throw Failure(step: stepCount, violation: violation) }
        let limit = requests.values.count { $0.record.isLive } + runningPrefetchCount
        let waiting = context.update { $0.requestCount }
        if waiting > limit { throw failure(.noUnusedWork, "\(waiting) calls for \(limit) requests") }
    }

    /// Runs until all requests have ended, for longer than the wait before any retry.
    private func finish() throws(Failure) {
        for _ in 0..<100 {
            try takeSteps()
            if requests.values.allSatisfy(\.record.hasEnded), prefetchers.values.allSatisfy({ $0.count == 0 }), isIdle {
                return
            }
            context.clock.advance(by: .seconds(60))
        }
        let open = requests.filter { !$0.value.record.hasEnded }.keys.sorted()
        if open.isEmpty { throw failure(.noLeaks, "work never ends") }
        throw failure(.endsOnce, "requests \(open) never end")
    }

    private var isIdle: Bool {
        coalescer.isIdle && scheduler.waitingCount == 0 && scheduler.runningCount == 0
    }

    /// Checks that nothing is left after all requests have ended.
    private func checkRemains() throws(Failure) {
        requests = [:]
        weak let loader = loader
        self.loader = nil
        prefetchers = [:]
        try takeSteps()
        if loader != nil { throw failure(.noLeaks, "the loader is not released") }
        if handlers.value != 0 { throw failure(.noLeaks, "\(handlers.value) handlers are not released") }
        if !context.update({ $0.isEmpty }) { throw failure(.noLeaks, "calls have not returned") }
        if !isIdle { throw failure(.noLeaks, "work is left") }
    }

    private func failure(_ promise: Promise, _ detail: String) -> Failure {
        Failure(step: stepCount, violation: Violation(promise, detail))
    }

    // MARK: Components of the loader

    private static func makeScheduler(_ context: SimulationContext) -> PriorityScheduler {
        let rate = StartRate(burst: 3, perSecond: 2, clock: context.clock)
        return PriorityScheduler(lanes: [
            .download: LaneOptions(
                limit: 3, perServerLimit: ExpectedLanes.perServerLimit, startRate: rate, executor: context.executor),
            .decode: LaneOptions(limit: 2, executor: context.executor),
        ])
    }

    private func makeParts() -> ImageLoaderParts {
        ImageLoaderParts(
            memoryCache: bug == .ignoresProcessors ? ProcessorBlindCache(base: memory) : memory,
            transport: .cached(network),
            decoder: SimulatedDecoder(forgetsPieces: bug == .worsensPreviews),
            scheduler: MonitoredScheduler(bug.map { FaultyScheduler(scheduler, $0) } ?? scheduler, context),
            coalescer: MonitoredCoalescer(
                bug.map { FaultyCoalescer(coalescer, $0, context, memory: memory) } ?? coalescer, context),
            retryPolicy: TransferRetryPolicy(maxRetries: 2, baseDelay: .seconds(1)) { 1 },
            clock: context.clock, taskExecutor: context.executor)
    }
}
