import Foundation
import ImageCoalescing
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTransporting
import Testing

@testable import ImageTesting

@MainActor
@Suite("Image binding", .timeLimit(.minutes(10)))
struct ImageBindingTests {
    private let fixture = LoaderTestBed()
    private let surface = RecordingSurface()

    private var rendered: [String] { surface.rendered }

    // MARK: Replaced requests

    @Test("cancels the previous request and never shows its image")
    func older() async {
        let (old, new) = (TestGate(), TestGate())
        let binding = fixture.binding(on: surface)
        binding.bind(fixture.request("old", width: 2, behind: old))
        await old.waitForArrivals(1)
        binding.bind(fixture.request("new", behind: new))
        await fixture.transport.waitForCancellations(1)
        old.open()
        new.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(!rendered.contains { $0.contains(" 2") })
        #expect(binding.appearance.text == "success(network) final 4")
    }

    @Test("another URL of the same image is the same request")
    func rotatedURL() async {
        let fixture = LoaderTestBed { $0.urlIdentifier = { url in url.path } }
        let gate = TestGate()
        let binding = fixture.binding(on: surface)
        binding.bind(fixture.request("a?sig=1", behind: gate))
        await gate.waitForArrivals(1)
        binding.bind(fixture.request("a?sig=2", behind: gate))
        #expect(rendered == ["loading empty"])
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        binding.bind(fixture.request("a?sig=3"))
        #expect(rendered.last == "success(network) final 4")
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("unbinding clears the surface and cancels, without a failure")
    func unbinding() async {
        let gate = TestGate()
        let binding = fixture.binding(on: surface)
        binding.bind(fixture.request("a", behind: gate))
        await gate.waitForArrivals(1)
        binding.unbind()
        #expect(rendered == ["loading empty", "idle empty"])
        await fixture.transport.waitForCancellations(1)
        gate.open()
        await becomesTrue { fixture.coalescer.isIdle }
        binding.unbind()
        binding.retry()
        #expect(rendered == ["loading empty", "idle empty"])
        #expect(binding.request == nil)
    }

    @Test("deallocating the binding cancels its request")
    func bindingGone() async {
        let gate = TestGate()
        var binding: ImageBinding? = fixture.binding(on: surface)
        binding?.bind(fixture.request("a", behind: gate))
        await gate.waitForArrivals(1)
        binding = nil
        await fixture.transport.waitForCancellations(1)
        gate.open()
        #expect(rendered == ["loading empty"])
    }

    @Test("cancels at the next event after the surface is deallocated")
    func surfaceGone() async {
        let (gate, file) = (TestGate(), LoaderTestBed.file(width: 4))
        let body: [ScriptedTransport.Step] = [
            .wait(gate), .piece(file.prefix(10)), .wait(TestGate()), .piece(file.dropFirst(10)),
        ]
        let request = fixture.request("a", [ScriptedTransport.Reply(announcedByteCount: file.count, body: body)])
        var surface: RecordingSurface? = RecordingSurface()
        let binding = surface.map { ImageBinding(loader: fixture.loader, surface: $0) }
        binding?.bind(request)
        surface = nil
        gate.open()
        await fixture.transport.waitForCancellations(1)
        await becomesTrue { binding?.request == nil }
        #expect(binding?.appearance.text == "idle empty")
    }

    @Test("a binding without a surface loads, and a surface that is set later renders what there is")
    func laterSurface() async {
        let (binding, other) = (fixture.binding(on: surface), RecordingSurface())
        binding.surface = other
        binding.surface = nil
        binding.bind(fixture.request("a"))
        await becomesTrue { binding.appearance.phase.isSuccess }
        #expect(surface.rendered.isEmpty && other.rendered.isEmpty)
        binding.surface = other
        #expect(other.rendered == ["success(network) final 4"])
    }

    @Test("a surface may bind another request while it renders")
    func bindsInRender() async {
        let binding = fixture.binding(on: surface)
        let (first, second) = (fixture.request("first", width: 2), fixture.request("second"))
        surface.onRender = { [weak binding] _ in
            if binding?.request == first { binding?.bind(second) }
        }
        binding.bind(first)
        await surface.ends { $0.phase.isSuccess }
        #expect(fixture.transport.requests.map(\.url.lastPathComponent) == ["second"])
        #expect(binding.appearance.text == "success(network) final 4")
    }

    // MARK: Equal requests

    @Test("binding an equal request changes nothing while loading and afterwards")
    func rebinding() async {
        let gate = TestGate()
        let request = fixture.request("a", behind: gate)
        let binding = fixture.binding(on: surface)
        binding.bind(request)
        await gate.waitForArrivals(1)
        binding.bind(request)
        #expect(rendered == ["loading empty"])
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        let count = rendered.count
        binding.bind(request)
        #expect(rendered.count == count)
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("another size of the same URL is loaded, and the image of the old size stays until then")
    func anotherSize() async {
        let (gate, request) = (TestGate(), fixture.request("a"))
        let binding = fixture.binding(on: surface)
        binding.bind(request)
        await surface.ends { $0.phase.isSuccess }
        var small = fixture.request("a", behind: gate)
        small.target = ImageTarget(PixelSize(width: 2, height: 2))
        small.cachePolicy.memory = .readOnly
        binding.bind(small)
        #expect(rendered.last == "loading previous 4")
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.last == "success(network) final 2")
    }

    @Test("binding an equal request with another placeholder shows that, and its priority and transition count")
    func anotherPlaceholder() async throws {
        let scheduler = ManualScheduler()
        let fixture = LoaderTestBed(scheduler: scheduler)
        let binding = fixture.binding(on: surface)
        var request = fixture.request("a") { $0.placeholder = .deferred(id: 1) { LoaderTestBed.image(width: 1) } }
        binding.bind(request)
        await scheduler.waitForArrivals(1)
        binding.bind(request)
        #expect(rendered == ["loading placeholder 1"])
        request.priority = .high
        request.placeholder = .deferred(id: 2) { LoaderTestBed.image(width: 2) }
        request.transition = .fadeIn(.seconds(1))
        binding.bind(request)
        #expect(rendered == ["loading placeholder 1", "loading placeholder 2"])
        #expect(scheduler.messages.contains { if case .reprioritized(_, .high) = $0 { true } else { false } })
        while !surface.last.phase.isSuccess {
            try await scheduler.runAll()
            await Task.yield()
        }
        #expect(rendered.last == "success(network) final 4 fadeIn")
    }

    @Test("binding an equal request loads again after a failure")
    func rebindingFailed() async {
        let binding = fixture.binding(on: surface)
        let request = fixture.failing()
        binding.bind(request)
        await surface.ends { $0.phase.isFailure }
        binding.bind(request)
        await surface.ends { $0.phase.isSuccess }
        #expect(fixture.transport.sendCount == 2)
    }

    @Test("retry loads again after a failure, and has no effect otherwise")
    func retrying() async {
        let binding = fixture.binding(on: surface)
        binding.retry()
        #expect(rendered.isEmpty)
        binding.bind(fixture.failing(2))
        binding.retry()
        #expect(rendered == ["loading empty"])
        for sends in 2...3 {
            await surface.ends { $0.phase.isFailure }
            binding.retry()
            #expect(rendered.last == "loading empty")
            await fixture.transport.waitForSends(sends)
        }
        await surface.ends { $0.phase.isSuccess }
        binding.retry()
        #expect(binding.appearance.phase.isSuccess)
        #expect(fixture.transport.sendCount == 3)
    }
}
