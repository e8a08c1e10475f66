import ImagePresenting
import ImageTesting
import Testing

@MainActor
@Suite("Animations", .timeLimit(.minutes(10)))
struct AnimationTests {
    private let fixture = AnimationFixture()

    @Test("frames are shown when they are due, and a finished animation needs no more ticks")
    func plays() {
        let (clock, frames) = (fixture.clock(), ScriptedFrames(count: 3))
        let player = fixture.player(frames, clock)
        #expect(!clock.isRunning)
        player.isVisible = true
        for second in [10, 10, 11, 11, 12, 13, 14] { clock.tick(at: .seconds(second)) }
        #expect(fixture.log.messages == ["run", "1", "2", "rest"])
        #expect(player.isFinished)
        #expect(ScriptedFrames.index(of: player.image) == 2)
        #expect(!clock.isRunning)
    }

    @Test("time stands still while it is hidden, and the clock rests")
    func hidden() {
        let clock = fixture.clock()
        let player = fixture.player(ScriptedFrames(count: 9), clock)
        player.isVisible = true
        for second in 0...2 { clock.tick(at: .seconds(second)) }
        player.isVisible = false
        #expect(!clock.isRunning)
        clock.tick(at: .seconds(3))
        player.isVisible = true
        for second in 60...61 { clock.tick(at: .seconds(second)) }
        #expect(fixture.log.messages == ["run", "1", "2", "rest", "run", "3"])
    }

    @Test("frames in between that nobody can have seen are passed over")
    func skips() {
        let clock = fixture.clock()
        let player = fixture.player(ScriptedFrames(count: 9), clock)
        player.isVisible = true
        clock.tick(at: .zero)
        clock.tick(at: .seconds(5))
        #expect(fixture.log.messages == ["run", "5"])
        withExtendedLifetime(player) {}
    }

    @Test("not more images change in one tick than the budget allows, and nobody waits longer than the others")
    func budget() {
        let clock = fixture.clock(budget: 2)
        let players = ["a", "b", "c"].map { fixture.player(ScriptedFrames(count: 99), clock, name: $0) }
        for player in players { player.isVisible = true }
        for second in 0...3 { clock.tick(at: .seconds(second)) }
        #expect(fixture.log.messages == ["run", "a1", "b1", "c2", "a2", "b3", "c3"])
    }

    @Test("who waits for a frame that is not there takes nobody's turn")
    func budgetWithoutFrame() {
        let clock = fixture.clock(budget: 1)
        let slow = fixture.player(ScriptedFrames(count: 9, isPrepared: false), clock, name: "slow")
        let quick = fixture.player(ScriptedFrames(count: 9), clock, name: "quick")
        for player in [slow, quick] { player.isVisible = true }
        for second in 0...1 { clock.tick(at: .seconds(second)) }
        #expect(fixture.log.messages == ["run", "quick1"])
    }

    @Test("with reduced motion the first frame stays and nothing runs")
    func reducedMotion() {
        let clock = fixture.clock(reducesMotion: true)
        let player = fixture.player(ScriptedFrames(count: 3), clock)
        player.isVisible = true
        for second in 0...3 { clock.tick(at: .seconds(second)) }
        #expect(fixture.log.messages.isEmpty)
        clock.reducesMotion = false
        for second in 10...11 { clock.tick(at: .seconds(second)) }
        clock.reducesMotion = true
        #expect(fixture.log.messages == ["run", "1", "0", "rest"])
        clock.reducesMotion = false
        for second in 20...21 { clock.tick(at: .seconds(second)) }
        #expect(fixture.log.messages == ["run", "1", "0", "rest", "run", "1"])
    }

    @Test("a player that goes lets the clock rest")
    func playerGone() {
        let clock = fixture.clock()
        var player: AnimationPlayer? = fixture.player(ScriptedFrames(count: 9), clock)
        player?.isVisible = true
        clock.tick(at: .zero)
        player = nil
        clock.tick(at: .seconds(1))
        #expect(fixture.log.messages == ["run", "rest"])
    }

    @Test("a surface may hide others while it shows a frame")
    func hidesInShow() {
        let clock = fixture.clock()
        let second = fixture.player(ScriptedFrames(count: 9), clock, name: "second")
        var hasShown = false
        let first = AnimationPlayer(ScriptedFrames(count: 9), firstFrame: ScriptedFrames.bitmap(0), clock: clock) { _ in
            second.isVisible = hasShown
            hasShown = true
        }
        for player in [first, second] { player.isVisible = true }
        for second in 0...1 { clock.tick(at: .seconds(second)) }
        #expect(!second.isVisible)
        clock.tick(at: .seconds(50))
        #expect(second.isVisible)
        clock.tick(at: .seconds(51))
        #expect(fixture.log.messages == ["run"])
        clock.tick(at: .seconds(52))
        #expect(fixture.log.messages == ["run", "second1"])
    }
}
