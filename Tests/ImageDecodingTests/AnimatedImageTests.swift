import Foundation
import ImageCore
import ImageTesting
import Testing

@testable import ImageDecoding

@Suite("AnimatedImage")
struct AnimatedImageTests {
    private static let size = PixelSize(width: 8, height: 8)
    private static let frameByteCount = 256

    @Test("header and timing are available before a frame is decoded")
    func header() throws {
        let codec = FakeDecoder()
        let animation = try animation(frames: 5, codec)
        #expect(animation.frameCount == 5)
        #expect(animation.moment(at: .milliseconds(120)) == AnimationMoment(frame: 2, isLast: false))
        #expect(animation.byteCount == 0)
        #expect(animation.cachedFrame(at: 0) == nil)
        #expect(decodedFrames(codec) == [])
    }

    @Test("a frame is decoded once and then cached")
    func onDemand() async throws {
        let codec = FakeDecoder()
        let animation = try animation(frames: 5, codec)
        let frame = try await animation.frame(at: 3)
        #expect(frame.pixels.first == 3)
        #expect(animation.cachedFrame(at: 3) == frame)
        #expect(try await animation.frame(at: 3) == frame)
        #expect(decodedFrames(codec) == [3])
    }

    @Test("frames are upright and have the target size")
    func sized() async throws {
        var image = FakeImage(PixelSize(width: 8, height: 4), frames: Self.colors(2))
        image.orientation = .left
        let animation = try DownsamplingDecoder(decoders: [FakeDecoder()])
            .animatedImage(from: image.encoded, target: ImageTarget(PixelSize(width: 2, height: 4)))
        #expect(try await animation.frame(at: 1).size == PixelSize(width: 2, height: 4))
    }

    @Test("decodes the next frames ahead, also across the end, up to the lookahead")
    func lookahead() async throws {
        let codec = FakeDecoder()
        let animation = try animation(frames: 6, byteLimit: 5 * Self.frameByteCount, lookahead: 2, codec)
        try await animation.prepare(from: 0)
        #expect(decodedFrames(codec) == [0, 1, 2])
        try await animation.prepare(from: 1)
        #expect(decodedFrames(codec) == [0, 1, 2, 3])
        #expect(animation.cachedFrame(at: 0) == nil)
        try await animation.prepare(from: 5)
        #expect(decodedFrames(codec) == [0, 1, 2, 3, 5, 0], "frame 1 is still cached")
        #expect(animation.byteCount == 3 * Self.frameByteCount)
    }

    @Test("an animation that plays once does not decode ahead across the end")
    func playsOnce() async throws {
        let codec = FakeDecoder()
        let animation = try animation(frames: 6, byteLimit: 5 * Self.frameByteCount, loopCount: 1, codec)
        try await animation.prepare(from: 4)
        #expect(decodedFrames(codec) == [4, 5])
    }

    @Test("stays within the byte limit, but keeps at least one frame", arguments: [0, 256, 700, 1024])
    func byteLimit(_ limit: Int) async throws {
        let animation = try animation(frames: 20, byteLimit: limit)
        for index in [0, 1, 2, 7, 19, 0] {
            try await animation.prepare(from: index)
            #expect(animation.byteCount == max(1, min(4, limit / Self.frameByteCount)) * Self.frameByteCount)
            #expect(animation.cachedFrame(at: index) != nil)
        }
    }

    @Test("decodes each frame once if all frames fit")
    func allFit() async throws {
        let codec = FakeDecoder()
        let animation = try animation(frames: 4, byteLimit: 4 * Self.frameByteCount, lookahead: 1, codec)
        for index in [0, 1, 2, 3, 0, 1, 2, 3] { try await animation.prepare(from: index) }
        #expect(decodedFrames(codec).sorted() == [0, 1, 2, 3])
    }

