import ImagePresenting
import ImageTesting

/// Creates clocks and players that record what they do.
@MainActor
struct AnimationFixture {
    let log = MessageLog<String>()

    /// Creates a clock that records when it starts and stops.
    func clock(budget: Int = 8, reducesMotion: Bool = false) -> AnimationClock {
        AnimationClock(frameBudget: budget, reducesMotion: reducesMotion) { [log] in log.append($0 ? "run" : "stop") }
    }

    /// Creates a player that records the indices of the frames it shows.
    func player(_ frames: ScriptedFrames, _ clock: AnimationClock, name: String = "") -> AnimationPlayer {
        AnimationPlayer(frames, firstFrame: ScriptedFrames.bitmap(0), clock: clock) { [log] bitmap in
            log.append("\(name)\(ScriptedFrames.index(of: bitmap))")
        }
    }
}
