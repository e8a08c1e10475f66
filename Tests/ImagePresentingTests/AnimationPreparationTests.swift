import Testing

@testable import ImagePresenting
@testable import ImageTesting

@MainActor
@Suite("Preparing animation frames", .timeLimit(.minutes(10)))
struct AnimationPreparationTests {
    private let fixture = AnimationFixture()

    @Test("keeps the previous frame until a late frame is ready")
    func lateFrame() async {
        let (clock, frames) = (fixture.clock(), ScriptedFrames(count: 9, isPrepared: false))
        let player = fixture.player(frames, clock)
        player.isVisible = true
        clock.tick(at: .zero)
        await frames.gate.waitForArrivals(1)
        clock.tick(at: .seconds(1))
        #expect(fixture.log.messages == ["run"])
        frames.gate.letOnePass()
        await becomesTrue { frames.cachedFrame(at: 0) != nil }
        while frames.gate.arrivalCount < 2 {
            clock.tick(at: .seconds(2))
            await Task.yield()
        }
        #expect(frames.prepared == [0, 2])
        frames.gate.letOnePass()
        await becomesTrue { frames.cachedFrame(at: 2) != nil }
        clock.tick(at: .seconds(2))
        #expect(fixture.log.messages == ["run", "2"])
        frames.gate.open()
        withExtendedLifetime(player) {}
    }

    @Test("prepares one frame at a time")
    func preparesOnce() async {
        let (clock, frames) = (fixture.clock(), ScriptedFrames(count: 9, isPrepared: false))
        let player = fixture.player(frames, clock)
        player.isVisible = true
        for second in 0...5 { clock.tick(at: .seconds(second)) }
        await frames.gate.waitForArrivals(1)
        for second in 6...7 { clock.tick(at: .seconds(second)) }
        #expect(frames.prepared == [0])
        frames.gate.open()
        withExtendedLifetime(player) {}
    }

    @Test("prepares nothing while the frame after the next is in memory")
    func preparesMissing() async {
        let (clock, frames) = (fixture.clock(), ScriptedFrames(count: 9))
        let player = fixture.player(frames, clock)
        player.isVisible = true
        frames.remove(5)
        for second in 0...2 { clock.tick(at: .seconds(second)) }
        #expect(frames.prepared.isEmpty)
        clock.tick(at: .seconds(3))
        await becomesTrue { frames.endCount >= 1 }
        #expect(frames.prepared == [3])
    }

    @Test("prepares the next frames in memory for drawing, up to the first that is missing")
    func preparesForDrawing() async {
        let (clock, frames, drawn) = (fixture.clock(), ScriptedFrames(count: 9), MessageLog<Int>())
        clock.prepareFrame = { drawn.append(ScriptedFrames.index(of: $0)) }
        let player = fixture.player(frames, clock)
        player.isVisible = true
        frames.remove(2)
        clock.tick(at: .zero)
        await drawn.waitForCount(2)
        frames.remove(6)
        while drawn.messages.count < 4 {
            clock.tick(at: .seconds(4))
            await Task.yield()
        }
        #expect(drawn.messages == [0, 1, 4, 5])
    }

    @Test("loads the frames at the first tick, and starts when they are loaded")
    func loadsFrames() async {
        let (clock, frames) = (fixture.clock(), ScriptedFrames(count: 9))
        let player = fixture.player(frames, clock, isOpened: false)
        player.isVisible = true
        for _ in 0..<100 { await Task.yield() }
        #expect(frames.opening.arrivalCount == 0)
        for second in 0...5 { clock.tick(at: .seconds(second)) }
        await frames.opening.waitForArrivals(1)
        frames.opening.open()
        var second = 5
        while fixture.log.messages.count < 2 {
            second += 1
            clock.tick(at: .seconds(second))
            await Task.yield()
        }
        #expect(fixture.log.messages == ["run", "1"])
        #expect(frames.opening.arrivalCount == 1)
        withExtendedLifetime(player) {}
    }

    @Test("stops if a frame can't be decoded")
    func broken() async {
        let (clock, frames) = (fixture.clock(), ScriptedFrames(count: 9, isPrepared: false, isBroken: true))
        let player = fixture.player(frames, clock)
        player.isVisible = true
        frames.gate.open()
        clock.tick(at: .zero)
        await becomesTrue { !clock.isRunning }
        #expect(player.isFinished)
        #expect(fixture.log.messages == ["run", "stop"])
    }

    @Test("rests on the frame that is shown if a later one can't be decoded")
    func brokenLater() async {
        let (clock, frames) = (fixture.clock(), ScriptedFrames(count: 9, isBroken: true))
        frames.remove(4)
        let player = fixture.player(frames, clock)
        player.isVisible = true
        for second in 0...2 { clock.tick(at: .seconds(second)) }
        await becomesTrue { !clock.isRunning }
        #expect(fixture.log.messages == ["run", "1", "2", "2 at rest", "stop"])
    }

    @Test("a hidden player prepares nothing, and its cancellation is not a failure")
    func hiddenPreparation() async {
        let (clock, frames) = (fixture.clock(), ScriptedFrames(count: 9, isPrepared: false, isBroken: true))
        let player = fixture.player(frames, clock)
        player.isVisible = true
        clock.tick(at: .zero)
        await frames.gate.waitForArrivals(1)
        player.isVisible = false
        frames.gate.open()
        await becomesTrue { frames.endCount >= 1 }
        for _ in 0..<10 { await Task.yield() }
        #expect(!player.isFinished)
        player.isVisible = true
        #expect(clock.isRunning)
    }

    @Test("prepares a cancelled frame again when the player is visible again")
    func preparesAgain() async {
        let (clock, frames) = (fixture.clock(), ScriptedFrames(count: 9, isPrepared: false))
        let player = fixture.player(frames, clock)
        player.isVisible = true
        clock.tick(at: .zero)
        await frames.gate.waitForArrivals(1)
        frames.gate.letOnePass()
        await becomesTrue { frames.endCount >= 1 }
        while frames.prepared.count < 2 {
            clock.tick(at: .seconds(1))
            await Task.yield()
        }
        player.isVisible = false
        frames.gate.open()
        await becomesTrue { frames.endCount >= 2 }
        player.isVisible = true
        while fixture.log.messages.last != "1" {
            clock.tick(at: .seconds(50))
            await Task.yield()
        }
        #expect(frames.prepared.prefix(3) == [0, 1, 1])
    }

    @Test("prepares frames even beyond the frame budget")
    func preparesBeyondBudget() async {
        let (clock, frames) = (fixture.clock(budget: 1), ScriptedFrames(count: 9, isPrepared: false))
        let (quick, slow) = (
            fixture.player(ScriptedFrames(count: 9), clock, name: "quick"), fixture.player(frames, clock)
        )
        quick.isVisible = true
        clock.tick(at: .zero)
        slow.isVisible = true
        clock.tick(at: .seconds(1))
        await frames.gate.waitForArrivals(1)
        frames.gate.open()
        #expect(fixture.log.messages == ["run", "quick1"])
    }
}
