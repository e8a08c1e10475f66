import ImageCore
import ImageLoading
import ImagePresenting
import ImageTesting
import Synchronization

/// A list of images as in an app, with reused cells and a prefetch window.
@MainActor
final class ScrolledList {
    private let loader: ImageLoader
    private let prefetcher: ImagePrefetcher
    private let requests: [ImageRequest]
    private let mainQueue: MainQueue
    private let prefetches: Bool
    private var window = PrefetchWindow()
    private var visible = 0..<0
    private var cells: [Int: Cell] = [:]
    private var reusableCells: [Cell] = []
    let counts = ScreenCounts()

    init(_ requests: [ImageRequest], _ loader: ImageLoader, _ mainQueue: MainQueue, prefetches: Bool) {
        self.requests = requests
        self.loader = loader
        self.mainQueue = mainQueue
        self.prefetches = prefetches
        prefetcher = ImagePrefetcher(loader: loader)
    }

    /// Does all work of the main actor in a frame, except the delivery of images that load later.
    func scroll(to topmost: Int, at time: Duration) {
        let now = topmost..<min(topmost + ScrollScenario.screen, requests.count)
        for row in visible where !now.contains(row) {
            guard let cell = cells.removeValue(forKey: row) else { continue }
            cell.prepareForReuse()
            reusableCells.append(cell)
        }
        for row in now where cells[row] == nil {
            let cell = reusableCells.popLast() ?? Cell(counts)
            cell.show(row, requests[row], from: loader, mainQueue)
            cells[row] = cell
        }
        visible = now
        guard prefetches else { return }
        let change = window.update(visible: now, of: requests.count, at: time)
        if !change.cancels.isEmpty { prefetcher.stop(change.cancels.map { requests[$0] }) }
        if !change.loads.isEmpty { prefetcher.start(change.loads.map { requests[$0] }) }
    }
}

/// A reused cell.
@MainActor
final class Cell {
    private let counts: ScreenCounts
    private var row: Int?
    private var task: ImageTask?
    private var isFilled = false

    init(_ counts: ScreenCounts) { self.counts = counts }

    func show(_ row: Int, _ request: ImageRequest, from loader: ImageLoader, _ mainQueue: MainQueue) {
        self.row = row
        isFilled = false
        counts.appearances += 1
        if let hit = loader.cachedImage(for: request) {
            counts.atOnce += 1
            return fill(hit)
        }
        let task = loader.task(for: request)
        self.task = task
        mainQueue.add(task) { [weak self] in self?.fill($0) }
    }

    func prepareForReuse() {
        task = nil
        if !isFilled { counts.blank += 1 }
        row = nil
    }

    private func fill(_ loaded: LoadedImage) {
        let number = NumberedImage.number(of: loaded.decoded.bitmap)
        if number == row { counts.numbers.insert(number) } else { counts.wrong += 1 }
        isFilled = true
    }
}

/// Statistics of the rows and images that were on the screen.
@MainActor
final class ScreenCounts {
    /// The numbers of the images that were shown in their own rows.
    var numbers: Set<Int> = []
    /// The number of times that a row appeared on the screen.
    var appearances = 0
    /// The number of appearances with the image in the first frame.
    var atOnce = 0
    /// The number of appearances that ended without an image.
    var blank = 0
    /// The number of images shown in the cell of another row.
    var wrong = 0
}

/// A queue of work for the main actor. The simulation decides when the work runs.
final class MainQueue: Sendable {
    private let waiting = Mutex<[@MainActor @Sendable () -> Void]>([])
    private let executor: SeededExecutor

    init(_ executor: SeededExecutor) { self.executor = executor }

    /// Adds `body` when the task has its image. Doesn't retain the task.
    func add(_ task: ImageTask, body: @escaping @MainActor @Sendable (LoadedImage) -> Void) {
        Task(executorPreference: executor) { [state = task.state] in
            await state.deliver(onlyResult: true) { event in
                guard case .finished(.success(let loaded)) = event else { return }
                self.waiting.withLock { $0.append { body(loaded) } }
            }
        }
    }

    @MainActor
    func runAll() {
        let bodies = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for body in bodies { body() }
    }
}
