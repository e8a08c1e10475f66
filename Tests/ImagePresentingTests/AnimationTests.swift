import Testing

@testable import ImagePresenting
@testable import ImageTesting

@MainActor
@Suite("Animations", .timeLimit(.minutes(10)))
struct AnimationTests {
    private let fixture = AnimationFixture()

    @Test("shows frames when they are due, and stops the clock at the end")
    func plays() {
        let (clock, frames) = (fixture.clock(), ScriptedFrames(count: 3))
        let player = fixture.player(frames, clock)
        #expect(!clock.isRunning)
        player.isVisible = true
        for second in [10, 10, 11, 11, 12, 13, 14] { clock.tick(at: .seconds(second)) }
        #expect(fixture.log.messages == ["run", "1", "2 at rest", "stop"])
        #expect(player.isFinished)
        #expect(!clock.isRunning)
    }

    @Test("pauses while the player is hidden, and stops the clock")
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
        #expect(fixture.log.messages == ["run", "1", "2", "stop", "run", "3"])
    }

    @Test("skips frames that are already over")
    func skips() {
        let clock = fixture.clock()
        let player = fixture.player(ScriptedFrames(count: 9), clock)
        player.isVisible = true
        clock.tick(at: .zero)
        clock.tick(at: .seconds(5))
        #expect(fixture.log.messages == ["run", "5"])
        withExtendedLifetime(player) {}
    }

    @Test("a frame budget is at least 1", arguments: [0, Int.min])
    func leastFrameBudget(budget: Int) { #expect(fixture.clock(budget: budget).maxFrameChanges == 1) }

    @Test("stays within the frame budget, and takes turns between players")
    func budget() {
        let clock = fixture.clock(budget: 2)
        let players = ["a", "b", "c"].map { fixture.player(ScriptedFrames(count: 99), clock, name: $0) }
        for player in players { player.isVisible = true }
        for second in 0...3 { clock.tick(at: .seconds(second)) }
        #expect(fixture.log.messages == ["run", "a1", "b1", "c2", "a2", "b3", "c3"])
    }

    @Test("a player without a ready frame does not use the budget")
    func budgetWithoutFrame() {
        let clock = fixture.clock(budget: 1)
        let slow = fixture.player(ScriptedFrames(count: 9, isPrepared: false), clock, name: "slow")
        let quick = fixture.player(ScriptedFrames(count: 9), clock, name: "quick")
        for player in [slow, quick] { player.isVisible = true }
        for second in 0...1 { clock.tick(at: .seconds(second)) }
        #expect(fixture.log.messages == ["run", "quick1"])
    }

    @Test("shows the first frame with reduced motion, and stops the clock")
    func reducedMotion() {
        let clock = fixture.clock(reducesMotion: true)
        let player = fixture.player(ScriptedFrames(count: 3), clock)
        player.isVisible = true
        for second in 0...3 { clock.tick(at: .seconds(second)) }
        #expect(fixture.log.messages.isEmpty)
        clock.reducesMotion = false
        for second in 10...11 { clock.tick(at: .seconds(second)) }
        clock.reducesMotion = true
        #expect(fixture.log.messages == ["run", "1", "0 at rest", "stop"])
        clock.reducesMotion = false
        for second in 20...21 { clock.tick(at: .seconds(second)) }
        #expect(fixture.log.messages == ["run", "1", "0 at rest", "stop", "run", "1"])
    }

    @Test("a player that was hidden when motion was reduced shows the first frame when it is visible again")
    func reducedWhileHidden() {
        let clock = fixture.clock()
        let player = fixture.player(ScriptedFrames(count: 3), clock)
        player.isVisible = true
        for second in 0...1 { clock.tick(at: .seconds(second)) }
        player.isVisible = false
        clock.reducesMotion = true
        player.isVisible = true
        #expect(fixture.log.messages == ["run", "1", "stop", "0 at rest"])
    }

    @Test("stops the clock and releases the frames when the last player ends")
    func ends() async {
        let clock = fixture.clock()
        var frames: ScriptedFrames? = ScriptedFrames(count: 9)
        let isReleased = { [weak frames] in frames == nil }
        let player = frames.map { fixture.player($0, clock, isRetained: false) }
        frames = nil
        player?.isVisible = true
        clock.tick(at: .zero)
        player?.end()
        await becomesTrue { isReleased() }
        #expect(fixture.log.messages == ["run", "stop"])
        #expect(player != nil)
    }

    @Test("computes no frame until the next one is due")
    func rests() {
        let (clock, frames) = (fixture.clock(), ScriptedFrames(count: 9))
        let player = fixture.player(frames, clock)
        player.isVisible = true
        clock.tick(at: .zero)
        let count = frames.momentCount
        for millisecond in stride(from: 100, to: 1_000, by: 100) { clock.tick(at: .milliseconds(millisecond)) }
        #expect(frames.momentCount == count)
        clock.tick(at: .seconds(1))
        #expect(frames.momentCount == count + 1)
        #expect(fixture.log.messages == ["run", "1"])
    }

    @Test("surfaces show the same animation in step, also one that appears later or again")
    func inStep() {
        let (clock, frames) = (fixture.clock(), ScriptedFrames(count: 99))
        let (first, second) = (fixture.player(frames, clock, name: "a"), fixture.player(frames, clock, name: "b"))
        first.isVisible = true
        for second in 0...2 { clock.tick(at: .seconds(second)) }
        second.isVisible = true
        clock.tick(at: .seconds(3))
        first.isVisible = false
        clock.tick(at: .seconds(4))
        first.isVisible = true
        clock.tick(at: .seconds(5))
        #expect(fixture.log.messages == ["run", "a1", "a2", "a3", "b3", "b4", "b5", "a5"])
    }

    @Test("an animation whose frames are loaded later joins one that plays")
    func joinsWhenLoaded() async {
        let (clock, frames) = (fixture.clock(), ScriptedFrames(count: 100_000))
        let players = ["a", "b"].map { fixture.player(frames, clock, name: $0, isOpened: $0 == "a") }
        for player in players { player.isVisible = true }
        frames.opening.open()
        var second = 0
        while !fixture.log.messages.contains(where: { $0.hasPrefix("b") }) {
            clock.tick(at: .seconds(second))
            second += 1
            await Task.yield()
        }
        #expect(Set(fixture.log.messages.suffix(2).map { $0.dropFirst() }).count == 1)
    }

    @Test("a surface may hide other players while it shows a frame")
    func hidesInShow() {
        let clock = fixture.clock()
        let second = fixture.player(ScriptedFrames(count: 9), clock, name: "second")
        var hasShown = false
        let frames = ScriptedFrames(count: 9)
        let first = AnimationPlayer(first: ScriptedFrames.bitmap(0), frameCount: 9, frames: frames, clock: clock) {
            frames
        } show: { _, _ in
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
