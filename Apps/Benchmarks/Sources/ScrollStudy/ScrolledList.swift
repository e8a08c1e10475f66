import ImageCore
import ImageLoading
import ImagePresenting
import Synchronization

/// A list of images as an application makes it: cells that are reused, and a window of prefetches.
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
    private var spare: [Cell] = []
    let seen = Seen()

    init(_ requests: [ImageRequest], _ loader: ImageLoader, _ mainQueue: MainQueue, prefetches: Bool) {
        (self.requests, self.loader, self.mainQueue, self.prefetches) = (requests, loader, mainQueue, prefetches)
        prefetcher = ImagePrefetcher(loader: loader)
    }

    /// Everything that happens on the main actor in one frame, but for the images that come later.
    func scroll(to topmost: Int, at time: Duration) {
        let now = topmost..<min(topmost + ScrollScenario.screen, requests.count)
        for row in visible where !now.contains(row) {
            guard let cell = cells.removeValue(forKey: row) else { continue }
            cell.prepareForReuse()
            spare.append(cell)
        }
        for row in now where cells[row] == nil {
            let cell = spare.popLast() ?? Cell(seen)
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

/// Shows one image after the other.
@MainActor
final class Cell {
    private let seen: Seen
    private var row: Int?
    private var task: ImageTask?
    private var isFilled = false

    init(_ seen: Seen) { self.seen = seen }

    func show(_ row: Int, _ request: ImageRequest, from loader: ImageLoader, _ mainQueue: MainQueue) {
        (self.row, isFilled) = (row, false)
        seen.appearances += 1
        if let hit = loader.cachedImage(for: request) {
            seen.atOnce += 1
            return fill(hit)
        }
        task = loader.load(request, for: self, on: mainQueue.delivery) { cell, result in
            guard case .success(let loaded) = result else { return }
            MainActor.assumeIsolated { cell.fill(loaded) }
        }
    }

    func prepareForReuse() {
        task = nil
        if !isFilled { seen.blank += 1 }
        row = nil
    }

    private func fill(_ loaded: LoadedImage) {
        let number = NumberedImage.number(of: loaded.image.bitmap)
        if number == row { seen.numbers.insert(number) } else { seen.wrong += 1 }
        isFilled = true
    }
}

/// What was to be seen on the screen.
@MainActor
final class Seen {
    var numbers: Set<Int> = []
    /// Rows that came onto the screen, as often as they did.
    var appearances = 0
    /// Of these, with their image from the first frame on.
    var atOnce = 0
    /// Of these, those that left without an image.
    var blank = 0
    /// Images in the cell of another row.
    var wrong = 0
}

/// What waits for the main actor. A queue of our own, so that the system's does not decide when it runs.
final class MainQueue: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    var delivery: Delivery { Delivery { body in self.waiting.withLock { $0.append(body) } } }

    @MainActor
    func runAll() {
        let bodies = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for body in bodies { body() }
    }
}
