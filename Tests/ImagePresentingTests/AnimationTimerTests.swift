import ImageCore
import ImageTesting
import Testing

@testable import ImagePresenting

@MainActor
@Suite("Animations by a timer", .timeLimit(.minutes(10)))
struct AnimationTimerTests {
    private let time = ManualClock()
    private let fixture = AnimationFixture()
    private let frames = ScriptedFrames(count: 4)

    /// Advances the time to the next tick, and waits until the timer sleeps again.
    private func advance(by duration: Duration) async {
        await time.waitForSleepers(1)
        time.advance(by: duration)
    }

    /// Shows a player from its first tick on.
    private func playing(_ clock: AnimationClock, _ name: String = "") async -> AnimationPlayer {
        let player = fixture.player(frames, clock, name: name)
        player.isVisible = true
        await frames.moments(1)
        return player
    }

    @Test("wakes only when a frame is due, and never again after the last")
    func wakesWhenDue() async {
        let player = await playing(AnimationClock(timer: time))
        for tick in 2...4 {
            await advance(by: .milliseconds(999))
            for _ in 0..<100 { await Task.yield() }
            #expect(frames.momentCount == tick - 1)
            await advance(by: .milliseconds(1))
            await frames.moments(tick)
        }
        #expect(fixture.log.messages == ["1", "2", "3 at rest"])
        for _ in 0..<100 { await Task.yield() }
        #expect(player.isFinished && frames.momentCount == 4)
    }

    @Test("a player that appears while the timer sleeps starts at once, and one with a late frame waits 1/60 s")
    func wakesEarlier() async {
        let clock = AnimationClock(timer: time)
        let player = await playing(clock, "a")
        await advance(by: .milliseconds(500))
        let late = ScriptedFrames(count: 2, isPrepared: false)
        let other = fixture.player(late, clock, name: "b")
        other.isVisible = true
        await late.moments(1)
        await advance(by: .milliseconds(500))
        await frames.moments(2)
        await advance(by: .milliseconds(500))
        await late.moments(2)
        for expected in 3...5 {
            await advance(by: .milliseconds(16))
            for _ in 0..<100 { await Task.yield() }
            #expect(late.momentCount == expected - 1)
            await advance(by: .milliseconds(1))
            await late.moments(expected)
        }
        #expect(fixture.log.messages == ["a1"])
        late.gate.open()
        withExtendedLifetime((player, other)) {}
    }

    @Test("rests while the app is in the background, and continues where it was")
    func background() async {
        let clock = AnimationClock(timer: time)
        let player = await playing(clock)
        await advance(by: .seconds(1))
        await frames.moments(2)
        clock.isActive = false
        #expect(!clock.isRunning)
        time.advance(by: .seconds(100))
        for _ in 0..<100 { await Task.yield() }
        #expect(frames.momentCount == 2)
        clock.isActive = true
        await frames.moments(3)
        await advance(by: .seconds(1))
        await frames.moments(4)
        #expect(fixture.log.messages == ["1", "2"])
        withExtendedLifetime(player) {}
    }
}
