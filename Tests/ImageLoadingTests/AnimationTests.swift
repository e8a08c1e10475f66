import Foundation
import ImageCore
import ImageScheduling
import ImageTransporting
import Testing

@testable import ImageLoading
@testable import ImageTesting

@Suite("Animations of the loader", .timeLimit(.minutes(10)))
struct AnimationTests {
    private let fixture = LoaderFixture()

    @Test("a still image is an animation of one frame, which is that of the memory cache")
    func still() async throws {
        let request = fixture.request("a")
        let animation = try await fixture.loader.animation(for: request)
        #expect(animation.frames.moment(at: .seconds(1)) == AnimationMoment(frame: 0, end: nil))
        let cached = try #require(fixture.memory.image(for: fixture.loader.cacheKey(for: request)))
        #expect(animation.frames.cachedFrame(at: 0)?.sharesPixels(with: cached.bitmap) == true)
        #expect(try await fixture.loader.animation(for: request).firstFrame.source == .memory)
        #expect(fixture.decoder.messages.count == 1)
    }

    @Test("frames are decoded on demand to the size of the request, processed, and then in memory")
    func onDemand() async throws {
        let step = FakeProcessor("inverted") { bitmap in
            let pixels = bitmap.pixels.map { 255 - $0 }
            return Bitmap(size: bitmap.size, pixels: pixels, isOpaque: false, colorSpace: bitmap.colorSpace)
        }
        let request = fixture.animated("a", frames: 40) {
            $0.target = ImageTarget(PixelSize(width: 4, height: 4))
            $0.color = .displayP3
            $0.processors = [step]
        }
        let animation = try await fixture.loader.animation(for: request)
        #expect(fixture.decodedFrames == [0])
        #expect(animation.firstFrame.decoded.header.frameCount == 40)
        #expect(animation.frames.moment(at: .milliseconds(120)) == AnimationMoment(frame: 2, end: .milliseconds(150)))
        try await animation.frames.prepare(from: 3)
        let frame = try #require(animation.frames.cachedFrame(at: 3))
        #expect(frame.size == PixelSize(width: 4, height: 4) && frame.colorSpace == .displayP3)
        #expect(frame.pixels.first == 252)
        try await animation.frames.prepare(from: 3)
        #expect(fixture.decodedFrames.count == Set(fixture.decodedFrames).count)
    }

    @Test("who shows the same image shares the frames, and a frame that several ask for is decoded once")
    func shared() async throws {
        let request = fixture.animated("a", frames: 40)
        let first = try await fixture.loader.animation(for: request)
        let second = try await fixture.loader.animation(for: request)
        #expect(first.frames === second.frames)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await second.frames.prepare(from: 5) } }
            try await group.waitForAll()
        }
        #expect(fixture.decodedFrames.count { $0 == 5 } == 1)
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("who asks after the image in memory was replaced gets frames of the new one, not of the one that is shown")
    func replaced() async throws {
        let request = fixture.animated("a", firstColor: 10)
        let shown = try await fixture.loader.animation(for: request)
        let replacement = fixture.animated("b", firstColor: 20)
        let (other, data) = try await (fixture.loader.image(for: replacement), fixture.loader.data(for: replacement))
        await fixture.loader.cacheData(data.data, for: request)
        fixture.loader.cacheImage(other.decoded, for: request)
        let second = try await fixture.loader.animation(for: request)
        #expect(second.firstFrame.decoded == other.decoded && second.frames !== shown.frames)
        #expect(second.frames.cachedFrame(at: 0)?.pixels.first == 20)
    }

    @Test("an animation and its image that are loaded at the same time share the download and the first frame")
    func sharedDownload() async throws {
        let gate = TestGate()
        let request = fixture.animated("a", behind: gate)
        let image = Task { try await fixture.loader.image(for: request) }
        let animation = Task { try await fixture.loader.animation(for: request) }
        await fixture.reaches(callers: 3)
        gate.open()
        _ = try await image.value
        try await animation.value.frames.prepare(from: 1)
        #expect(fixture.transport.sendCount == 1)
        #expect(fixture.decodedFrames.count { $0 == 0 } == 1)
    }

