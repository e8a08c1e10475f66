import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImageTransporting
import Testing

@testable import ImagePresenting
@testable import ImageTesting

@MainActor
@Suite("Animations of a binding", .timeLimit(.minutes(10)))
struct ImageBindingAnimationTests {
    private let loader = FakeImageLoader()
    private let surface = RecordingSurface()
    private let clock = AnimationClock { _ in }

    /// Returns a request for three frames of 1, 2 and 3 pixels in width, with a second each.
    private func animated(_ name: String = "a") -> ImageRequest {
        let request = ImageRequest(.data(Data(), name: name))
        loader.script(.animation((1...3).map { PixelSize(width: $0, height: 1) }, delay: .seconds(1)), for: request)
        return request
    }

    private func binding(_ clock: AnimationClock?, releasesHidden: Bool = false) -> ImageBinding {
        var options = ImageBinding.Options()
        options.releasesHiddenImage = releasesHidden
        return ImageBinding(loader: loader, surface: surface, options: options, clock: clock)
    }

    /// Binds an animation that is not in memory, and starts it at the time zero.
    private func playing(releasesHidden: Bool = false) async -> ImageBinding {
        let binding = binding(clock, releasesHidden: releasesHidden)
        binding.bind(animated())
        await surface.ends { $0.kind == .final }
        clock.tick(at: .zero)
        return binding
    }

    private var loadCount: Int { loader.messages.count { if case .image = $0 { true } else { false } } }

    private var shownWidth: Int? { surface.last.image?.bitmap.size.width }

    /// Ticks each second until a condition is true, at most 10,000 times.
    private func tick(from start: Int = 0, until isDone: () -> Bool) async {
        for second in start..<10_000 where !isDone() {
            clock.tick(at: .seconds(second))
            await Task.yield()
        }
    }

    @Test("a loaded animation plays at its times, and a frame that is late is skipped")
    func plays() async {
        let binding = await playing()
        for seconds in [1.0, 1.5, 2, 4, 4, 5.5, 9] { clock.tick(at: .seconds(seconds)) }
        let widths = surface.rendered.suffix(6)
        #expect(Array(widths) == [1, 2, 3, 2, 3, 1].map { "success(network) final \($0)" })
        #expect(surface.last.isAnimating)
        #expect(loadCount == 1, "the frames are loaded with the image")
        withExtendedLifetime(binding) {}
    }

    @Test("without a clock the first frame is shown, and another one starts with it")
    func otherClock() async {
        let binding = await playing()
        clock.tick(at: .seconds(1))
        #expect(shownWidth == 2)
        binding.clock = nil
        #expect(shownWidth == 1 && !surface.last.isAnimating)
        binding.clock = clock
        await tick(from: 2) { shownWidth != 1 }
        #expect(shownWidth == 2)
        clock.reducesMotion = true
        #expect(shownWidth == 1)
        withExtendedLifetime(binding) {}
    }

    @Test(
        "the frames of a reloaded image that gets a clock later are loaded without another reload",
        arguments: [ImageLoadMode.reload, .revalidate])
    func clockAfterReload(_ mode: ImageLoadMode) async {
        let fixture = LoaderTestBed()
        let image = FakeImage(
            PixelSize(width: 1, height: 1), frames: [[1, 0, 0, 255], [2, 0, 0, 255]],
            delays: [.seconds(1), .seconds(1)], loopCount: 0)
        let binding = ImageBinding(loader: fixture.loader, surface: surface)
        binding.bind(fixture.request("a", [.ok(image.encoded)]) { $0.mode = mode })
        await surface.ends { $0.kind == .final }
        binding.clock = clock
        await tick { fixture.transport.sendCount >= 2 }
        let asksServer = fixture.transport.requests.map { $0.headers[.cacheControl] != nil }
        #expect(asksServer == [true, false])
    }

    @Test("an animation in memory shows its first frame before bind returns, and then plays")
    func memoryHit() async throws {
        _ = try await loader.image(for: animated())
        let binding = binding(clock)
        binding.bind(animated())
        #expect(surface.rendered == ["success(memory) final 1"])
        await tick { shownWidth != 1 }
        #expect(shownWidth == 2)
        withExtendedLifetime(binding) {}
    }

    @Test("a hidden animation rests, and its frames are released if the image is", arguments: [false, true])
    func hidden(_ releases: Bool) async {
        let binding = await playing(releasesHidden: releases)
        clock.tick(at: .seconds(1))
        binding.isVisible = false
        #expect(!clock.isRunning)
        #expect(shownWidth == (releases ? nil : 2))
        let count = surface.rendered.count
        clock.tick(at: .seconds(2))
        #expect(surface.rendered.count == count)
        binding.isVisible = true
        #expect(clock.isRunning)
        if releases { return }
        for second in 60...61 { clock.tick(at: .seconds(second)) }
        #expect(shownWidth == 3)
    }

