import ImagePresenting
import ImageTesting
import Testing

@MainActor
@Suite("Animations", .timeLimit(.minutes(10)))
struct AnimationTests {
    private let log = MessageLog<String>()

    private func clock(budget: Int = 8, reducesMotion: Bool = false) -> AnimationClock {
        AnimationClock(frameBudget: budget, reducesMotion: reducesMotion) { [log] in log.append($0 ? "run" : "rest") }
    }

    private func player(_ frames: ScriptedFrames, _ clock: AnimationClock, name: String = "") -> AnimationPlayer {
        AnimationPlayer(frames, firstFrame: ScriptedFrames.bitmap(0), clock: clock) { [log] bitmap in
            log.append("\(name)\(ScriptedFrames.index(of: bitmap))")
        }
    }

    @Test("frames are shown when they are due, and a finished animation needs no more ticks")
    func plays() {
        let (clock, frames) = (clock(), ScriptedFrames(count: 3))
        let player = player(frames, clock)
        #expect(!clock.isRunning)
        player.isVisible = true
        for second in [10, 10, 11, 11, 12, 13, 14] { clock.tick(at: .seconds(second)) }
        #expect(log.messages == ["run", "1", "2", "rest"])
        #expect(player.isFinished)
        #expect(ScriptedFrames.index(of: player.picture) == 2)
        #expect(!clock.isRunning)
    }

    @Test("time stands still while it is hidden, and the clock rests")
    func hidden() {
        let clock = clock()
        let player = player(ScriptedFrames(count: 9), clock)
        player.isVisible = true
        for second in 0...2 { clock.tick(at: .seconds(second)) }
        player.isVisible = false
        #expect(!clock.isRunning)
        clock.tick(at: .seconds(3))
        player.isVisible = true
        for second in 60...61 { clock.tick(at: .seconds(second)) }
        #expect(log.messages == ["run", "1", "2", "rest", "run", "3"])
    }

    @Test("frames in between that nobody can have seen are passed over")
    func skips() {
        let clock = clock()
        let player = player(ScriptedFrames(count: 9), clock)
        player.isVisible = true
        clock.tick(at: .zero)
        clock.tick(at: .seconds(5))
        #expect(log.messages == ["run", "5"])
        withExtendedLifetime(player) {}
    }

    @Test("a frame that is not there is not waited for: the one before stays until it comes")
    func notThere() async {
        let (clock, frames) = (clock(), ScriptedFrames(count: 9, isPrepared: false))
        let player = player(frames, clock)
        player.isVisible = true
        clock.tick(at: .zero)
        await frames.gate.arrivals(1)
        clock.tick(at: .seconds(1))
        #expect(log.messages == ["run"])
        frames.gate.letOnePass()
        while frames.cachedFrame(at: 0) == nil { await Task.yield() }
        while frames.gate.arrivalCount < 2 {
            clock.tick(at: .seconds(2))
            await Task.yield()
        }
        #expect(frames.prepared == [0, 2])
        frames.gate.letOnePass()
        while frames.cachedFrame(at: 2) == nil { await Task.yield() }
        clock.tick(at: .seconds(2))
        #expect(log.messages == ["run", "2"])
        frames.gate.open()
        withExtendedLifetime(player) {}
    }

    @Test("one preparation at a time, begun off the main actor")
    func preparesOnce() async {
        let (clock, frames) = (clock(), ScriptedFrames(count: 9, isPrepared: false))
        let player = player(frames, clock)
        player.isVisible = true
        for second in 0...5 { clock.tick(at: .seconds(second)) }
        await frames.gate.arrivals(1)
        for second in 6...7 { clock.tick(at: .seconds(second)) }
        #expect(frames.prepared == [0])
        frames.gate.open()
        withExtendedLifetime(player) {}
    }

    @Test("an animation whose frame can't be made stays as it is")
    func broken() async {
        let (clock, frames) = (clock(), ScriptedFrames(count: 9, isPrepared: false, isBroken: true))
        let player = player(frames, clock)
        player.isVisible = true
        frames.gate.open()
        clock.tick(at: .zero)
        while clock.isRunning { await Task.yield() }
        #expect(player.isFinished)
        #expect(log.messages == ["run", "rest"])
    }

