internal import GtkImageUI
internal import ImageCore
internal import ImageLoading
internal import PhotoFeedModel

/// Scrolls through the whole feed and back by a fixed distance per frame, and measures it.
///
/// In the first pass down and back, it waits twice per screen until the images on the screen are loaded. Therefore all
/// images are cached in later passes, which don't wait.
final class ScrollRun {
    struct Leg {
        var name: String
        var frames: [FrameSample] = []
        var statistics: ImageLoaderStatistics
        var wrongCount = 0
    }

    enum Failure: Error {
        /// The run exceeded this many seconds. The text describes the list and its cells.
        case tooLong(Double, String)
    }

    private let fixture: Fixture
    private let step: Double
    private let passes: Int
    private let numbers = NumberCheck()
    private let downloadOrder = DownloadOrderCheck()
    private let latency = MainActorLatency()
    private var legs: [Leg] = []
    private var settledOffset = 0.0
    private var peakMemory = 0
    private var isOver = false
    /// Called after each frame with the number of its leg, from 1.
    var onFrame: (Int) -> Void = { _ in }

    /// - Parameters:
    ///   - fixture: The window.
    ///   - step: The distance per frame, in points.
    ///   - passes: The number of passes down and back.
    init(_ fixture: Fixture, step: Double = 40, passes: Int = 2) {
        (self.fixture, self.step, self.passes) = (fixture, step, passes)
    }

    private var list: CellList<PhotoCell> { fixture.window.list }
    private var isDown: Bool { legs.count % 2 == 1 }
    private var waitsForImages: Bool { legs.count <= 2 }

    /// Opens the window and scrolls.
    ///
    /// - Parameter limit: The maximum duration in seconds.
    /// - Throws: `Failure.tooLong` if the limit is exceeded.
    func run(limit: Double) throws -> ScrollResult {
        let baseline = residentMemory() ?? 0
        fixture.window.open()
        guard fixture.waitUntil({ fixture.isSettled }) else { throw Failure.tooLong(60, fixture.description) }
        let start = fixture.loading.loader.statistics
        begin()
        let ticker = FrameTicker(fixture.window.window, isMetered: false) { [weak self] _ in self?.tick() }
        ticker.start()
        let isDone = GtkMainLoop.run(upTo: limit) { isOver }
        ticker.stop()
        end()
        guard isDone else { throw Failure.tooLong(limit, fixture.description) }
        return ScrollResult(
            legs: summaries(from: start), numbers: numbers, downloadOrder: downloadOrder, latencies: latency.values,
            baselineMemory: baseline,
            peakMemory: peakMemory, memoryByteLimit: fixture.loading.memoryByteLimit, cellCount: list.cellCount)
    }

    private func begin() {
        WorkMeter.isOn = true
        nextLeg()
        latency.start()
        fixture.window.meter.onFrame = { [weak self] in self?.record($0) }
    }

    private func end() {
        latency.stop()
        WorkMeter.isOn = false
        fixture.window.meter.onFrame = { _ in }
    }

    private func nextLeg() {
        if !legs.isEmpty { closeLeg() }
        guard legs.count < passes * 2 else { return isOver = true }
        let name = "\(legs.count % 2 == 0 ? "down" : "back") \(legs.count / 2 + 1)"
        legs.append(Leg(name: name, statistics: fixture.loading.loader.statistics))
        settledOffset = list.offset
    }

    private func closeLeg() { legs[legs.count - 1].statistics = fixture.loading.loader.statistics }

    private func tick() {
        guard !isOver, canScroll else { return }
        if isDown {
            list.offset = min(list.offset + step, list.largestOffset)
            if list.offset >= list.largestOffset, fixture.model.hasAllPages { nextLeg() }
        } else {
            list.offset = max(0, list.offset - step)
            if list.offset == 0 { nextLeg() }
        }
    }

    private var canScroll: Bool {
        guard waitsForImages, abs(list.offset - settledOffset) >= Double(list.widget.height) / 2 else { return true }
        guard fixture.isSettled else { return false }
        settledOffset = list.offset
        return true
    }

    private func record(_ frame: FrameSample) {
        guard !isOver else { return }
        legs[legs.count - 1].frames.append(frame)
        numbers.check(fixture.window)
        downloadOrder.check(fixture.window)
        if legs[legs.count - 1].frames.count % 30 == 0 { peakMemory = max(peakMemory, residentMemory() ?? 0) }
        onFrame(legs.count)
    }

    private func summaries(from start: ImageLoaderStatistics) -> [ScrollResult.Leg] {
        let before = [start] + legs.map(\.statistics)
        return zip(legs, before).map { leg, before in
            ScrollResult.Leg(name: leg.name, frames: leg.frames, before: before, after: leg.statistics)
        }
    }
}

extension PhotoFeedModel {
    fileprivate var hasAllPages: Bool { if case .done = paginationState { true } else { false } }
}