    @Test("without a disk cache, an animation is downloaded once", arguments: [false, true])
    func withoutDisk(_ isProcessed: Bool) async throws {
        let request = fixture.animated("a") {
            $0.cachePolicy.disk = .disabled
            if isProcessed { $0.processors = [FakeProcessor("same") { $0 }] }
        }
        try await fixture.loader.animation(for: request).frames.prepare(from: 1)
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("if the first frame is in memory, the others are decoded from the original on disk")
    func diskHit() async throws {
        let request = fixture.animated("a")
        _ = try await fixture.loader.image(for: request)
        let animation = try await fixture.loader.animation(for: request)
        #expect(animation.firstFrame.source == .memory)
        try await animation.frames.prepare(from: 2)
        #expect(animation.frames.cachedFrame(at: 2)?.pixels.first == 2)
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("the frames are released when the last of those who show them leaves")
    func released() async throws {
        let request = fixture.animated("a")
        var animations = [try await fixture.loader.animation(for: request)]
        animations.append(try await fixture.loader.animation(for: request))
        weak let frames = animations[0].frames
        try await animations[0].frames.prepare(from: 1)
        animations.removeLast()
        #expect(frames != nil)
        animations.removeLast()
        #expect(frames == nil)
        #expect(fixture.loader.animations.animation(for: request.cacheKey) == nil)
        #expect(fixture.loader.animations.byteLimitPerAnimation == 32_000_000)
    }

    @Test("a new original after a reload is another animation")
    func reload() async throws {
        let request = fixture.animated("a")
        let old = try await fixture.loader.animation(for: request)
        let newer = fixture.animated("a", firstColor: 100) { $0.mode = .reload }
        let new = try await fixture.loader.animation(for: newer)
        #expect(new.frames !== old.frames)
        try await new.frames.prepare(from: 1)
        #expect(new.frames.cachedFrame(at: 1)?.pixels.first == 101)
        #expect(try await fixture.loader.animation(for: request).frames === new.frames)
        try await old.frames.prepare(from: 1)
        #expect(old.frames.cachedFrame(at: 1)?.pixels.first == 1)
    }

    @Test("a frame that can't be decoded is an error when it is due, and not before")
    func damaged() async throws {
        let fixture = LoaderFixture { $0.decoder = DamagedDecoder(frame: 2) }
        let frames = try await fixture.loader.animation(for: fixture.animated("a", frames: 6)).frames
        try await frames.prepare(from: 1)
        #expect(frames.cachedFrame(at: 1) != nil)
        await #expect(throws: ImageError.decoding(.truncated(.fake))) { try await frames.prepare(from: 2) }
        for index in [-1, 6, .min, .max] {
            let failure = ImageError.decoding(.noSuchFrame(index, frameCount: 6))
            await #expect(throws: failure) { try await frames.prepare(from: index) }
        }
    }

    @Test("a cancelled request ends as cancelled, and so does a cancelled preparation; others continue")
    func cancelled() async throws {
        let scheduler = ManualScheduler()
        let fixture = LoaderFixture(scheduler: scheduler)
        let request = fixture.animated("a", frames: 40)
        let loading = Task { try await fixture.loader.animation(for: request) }
        await scheduler.waitForArrivals(1)
        loading.cancel()
        await #expect(throws: ImageError.cancelled) { try await loading.value }
        await scheduler.reachesCancellation()
        #expect(fixture.transport.messages.isEmpty)
        let again = Task { try await fixture.loader.animation(for: request) }
        for count in 2...3 {
            await scheduler.waitForArrivals(count)
            try await scheduler.runNext()
        }
        let frames = try await again.value.frames
        let (first, second) = (Task { try await frames.prepare(from: 1) }, Task { try await frames.prepare(from: 1) })
        await scheduler.waitForArrivals(4)
        await fixture.reaches(callers: 2)
        first.cancel()
        await #expect(throws: ImageError.cancelled) { try await first.value }
        second.cancel()
        await #expect(throws: ImageError.cancelled) { try await second.value }
        await becomesTrue { scheduler.waiting.isEmpty }
        #expect(fixture.decodedFrames == [0])
    }

    @Test("frames are decoded at the highest priority of the requests")
    func priority() async throws {
        let scheduler = ManualScheduler()
        let fixture = LoaderFixture(scheduler: scheduler)
        var request = fixture.animated("a") { $0.priority = .low }
        let loading = Task { [request] in try await fixture.loader.animation(for: request) }
        for count in 1...2 {
            await scheduler.waitForArrivals(count)
            try await scheduler.runNext()
        }
        let frames = try await loading.value.frames
        for priority in [RequestPriority.veryHigh, .low] {
            request.priority = priority
            _ = try await fixture.loader.animation(for: request)
        }
        let preparation = Task { try await frames.prepare(from: 1) }
        await scheduler.waitForArrivals(3)
        let decode = try #require(scheduler.waiting.first)
        await scheduler.waitUntil { $0.contains(.enqueued(decode, .decode, .veryHigh, server: nil)) }
        preparation.cancel()
        _ = await preparation.result
    }
}

@Suite("The memory of animations", .timeLimit(.minutes(10)))
struct AnimationMemoryTests {
    private func loader(byteLimit: Int, pressure: SettableConditionMonitor<MemoryPressureLevel>? = nil)
        -> LoaderFixture
    {
        LoaderFixture {
            $0.animationByteLimit = byteLimit
            $0.memoryPressureMonitor = pressure
        }
    }

    /// Returns the frames in memory, except for the first, which the memory cache has.
    private func cached(_ frames: any AnimationFrames) -> [Int] {
        (1..<20).filter { frames.cachedFrame(at: $0) != nil }
    }

    @Test(
        "the next frames are decoded ahead, also across the end, within the limit and at least one",
        arguments: [(0, 1), (.min, 1), (255, 1), (700, 2), (1_024, 4), (2_048, 8), (5_119, 8), (5_120, 20), (.max, 20)])
    func limit(_ byteLimit: Int, _ count: Int) async throws {
        let fixture = loader(byteLimit: byteLimit)
        let frames = try await fixture.loader.animation(for: fixture.animated("a", frames: 20)).frames
        for index in [1, 2, 7, 19, 1] {
            try await frames.prepare(from: index)
            let expected = Set((index..<index + count).map { $0 % 20 }).subtracting([0]).sorted()
            #expect(cached(frames) == (count == 20 ? Array(1..<20) : expected))
        }
    }

    @Test("each frame is decoded once while it is in the window, and once if all fit")
    func decodes() async throws {
        let few = loader(byteLimit: 1_024)
        let frames = try await few.loader.animation(for: few.animated("a", frames: 20)).frames
        for index in 0..<20 { try await frames.prepare(from: index) }
        #expect(few.decodedFrames == Array(0..<20) + [1, 2])
        let all = loader(byteLimit: .max)
        let endless = try await all.loader.animation(for: all.animated("a", frames: 20)).frames
        for index in 0..<100 { try await endless.prepare(from: index % 20) }
        #expect(all.decodedFrames == Array(0..<20))
    }

    @Test("an animation that plays once decodes nothing ahead across the end")
    func playsOnce() async throws {
        let fixture = loader(byteLimit: 1_024)
        let frames = try await fixture.loader.animation(for: fixture.animated("a", frames: 20, loopCount: 1)).frames
        try await frames.prepare(from: 18)
        #expect(fixture.decodedFrames == [0, 18, 19])
    }

    @Test("animations divide the limit, and one that is released leaves its share to the others")
    func divided() async throws {
        let fixture = loader(byteLimit: 1_024)
        let first = try await fixture.loader.animation(for: fixture.animated("a", frames: 20)).frames
        try await first.prepare(from: 1)
        #expect(cached(first) == [1, 2, 3, 4])
        var second: LoadedAnimation? = try await fixture.loader.animation(for: fixture.animated("b", frames: 20))
        #expect(cached(first) == [1, 2])
        try await second?.frames.prepare(from: 1)
        #expect(second.map { cached($0.frames) } == [1, 2])
        second = nil
        try await first.prepare(from: 1)
        #expect(cached(first) == [1, 2, 3, 4])
    }

    @Test(
        "memory pressure leaves each animation one frame until it ends",
        arguments: [
            MemoryPressureLevel.warning, .critical,
        ])
    func pressure(_ level: MemoryPressureLevel) async throws {
        let monitor = SettableConditionMonitor(MemoryPressureLevel.normal)
        let fixture = loader(byteLimit: 1_024, pressure: monitor)
        let frames = try await fixture.loader.animation(for: fixture.animated("a", frames: 20)).frames
        try await frames.prepare(from: 3)
        monitor.condition = level
        #expect(cached(frames) == [3])
        try await frames.prepare(from: 4)
        #expect(cached(frames) == [4])
        monitor.condition = .normal
        try await frames.prepare(from: 4)
        #expect(cached(frames) == [4, 5, 6, 7])
    }

    @Test("a loader that is created under memory pressure keeps one frame of each animation")
    func pressureFromTheStart() async throws {
        let monitor = SettableConditionMonitor(MemoryPressureLevel.warning)
        let fixture = loader(byteLimit: 1_024, pressure: monitor)
        let frames = try await fixture.loader.animation(for: fixture.animated("a", frames: 20)).frames
        try await frames.prepare(from: 3)
        #expect(cached(frames) == [3])
    }

    @Test("the delays of an animation count as memory of its first frame")
    func delays() async throws {
        let fixture = LoaderFixture()
        let image = try await fixture.loader.image(for: fixture.animated("a", frames: 40)).decoded
        #expect(image.byteCount == 256 + 40 * MemoryLayout<Duration>.size)
    }
}

extension LoaderFixture {
    /// Returns a request for an animation of 8 by 8 pixels with 50 ms per frame. The red value of a frame is its number.
    func animated(
        _ name: String, frames: Int = 3, firstColor: Int = 0, loopCount: Int = 0, behind gate: TestGate? = nil,
        adjust: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        let image = FakeImage(
            PixelSize(width: 8, height: 8), frames: (0..<frames).map { [UInt8($0 + firstColor), 0, 0, 255] },
            delays: Array(repeating: .milliseconds(50), count: frames), loopCount: loopCount)
        let held = gate.map { [ScriptedTransport.Step.wait($0)] } ?? []
        let reply = ScriptedTransport.Reply(body: held + [.piece(image.encoded)])
        return request(name, fit: nil, then: reply, adjust: adjust)
    }

    /// The frames that were decoded, in order.
    fileprivate var decodedFrames: [Int] {
        decoder.messages.compactMap { if case .decode(_, let request) = $0 { request.frame } else { nil } }
    }
}

/// A decoder that can't decode one frame of an animation and those after it.
private struct DamagedDecoder: SizedImageDecoder {
    let frame: Int
    private let base = FakeSizedImageDecoder()

    init(frame: Int) { self.frame = frame }

    func header(of data: Data) throws(ImageDecodingError) -> ImageHeader { try base.header(of: data) }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        guard request.frame < frame else { throw .truncated(.fake) }
        return try base.decode(data, request: request, isCancelled: isCancelled)
    }
}
