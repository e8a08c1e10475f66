import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageLoading
import ImageMemoryCaching
import ImageScheduling
import ImageTransporting
import Synchronization

@testable import ImagePresenting
@testable import ImageTesting

/// Scrolls a list with the real loader, prefetcher, window, coalescer, scheduler and memory cache, at 60 frames a second.
///
/// There is no disk cache. Origin and decoder are fakes with a manual clock. Everything runs on the main thread: work
/// outside the main actor runs between frames, on a seeded executor. So the same rows always have the same outcome.
@MainActor
final class SimulatedScroll {
    /// The number of rows on the screen.
    static let screen = 12

    private let executor = SeededExecutor(seed: 1)
    private let clock = ManualClock()
    private let origin: SlowOrigin
    private let decoder = FakeSizedImageDecoder()
    private let loader: ImageLoader
    private let prefetcher: ImagePrefetcher
    private let requests: [ImageRequest]
    private let prefetches: Bool
    private var window = PrefetchWindow()
    private var visible = 0..<0
    private var cells: [Int: Cell] = [:]
    private var reusableCells: [Cell] = []
    /// Images that have loaded since the last frame.
    private let arrived = Mutex<[@MainActor @Sendable () -> Void]>([])
    private var outcome = Outcome()

    init(rowCount: Int, prefetches: Bool = true) {
        origin = SlowOrigin(clock: clock)
        loader = Self.makeLoader(origin, decoder, clock, executor)
        prefetcher = ImagePrefetcher(loader: loader)
        self.prefetches = prefetches
        requests = (0..<rowCount).compactMap { URL(string: "http://images.example/\($0)") }.map {
            ImageRequest(url: $0, target: ImageTarget(PixelSize(width: 4, height: 4)))
        }
    }

    /// Shows these rows at the top, one a frame, and waits one more second for unfinished work. Call it only once.
    func run(_ topmostRows: [Int]) -> Outcome {
        let frame = Duration.seconds(1) / 60
        for (number, topmost) in topmostRows.enumerated() {
            deliver()
            scroll(to: topmost, at: frame * number)
            advance(by: frame)
        }
        for _ in 0..<60 { advance(by: frame) }
        deliver()
        (outcome.transfers, outcome.decodes) = (origin.sendCount, decoder.decodeCount)
        return outcome
    }

    private func advance(by time: Duration) {
        for _ in 0..<4 {
            clock.advance(by: time / 4)
            executor.run()
        }
    }

    private func deliver() {
        let bodies = arrived.withLock { arrived in
            defer { arrived = [] }
            return arrived
        }
        for body in bodies { body() }
    }

    private func scroll(to topmost: Int, at time: Duration) {
        let now = topmost..<min(topmost + Self.screen, requests.count)
        for row in visible where !now.contains(row) {
            guard let cell = cells.removeValue(forKey: row) else { continue }
            if !cell.isFilled { outcome.blank += 1 }
            cell.task = nil
            cell.row = nil
            reusableCells.append(cell)
        }
        for row in now where cells[row] == nil { show(row, in: reusableCells.popLast() ?? Cell()) }
        visible = now
        guard prefetches else { return }
        let change = window.update(visible: now, of: requests.count, at: time)
        if !change.cancels.isEmpty { prefetcher.stop(change.cancels.map { requests[$0] }) }
        if !change.loads.isEmpty { prefetcher.start(change.loads.map { requests[$0] }) }
    }

    private func show(_ row: Int, in cell: Cell) {
        cells[row] = cell
        (cell.row, cell.isFilled) = (row, false)
        outcome.appearances += 1
        if let hit = loader.cachedImage(for: requests[row]) {
            outcome.atOnce += 1
            return fill(cell, with: hit)
        }
        let task = loader.task(for: requests[row])
        cell.task = task
        // Doesn't retain the task.
        Task(executorPreference: executor) { [state = task.state] in
            await state.deliver(onlyResult: true) { event in
                guard case .finished(.success(let image)) = event else { return }
                self.arrived.withLock { $0.append { [weak cell] in cell.map { self.fill($0, with: image) } } }
            }
        }
    }

    private func fill(_ cell: Cell, with image: LoadedImage) {
        let number = SlowOrigin.number(of: image.decoded.bitmap)
        if number == cell.row { outcome.shown.insert(number) } else { outcome.wrong += 1 }
        cell.isFilled = true
    }

    private static func makeLoader(
        _ origin: SlowOrigin, _ decoder: FakeSizedImageDecoder, _ clock: ManualClock, _ executor: SeededExecutor
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
                retryPolicy: TransferRetryPolicy(maxRetries: 0) { 0 }, clock: clock, taskExecutor: executor))
    }
}

extension SimulatedScroll {
    struct Outcome: Hashable {
        /// The number of times that a row appeared, and of these with the image in the first frame, and without an image
        /// until it left the screen.
        var (appearances, atOnce, blank) = (0, 0, 0)
        /// The number of images shown in the cell of another row.
        var wrong = 0
        /// The images that were shown in their own rows.
        var shown: Set<Int> = []
        var (transfers, decodes) = (0, 0)

        /// The numbers in excess of one per shown image: for images never shown, and for those started again.
        var wastedTransfers: Int { transfers - shown.count }
        var wastedDecodes: Int { decodes - shown.count }

        /// Whether less than a tenth is wasted, and all images are right.
        var meetsGoals: Bool {
            wrong == 0 && appearances > 0 && 10 * wastedTransfers < transfers && 10 * wastedDecodes < decodes
        }
    }

    /// A reused cell.
    @MainActor
    private final class Cell {
        var row: Int?
        var task: ImageTask?
        var isFilled = false
    }
}

/// An origin that takes 30 to 110 ms per image by the manual clock, always the same for an image, whose color is its
/// number.
private final class SlowOrigin: DataTransport {
    private let clock: ManualClock
    private let sends = Atomic(0)

    init(clock: ManualClock) { self.clock = clock }

    var sendCount: Int { sends.load(ordering: .relaxed) }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        sends.wrappingAdd(1, ordering: .relaxed)
        let number = Int(request.url.lastPathComponent) ?? 0
        var random = SeededRandom(seed: UInt64(number))
        try await sleep(.milliseconds(Int.random(in: 18...50, using: &random)))
        let rest = Mutex<Data?>(
            FakeImage.encode(
                width: 4, height: 4, color: (0..<3).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + [255]))
        let pause = Duration.milliseconds(Int.random(in: 12...60, using: &random))
        let pull: @Sendable () async throws(TransportError) -> Data? = { () async throws(TransportError) in
            guard let file = rest.withLock({ $0.take() }) else { return nil }
            try await self.sleep(pause)
            return file
        }
        return TransportResponse(head: ResponseHead(status: .ok, url: request.url), body: TransportBody(pull: pull))
    }

    private func sleep(_ duration: Duration) async throws(TransportError) {
        do { try await clock.sleep(for: duration) } catch { throw .cancelled }
    }

    static func number(of bitmap: Bitmap) -> Int {
        bitmap.pixels.prefix(3).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
    }
}
