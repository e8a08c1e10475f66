import ImagePresenting
import ImageTesting

/// Clocks and players that write down what they do.
@MainActor
struct AnimationFixture {
    let log = MessageLog<String>()

    /// Writes down when it runs and rests.
    func clock(budget: Int = 8, reducesMotion: Bool = false) -> AnimationClock {
        AnimationClock(frameBudget: budget, reducesMotion: reducesMotion) { [log] in log.append($0 ? "run" : "rest") }
    }

    /// Writes down the frames that it shows, by their index.
    func player(_ frames: ScriptedFrames, _ clock: AnimationClock, name: String = "") -> AnimationPlayer {
        AnimationPlayer(frames, firstFrame: ScriptedFrames.bitmap(0), clock: clock) { [log] bitmap in
            log.append("\(name)\(ScriptedFrames.index(of: bitmap))")
        }
    }
}