    @Test("what is hidden prepares nothing, and is not taken for broken")
    func hiddenPreparation() async {
        let (clock, frames) = (clock(), ScriptedFrames(count: 9, isPrepared: false, isBroken: true))
        let player = player(frames, clock)
        player.isVisible = true
        clock.tick(at: .zero)
        await frames.gate.arrivals(1)
        player.isVisible = false
        frames.gate.open()
        while frames.endCount < 1 { await Task.yield() }
        for _ in 0..<10 { await Task.yield() }
        #expect(!player.isFinished)
        player.isVisible = true
        #expect(clock.isRunning)
    }

    @Test("a frame that was given up when it was hidden is made once it is visible again")
    func preparesAgain() async {
        let (clock, frames) = (clock(), ScriptedFrames(count: 9, isPrepared: false))
        let player = player(frames, clock)
        player.isVisible = true
        clock.tick(at: .zero)
        await frames.gate.arrivals(1)
        frames.gate.letOnePass()
        while frames.endCount < 1 { await Task.yield() }
        while frames.prepared.count < 2 {
            clock.tick(at: .seconds(1))
            await Task.yield()
        }
        player.isVisible = false
        frames.gate.open()
        while frames.endCount < 2 { await Task.yield() }
        player.isVisible = true
        while log.messages.last != "1" {
            clock.tick(at: .seconds(50))
            await Task.yield()
        }
        #expect(frames.prepared.prefix(3) == [0, 1, 1])
    }

    @Test("not more pictures change in one tick than the budget allows, and nobody waits longer than the others")
    func budget() {
        let clock = clock(budget: 2)
        let players = ["a", "b", "c"].map { player(ScriptedFrames(count: 99), clock, name: $0) }
        for player in players { player.isVisible = true }
        for second in 0...3 { clock.tick(at: .seconds(second)) }
        #expect(log.messages == ["run", "a1", "b1", "c2", "a2", "b3", "c3"])
    }

    @Test("who waits for a frame that is not there takes nobody's turn")
    func budgetWithoutFrame() {
        let clock = clock(budget: 1)
        let slow = player(ScriptedFrames(count: 9, isPrepared: false), clock, name: "slow")
        let quick = player(ScriptedFrames(count: 9), clock, name: "quick")
        for player in [slow, quick] { player.isVisible = true }
        for second in 0...1 { clock.tick(at: .seconds(second)) }
        #expect(log.messages == ["run", "quick1"])
    }

    @Test("who has no turn has its frames made all the same")
    func preparesWithoutTurn() async {
        let (clock, frames) = (clock(budget: 1), ScriptedFrames(count: 9, isPrepared: false))
        let (quick, slow) = (player(ScriptedFrames(count: 9), clock, name: "quick"), player(frames, clock))
        quick.isVisible = true
        clock.tick(at: .zero)
        slow.isVisible = true
        clock.tick(at: .seconds(1))
        await frames.gate.arrivals(1)
        frames.gate.open()
        #expect(log.messages == ["run", "quick1"])
    }

    @Test("with reduced motion the first frame stays and nothing runs")
    func reducedMotion() {
        let clock = clock(reducesMotion: true)
        let player = player(ScriptedFrames(count: 3), clock)
        player.isVisible = true
        for second in 0...3 { clock.tick(at: .seconds(second)) }
        #expect(log.messages.isEmpty)
        clock.reducesMotion = false
        for second in 10...11 { clock.tick(at: .seconds(second)) }
        clock.reducesMotion = true
        #expect(log.messages == ["run", "1", "0", "rest"])
        clock.reducesMotion = false
        for second in 20...21 { clock.tick(at: .seconds(second)) }
        #expect(log.messages == ["run", "1", "0", "rest", "run", "1"])
    }

    @Test("a player that goes lets the clock rest")
    func playerGone() {
        let clock = clock()
        var player: AnimationPlayer? = player(ScriptedFrames(count: 9), clock)
        player?.isVisible = true
        clock.tick(at: .zero)
        player = nil
        clock.tick(at: .seconds(1))
        #expect(log.messages == ["run", "rest"])
    }

    @Test("a surface may hide others while it shows a frame")
    func hidesInShow() {
        let clock = clock()
        let second = player(ScriptedFrames(count: 9), clock, name: "second")
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
        #expect(log.messages == ["run"])
        clock.tick(at: .seconds(52))
        #expect(log.messages == ["run", "second1"])
    }
}
