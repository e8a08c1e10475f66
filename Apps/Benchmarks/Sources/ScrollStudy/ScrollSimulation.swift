import Foundation
import ImageCoalescing
import ImageCore
import ImageLoading
import ImageMemoryCaching
import ImageScheduling
import ImageTesting
import ImageTransporting

/// Simulates scrolling a list with the real loader, prefetcher, window, coalescers, scheduler and memory cache.
///
/// There is no disk cache. Origin and decoder are fakes with a manual clock. Everything runs on the main thread. Work outside the
/// main actor runs between frames on a seeded executor. Therefore the same scenario always has the same outcome.
@MainActor
public final class ScrollSimulation {
    /// The number of times that work outside the main actor runs in each frame.
    private static let turnsPerFrame = 4

    private let scenario: ScrollScenario
    private let executor = SeededExecutor(seed: 1)
    private let clock = ManualClock()
    private let origin: SimulatedOrigin
    private let decoder = RecordingDecoder()
    private let mainQueue: MainQueue
    private let list: ScrolledList

    /// Creates a simulation.
    ///
    /// - Parameters:
    ///   - scenario: The topmost row in each frame.
    ///   - prefetches: Whether images are prefetched.
    public init(_ scenario: ScrollScenario, prefetches: Bool = true) {
        self.scenario = scenario
        origin = SimulatedOrigin(clock: clock)
        let requests = (0..<scenario.rowCount).compactMap(NumberedImage.url).map {
            ImageRequest(url: $0, target: ImageTarget(PixelSize(width: 4, height: 4)))
        }
        let loader = Self.makeLoader(origin, decoder, clock, executor)
        mainQueue = MainQueue(executor)
        list = ScrolledList(requests, loader, mainQueue, prefetches: prefetches)
    }

    /// Runs the whole scenario and one more second for unfinished work. Call it only once.
    public func run() -> ScrollOutcome {
        let frame = Duration.seconds(1) / ScrollScenario.framesPerSecond
        for (number, topmost) in scenario.topmostRows.enumerated() {
            mainQueue.runAll()
            list.scroll(to: topmost, at: frame * number)
            advance(by: frame)
        }
        for _ in 0..<ScrollScenario.framesPerSecond { advance(by: frame) }
        mainQueue.runAll()
        return outcome
    }

    /// Advances the clock and runs work outside the main actor.
    private func advance(by time: Duration) {
        for _ in 0..<Self.turnsPerFrame {
            clock.advance(by: time / Self.turnsPerFrame)
            executor.run()
        }
    }

    private var outcome: ScrollOutcome {
        let counts = list.counts
        let useful = counts.numbers.reduce(0) { $0 + NumberedImage.file($1).count }
        let decoded = decoder.decodedNumbers
        return ScrollOutcome(
            appearances: counts.appearances, atOnce: counts.atOnce, blank: counts.blank, wrong: counts.wrong,
            transfers: origin.sendCount,
            wastedTransfers: origin.sendCount - counts.numbers.count, transferredBytes: origin.sentByteCount,
            wastedBytes: origin.sentByteCount - useful, decodes: decoded.count,
            wastedDecodes: decoded.count { !counts.numbers.contains($0) })
    }

    private static func makeLoader(
        _ origin: SimulatedOrigin, _ decoder: RecordingDecoder, _ clock: ManualClock, _ executor: SeededExecutor
    ) -> ImageLoader {
        let lanes: [WorkLane: LaneOptions] = [
            .download: LaneOptions(
                limit: 6, perServerLimit: 6, startRate: StartRate(burst: 25, perSecond: 80, clock: clock),
                executor: executor),
            .decode: LaneOptions(limit: 2, executor: executor),
        ]
        return ImageLoader(
            ImageLoaderParts(
                memoryCache: MemoryImageCache(), transport: .uncached(origin), decoder: decoder,
                scheduler: PriorityScheduler(lanes: lanes), coalescer: TaskCoalescer(executor: executor),
                retryPolicy: TransferRetryPolicy(maxRetries: 0) { 0 },
                clock: clock, taskExecutor: executor))
    }
}
