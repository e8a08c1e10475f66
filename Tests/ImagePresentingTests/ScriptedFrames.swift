import ImageCore
import ImageTesting

@testable import ImagePresenting

/// An animation with one frame per second. Each bitmap is one pixel wider than its index.
final class ScriptedFrames: AnimationFrames {
    private struct State: Sendable {
        var prepared: [Int] = []
        var cached: Set<Int>
        var momentCount = 0
        var endCount = 0
    }

    let gate = TestGate()
    let opening = TestGate()
    let count: Int
    private let isBroken: Bool
    private let state: Watched<State>

    /// Creates an animation.
    ///
    /// - Parameter isPrepared: Whether all frames are cached. Otherwise each preparation waits at the gate and caches
    ///   one frame.
    init(count: Int, isPrepared: Bool = true, isBroken: Bool = false) {
        self.count = count
        self.isBroken = isBroken
        state = Watched(State(cached: isPrepared ? Set(0..<count) : []))
        if isPrepared { gate.open() }
    }

    /// The first frames of all preparations, in order.
    var prepared: [Int] { state.value.prepared }
    /// The number of finished preparations.
    var endCount: Int { state.value.endCount }

    /// The number of calls of `moment`.
    var momentCount: Int { state.value.momentCount }

    /// Waits until `moment` was called that often.
    func moments(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await state.waitUntil({ $0.momentCount >= count }, file: file, line: line)
    }

    /// Removes a frame from memory.
    func remove(_ index: Int) { _ = state.change { $0.cached.remove(index) } }

    func moment(at elapsed: Duration) -> AnimationMoment {
        state.change { $0.momentCount += 1 }
        let frame = min(Int(elapsed / .seconds(1)), count - 1)
        return AnimationMoment(frame: frame, end: frame == count - 1 ? nil : .seconds(frame + 1))
    }

    func cachedFrame(at index: Int) -> Bitmap? {
        state.value.cached.contains(index) ? Self.bitmap(index) : nil
    }

    @concurrent func prepare(from index: Int) async throws(ImageError) {
        state.change { $0.prepared.append(index) }
        await gate.pass()
        defer { state.change { $0.endCount += 1 } }
        if Task.isCancelled { throw .cancelled }
        if isBroken { throw .decoding(.unknownFormat) }
        _ = state.change { $0.cached.insert(index) }
    }

    static func bitmap(_ index: Int) -> Bitmap {
        let size = PixelSize(width: index + 1, height: 1)
        return Bitmap(size: size, pixels: Array(repeating: 255, count: size.area * 4), isOpaque: true)
    }

    static func index(of bitmap: Bitmap) -> Int { bitmap.size.width - 1 }
}

/// Creates clocks and players that record what they do.
@MainActor
struct AnimationFixture {
    let log = MessageLog<String>()

    /// Creates a clock that records when it starts and stops.
    func clock(budget: Int = 8, reducesMotion: Bool = false) -> AnimationClock {
        AnimationClock(maxFrameChanges: budget, reducesMotion: reducesMotion) { [log] in log.append($0 ? "run" : "stop")
        }
    }

    /// Creates a player that records the indices of the frames it shows.
    ///
    /// - Parameters:
    ///   - isOpened: Whether the player has the frames. Otherwise it loads them, when the gate `opening` is open.
    ///   - isRetained: Whether the source of the frames retains them. If not, it has none.
    func player(
        _ frames: ScriptedFrames, _ clock: AnimationClock, name: String = "", isOpened: Bool = true,
        isRetained: Bool = true
    ) -> AnimationPlayer {
        AnimationPlayer(
            first: ScriptedFrames.bitmap(0), frameCount: frames.count, frames: isOpened ? frames : nil, clock: clock
        ) { [frames = isRetained ? frames : nil] in
            guard let frames else { throw ImageError.cancelled }
            await frames.opening.pass()
            return frames
        } show: { [log] bitmap, isAnimating in
            log.append("\(name)\(ScriptedFrames.index(of: bitmap))\(isAnimating ? "" : " at rest")")
        }
    }
}
