import ImageCore
import Testing

@Suite("AnimationTimeline")
struct AnimationTimelineTests {
    static let delays = [100, 200, 50].map { Duration.milliseconds($0) }

    @Test(
        "an endless animation repeats",
        arguments: [
            (-5, 0, 100), (0, 0, 100), (99, 0, 100), (100, 1, 300), (299, 1, 300), (300, 2, 350), (349, 2, 350),
            (350, 0, 450), (3_500_000, 0, 3_500_100), (3_500_120, 1, 3_500_300),
        ])
    func loops(_ elapsed: Int, _ frame: Int, _ end: Int) {
        let moment = AnimationTimeline(delays: Self.delays, loopCount: 0).moment(at: .milliseconds(elapsed))
        #expect(moment == AnimationMoment(frame: frame, end: .milliseconds(end)))
    }

    @Test(
        "an animation that plays twice ends with its last frame",
        arguments: [
            (0, 0, 100), (340, 2, 350), (350, 0, 450), (640, 1, 650), (650, 2, nil), (700, 2, nil), (1_000_000, 2, nil),
        ] as [(Int, Int, Int?)])
    func ends(_ elapsed: Int, _ frame: Int, _ end: Int?) {
        let moment = AnimationTimeline(delays: Self.delays, loopCount: 2).moment(at: .milliseconds(elapsed))
        #expect(moment == AnimationMoment(frame: frame, end: end.map { .milliseconds($0) }))
    }

    @Test(
        "a still image or an animation without delays is at its end",
        arguments: [[], [.seconds(1)], [.zero, .zero, .seconds(-1)]] as [[Duration]])
    func still(delays: [Duration]) {
        let moment = AnimationTimeline(delays: delays, loopCount: 0).moment(at: .seconds(5))
        #expect(moment == AnimationMoment(frame: 0, end: nil))
    }

    @Test("frames in memory play with a delay each, and others don't exist; short delays are longer, as in browsers")
    func decodedFrames() async throws {
        let bitmap = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [0, 0, 0, 255])
        let delays = Array(repeating: Duration.seconds(1), count: 3)
        let frames = DecodedFrames([bitmap, bitmap], delays: delays, loopCount: 0)
        #expect(frames.moment(at: .seconds(2)).frame == 0)
        try await frames.prepare(from: 1)
        await #expect(throws: ImageError.decoding(.noSuchFrame(2, frameCount: 2))) { try await frames.prepare(from: 2) }
        #expect([10, 11].map { Duration.milliseconds($0).shownDelay } == [.milliseconds(100), .milliseconds(11)])
    }

    @Test("the frame is found among many with different delays")
    func manyFrames() {
        let timeline = AnimationTimeline(delays: (1...12_000).map { .milliseconds($0) }, loopCount: 0)
        var start = 0
        for frame in 0..<12_000 {
            #expect(timeline.moment(at: .milliseconds(start)).frame == frame)
            start += frame + 1
            #expect(timeline.moment(at: .milliseconds(start - 1)).frame == frame)
        }
    }

    @Test("frames without delay are skipped, and extreme values have a frame")
    func extremes() {
        let timeline = AnimationTimeline(delays: [.zero, .seconds(1), .zero, .seconds(1)], loopCount: 0)
        #expect(timeline.moment(at: .zero).frame == 1)
        #expect(timeline.moment(at: .seconds(1)).frame == 3)
        let limits = [Duration(attoseconds: .max), Duration(attoseconds: .min)]
        for delay in limits {
            let timeline = AnimationTimeline(delays: Array(repeating: delay, count: 40), loopCount: .min)
            for time in limits { #expect((0..<40).contains(timeline.moment(at: time).frame)) }
        }
    }
}
