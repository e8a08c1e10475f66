import ImageCore
import ImageDecoding
import Testing

@Suite("AnimationTimeline")
struct AnimationTimelineTests {
    static let delays = [100, 200, 50].map { Duration.milliseconds($0) }

    /// The elapsed milliseconds, the frame, the completed loops, and the milliseconds until the next frame or nil.
    static let endless: [(Int, Int, Int, Int?)] = [
        (-5, 0, 0, 100), (0, 0, 0, 100), (99, 0, 0, 1), (100, 1, 0, 200), (299, 1, 0, 1), (300, 2, 0, 50),
        (349, 2, 0, 1), (350, 0, 1, 100), (3_500_000, 0, 10_000, 100), (3_500_120, 1, 10_000, 180),
    ]

    @Test("an endless animation repeats", arguments: endless)
    func loops(_ elapsed: Int, _ frame: Int, _ loops: Int, _ left: Int?) {
        let position = AnimationTimeline(delays: Self.delays, loopCount: 0).position(at: .milliseconds(elapsed))
        #expect(position.frame == frame)
        #expect(position.completedLoops == loops)
        #expect(position.untilNext == left.map { .milliseconds($0) })
        #expect(!position.isFinished)
    }

    static let twice: [(Int, Int, Int, Int?)] = [
        (0, 0, 0, 100), (340, 2, 0, 10), (350, 0, 1, 100), (640, 1, 1, 10), (650, 2, 1, nil), (699, 2, 1, nil),
        (700, 2, 2, nil), (1_000_000, 2, 2, nil),
    ]

    @Test("an animation that plays twice ends with its last frame", arguments: twice)
    func ends(_ elapsed: Int, _ frame: Int, _ loops: Int, _ left: Int?) {
        let position = AnimationTimeline(delays: Self.delays, loopCount: 2).position(at: .milliseconds(elapsed))
        #expect(position.frame == frame)
        #expect(position.completedLoops == loops)
        #expect(position.untilNext == left.map { .milliseconds($0) })
        #expect(position.isFinished == (left == nil))
    }

    @Test("a still image or an animation without delays is finished at the start")
    func still() {
        for timeline in [
            AnimationTimeline(delays: [], loopCount: 1), AnimationTimeline(delays: [.seconds(1)], loopCount: 0),
            AnimationTimeline(delays: [.zero, .zero, .seconds(-1)], loopCount: 0),
            AnimationTimeline(ImageHeader(format: .png, storedSize: PixelSize(width: 1, height: 1))),
        ] {
            let position = timeline.position(at: .seconds(5))
            #expect(position.frame == 0)
            #expect(position.isFinished)
        }
    }

    @Test("frames without delay are skipped")
    func zeroDelay() {
        let timeline = AnimationTimeline(delays: [.zero, .seconds(1), .zero, .seconds(1)], loopCount: 0)
        #expect(timeline.loopDuration == .seconds(2))
        #expect(timeline.position(at: .zero).frame == 1)
        #expect(timeline.position(at: .seconds(1)).frame == 3)
    }
}