    @Test("tasks that request the same frame decode it once")
    func shared() async throws {
        let gate = Gate()
        let codec = FakeDecoder(gate: gate)
        let animation = try animation(frames: 3, codec)
        let first = Task { try await animation.frame(at: 1) }
        await gate.arrivals(1)
        // Each of these runs until it waits for the first.
        let others = (0..<8).map { _ in Task.immediate { try await animation.frame(at: 1) } }
        gate.open()
        let frame = try await first.value
        for other in others { #expect(try await other.value == frame) }
        #expect(decodedFrames(codec) == [1])
    }

    @Test("throws for a frame number out of range")
    func outside() async throws {
        let animation = try animation(frames: 3)
        for index in [-1, 3] {
            await #expect(throws: DecodingFailure.noSuchFrame(index, frameCount: 3)) {
                try await animation.frame(at: index)
            }
        }
    }

    @Test("a cancelled task throws and does not affect others")
    func cancelled() async throws {
        let animation = try animation(frames: 3)
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask {
                await #expect(throws: DecodingFailure.cancelled) { try await animation.frame(at: 0) }
            }
        }
        #expect(try await animation.frame(at: 0).pixels.first == 0)
    }

    @Test("throws the decoder's error each time")
    func failing() async throws {
        let failure = DecodingFailure.malformed(.fake, "broken")
        let animation = try animation(frames: 3, FakeDecoder(decodeFailure: failure))
        for _ in 0..<2 { await #expect(throws: failure) { try await animation.frame(at: 0) } }
        await #expect(throws: failure) { try await animation.prepare(from: 0) }
    }

    private func animation(
        frames: Int, byteLimit: Int = 1 << 20, lookahead: Int = 3, loopCount: Int = 0,
        _ codec: FakeDecoder = FakeDecoder()
    ) throws -> AnimatedImage {
        let delays = [Duration](repeating: .milliseconds(50), count: frames)
        let image = FakeImage(Self.size, frames: Self.colors(frames), delays: delays, loopCount: loopCount)
        return try DownsamplingDecoder(decoders: [codec])
            .animatedImage(from: image.encoded, byteLimit: byteLimit, lookahead: lookahead)
    }

    /// Returns frames of one color, whose red value is the frame number.
    private static func colors(_ count: Int) -> [[UInt8]] { (0..<count).map { [UInt8($0), 0, 0, 255] } }

    private func decodedFrames(_ codec: FakeDecoder) -> [Int] {
        codec.messages.compactMap { if case .decode(let frame, _, _, _) = $0 { frame } else { nil } }
    }
}

@Suite("AnimationTimeline")
struct AnimationTimelineTests {
    static let delays = [100, 200, 50].map { Duration.milliseconds($0) }

    @Test(
        "an endless animation repeats",
        arguments: [
            (-5, 0), (0, 0), (99, 0), (100, 1), (299, 1), (300, 2), (349, 2), (350, 0), (3_500_000, 0), (3_500_120, 1),
        ])
    func loops(_ elapsed: Int, _ frame: Int) {
        let moment = AnimationTimeline(delays: Self.delays, loopCount: 0).moment(at: .milliseconds(elapsed))
        #expect(moment == AnimationMoment(frame: frame, isLast: false))
    }

    @Test(
        "an animation that plays twice ends with its last frame",
        arguments: [
            (0, 0, false), (340, 2, false), (350, 0, false), (640, 1, false), (650, 2, true), (700, 2, true),
            (1_000_000, 2, true),
        ])
    func ends(_ elapsed: Int, _ frame: Int, _ isLast: Bool) {
        let moment = AnimationTimeline(delays: Self.delays, loopCount: 2).moment(at: .milliseconds(elapsed))
        #expect(moment == AnimationMoment(frame: frame, isLast: isLast))
    }

    @Test(
        "a still image or an animation without delays is at its end",
        arguments: [[], [.seconds(1)], [.zero, .zero, .seconds(-1)]] as [[Duration]])
    func still(delays: [Duration]) {
        let moment = AnimationTimeline(delays: delays, loopCount: 0).moment(at: .seconds(5))
        #expect(moment == AnimationMoment(frame: 0, isLast: true))
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