    @Test("a still image, and an animation that arrives while the surface is hidden, need no clock")
    func needsNoClock() async {
        let binding = binding(clock)
        let still = ImageRequest(.data(Data(), name: "still"))
        loader.script(.image(PixelSize(width: 7, height: 1)), for: still)
        binding.bind(still)
        await surface.ends { $0.kind == .final }
        #expect(!clock.isRunning)
        binding.isVisible = false
        binding.bind(animated())
        await surface.ends { $0.kind == .final && $0.image?.bitmap.size.width == 1 }
        #expect(!clock.isRunning)
        binding.isVisible = true
        #expect(clock.isRunning)
    }

    @Test("a released binding ends the animation")
    func released() async {
        var binding: ImageBinding? = await playing()
        #expect(binding?.appearance.kind == .final)
        binding = nil
        await becomesTrue { !clock.isRunning }
    }

    @Test("another request, unbinding and a released surface end the animation", arguments: 0..<3)
    func ends(_ end: Int) async {
        var surface: RecordingSurface? = RecordingSurface()
        let binding = binding(clock)
        binding.surface = surface
        binding.bind(animated())
        await surface?.ends { $0.kind == .final }
        for second in 0...1 { clock.tick(at: .seconds(second)) }
        #expect(clock.isRunning)
        let still = ImageRequest(.data(Data(), name: "still"))
        loader.script(.image(PixelSize(width: 9, height: 9)), for: still)
        switch end {
        case 0:
            binding.bind(still)
            await surface?.ends { $0.image?.bitmap.size.width == 9 }
        case 1: binding.unbind()
        default: surface = nil
        }
        for second in 2...3 { clock.tick(at: .seconds(second)) }
        #expect(!clock.isRunning)
        #expect(binding.appearance.image?.bitmap.size.width == (end == 0 ? 9 : nil))
    }

    @Test("with reduced motion or without a clock, an animation shows its first frame and loads no other")
    func rests() async {
        clock.reducesMotion = true
        for clock in [clock, nil] {
            let binding = binding(clock)
            binding.bind(animated())
            await surface.ends { $0.kind == .final }
            clock?.tick(at: .zero)
            clock?.tick(at: .seconds(1))
            #expect(shownWidth == 1)
            #expect(!surface.last.isAnimating)
            binding.unbind()
            loader.removeCachedImages()
        }
        #expect(loadCount == 2)
    }

    @Test("the frames are not loaded before motion is allowed")
    func motionAllowedLater() async {
        clock.reducesMotion = true
        let binding = await playing()
        clock.reducesMotion = false
        clock.tick(at: .zero)
        await becomesTrue { loadCount == 2 }
        withExtendedLifetime(binding) {}
    }

    @Test("a preview that is animated rests, also with a clock that is set later")
    func preview() async throws {
        let (gate, small) = (TestGate(), animated("small"))
        _ = try await loader.image(for: small)
        var request = ImageRequest(.data(Data(), name: "large"))
        request.lowQuality = [small]
        loader.script(.held(gate, .image(PixelSize(width: 9, height: 9))), for: request)
        let binding = binding(nil)
        binding.bind(request)
        binding.clock = clock
        #expect(binding.appearance.kind == .preview && binding.appearance.image?.header.frameCount == 3)
        #expect(!clock.isRunning)
        gate.open()
    }

    @Test("a model shows the frames")
    func model() async {
        let model = ImageModel(loader: loader, clock: clock)
        model.show(animated())
        await becomesTrue { model.appearance.kind == .final }
        for second in 0...1 { clock.tick(at: .seconds(second)) }
        #expect(model.appearance.image?.bitmap.size.width == 2)
        #expect(model.appearance.imageVersion == 2)
    }

    @Test("without a disk cache, the image and the frames of an animation are one download")
    func oneDownload() async {
        let bed = LoaderTestBed()
        let colors = (0..<3).map { [UInt8($0), 0, 0, 255] }
        let file = FakeImage(PixelSize(width: 4, height: 3), frames: colors, loopCount: 0).encoded
        let binding = ImageBinding(loader: bed.loader, surface: surface, clock: clock)
        binding.bind(bed.request("a", [.ok(file)]))
        await surface.ends { $0.kind == .final }
        var milliseconds = 0
        while !surface.last.isAnimating {
            clock.tick(at: .milliseconds(milliseconds))
            milliseconds += 100
            await Task.yield()
        }
        #expect(bed.transport.sendCount == 1)
        withExtendedLifetime(binding) {}
    }
}
