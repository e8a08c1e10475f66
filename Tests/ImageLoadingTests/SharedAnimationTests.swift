import ImageCore
import ImageTesting
import Testing

@testable import ImageLoading

@Suite("Shared animations", .timeLimit(.minutes(10)))
struct SharedAnimationTests {
    private let fixture = LoaderFixture()

    @Test("a window keeps the current frame and those that follow it", arguments: [true, false])
    func window(repeats: Bool) {
        var window = FrameWindow(frameCount: 9, frameByteCount: 1, repeats: repeats)
        window.move(to: 8, within: 3)
        let bitmap = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [0, 0, 0, 255])
        for index in 0..<9 { window.insert(bitmap, at: index) }
        #expect((0..<9).filter { window[$0] != nil } == (repeats ? [0, 1, 8] : [8]))
    }

    @Test("an animation ends after its last loop, and a task for it has its frames")
    func end() async throws {
        let task = fixture.loader.animationTask(for: fixture.animated("a", loopCount: 2))
        _ = try await task.image
        let frames = try #require(task.state.frames)
        #expect(frames.moment(at: .milliseconds(149)) == AnimationMoment(frame: 2, end: .milliseconds(150)))
        #expect(frames.moment(at: .seconds(9)) == AnimationMoment(frame: 2, end: nil))
    }

    @Test("an animation that plays twice repeats while its frames are decoded ahead")
    func repeats() async throws {
        let fixture = LoaderFixture { $0.animationByteLimit = 3 * 256 }
        let frames = try await fixture.loader.animation(for: fixture.animated("a", frames: 9, loopCount: 2)).frames
        try await frames.prepare(from: 8)
        #expect(frames.cachedFrame(at: 1) != nil)
    }

    @Test("the priority of an animation is the highest of its callers', and doesn't fall with theirs")
    func priority() async throws {
        let (request, first) = (fixture.animated("a"), LivePriority(.normal))
        let frames = try await fixture.loader.animation(for: request, following: first) { _ in }.frames
        let shared = try #require(frames as? SharedAnimation)
        first.value = .veryLow
        for (priority, expected) in [(RequestPriority.low, RequestPriority.normal), (.high, .high)] {
            _ = try await fixture.loader.animation(for: request, following: LivePriority(priority)) { _ in }
            #expect(shared.priority.value == expected)
        }
    }

    @Test("a cancelled task gets no animation from memory")
    func cancelled() async throws {
        let request = fixture.request("a")
        _ = try await fixture.loader.image(for: request)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await fixture.loader.animation(for: request)
        }
        await #expect(throws: ImageError.cancelled) { try await task.value }
    }
}
