internal import GtkImageUI
internal import ImageCore
internal import ImageLoading
internal import PhotoFeedModel

/// Scrolls through the whole feed and back, once or more, by a fixed distance a frame, and counts.
///
/// On the first way down and back it waits, twice a screen, until the images on the screen are there: so each was seen, and nothing is left for
/// the network afterwards. Later it waits for nothing.
final class ScrollRun {
    struct Leg {
        var name: String
        var frames: [FrameSample] = []
        var statistics: ImageLoaderStatistics
        var wrongCount = 0
    }

    enum Failure: Error {
        /// Took longer than this many seconds; what the list and its cells were doing then.
        case tooLong(Double, String)
    }

    private let fixture: Fixture
    private let step: Double
    private let passes: Int
    private let numbers = NumberCheck()
    private let turns = TurnCheck()
    private let hops = MainActorLatency()
    private var legs: [Leg] = []
    private var settledOffset = 0.0
    private var peakMemory = 0
    private var isOver = false
    /// Called with each frame, with the number of the way that it is part of.
    var onFrame: (Int) -> Void = { _ in }

    /// - Parameters:
    ///   - step: points a frame.
    ///   - passes: how often down and back.
    init(_ fixture: Fixture, step: Double = 40, passes: Int = 2) {
        (self.fixture, self.step, self.passes) = (fixture, step, passes)
    }

    private var list: CellList<PhotoCell> { fixture.window.list }
    private var isDown: Bool { legs.count % 2 == 1 }
    private var waitsForImages: Bool { legs.count <= 2 }

    /// - Parameter limit: seconds, of a run that does not end by itself.
    func run(limit: Double) throws -> ScrollResult {
        let baseline = residentMemory() ?? 0
        fixture.window.open()
        guard fixture.waits({ fixture.isSettled }) else { throw Failure.tooLong(60, fixture.description) }
        let start = fixture.loading.loader.statistics
        begin()
        let ticker = FrameTicker(fixture.window.window, isMetered: false) { [weak self] _ in self?.tick() }
        ticker.start()
        let isDone = GtkMainLoop.run(upTo: limit) { isOver }
        ticker.stop()
        end()
        guard isDone else { throw Failure.tooLong(limit, fixture.description) }
        return ScrollResult(
            legs: summaries(from: start), numbers: numbers, turns: turns, hops: hops.waits, baselineMemory: baseline,
            peakMemory: peakMemory, memoryByteLimit: fixture.loading.memoryByteLimit, cellCount: list.cellCount)
    }

    private func begin() {
        WorkMeter.isOn = true
        nextLeg()
        hops.start()
        fixture.window.meter.onFrame = { [weak self] in self?.note($0) }
    }

    private func end() {
        hops.stop()
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
        guard !isOver, mayMove else { return }
        if isDown {
            list.offset = min(list.offset + step, list.largestOffset)
            if list.offset >= list.largestOffset, fixture.model.hasAll { nextLeg() }
        } else {
            list.offset = max(0, list.offset - step)
            if list.offset == 0 { nextLeg() }
        }
    }

    private var mayMove: Bool {
        guard waitsForImages, abs(list.offset - settledOffset) >= Double(list.widget.height) / 2 else { return true }
        guard fixture.isSettled else { return false }
        settledOffset = list.offset
        return true
    }

    private func note(_ frame: FrameSample) {
        guard !isOver else { return }
        legs[legs.count - 1].frames.append(frame)
        numbers.check(fixture.window)
        turns.check(fixture.window)
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
    fileprivate var hasAll: Bool { if case .done = paginationState { true } else { false } }
}
