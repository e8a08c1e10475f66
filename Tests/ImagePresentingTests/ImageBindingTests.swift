import Foundation
import ImageCoalescing
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTesting
import ImageTransporting
import LoaderTestBed
import Testing

@MainActor
@Suite("A binding", .timeLimit(.minutes(10)))
struct ImageBindingTests {
    private let fixture = LoaderTestBed()
    private let surface = RecordingSurface()

    private var rendered: [String] { surface.rendered }

    // MARK: What is not shown

    @Test("what was bound before is cancelled, and never shown")
    func older() async {
        let (old, new) = (Gate(), Gate())
        let binding = fixture.binding(on: surface)
        binding.bind(fixture.request("old", width: 2, behind: old))
        await old.arrivals(1)
        binding.bind(fixture.request("new", behind: new))
        await fixture.transport.cancellations(1)
        old.open()
        new.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(!rendered.contains { $0.contains(" 2") })
        #expect(binding.appearance.text == "success(network) final 4")
    }

    @Test("what was bound before is cancelled by an image in memory, too")
    func olderThanMemory() async throws {
        let (gate, hit) = (Gate(), fixture.request("hit"))
        try await fixture.warm(hit)
        let binding = fixture.binding(on: surface)
        binding.bind(fixture.request("old", width: 2, behind: gate))
        await gate.arrivals(1)
        binding.bind(hit)
        await fixture.transport.cancellations(1)
        gate.open()
        #expect(rendered == ["loading none", "success(memory) final 4"])
    }

    @Test("to unbind clears the surface and cancels; cancelling is no failure")
    func unbinding() async {
        let gate = Gate()
        let binding = fixture.binding(on: surface)
        binding.bind(fixture.request("a", behind: gate))
        await gate.arrivals(1)
        binding.unbind()
        #expect(rendered == ["loading none", "idle none"])
        await fixture.transport.cancellations(1)
        gate.open()
        while !fixture.imageCoalescer.isIdle { await Task.yield() }
        binding.unbind()
        binding.retry()
        #expect(rendered == ["loading none", "idle none"])
        #expect(binding.request == nil)
    }

    @Test("to unbind clears an image that is there")
    func unbindingFinished() async throws {
        let request = fixture.request("a")
        try await fixture.warm(request)
        let binding = fixture.binding(on: surface) { $0.keepsOldImage = true }
        binding.bind(request)
        binding.unbind()
        #expect(rendered == ["success(memory) final 4", "idle none"])
    }

    @Test("a binding that goes cancels what it waits for")
    func bindingGone() async {
        let gate = Gate()
        var binding: ImageBinding? = fixture.binding(on: surface)
        binding?.bind(fixture.request("a", behind: gate))
        await gate.arrivals(1)
        binding = nil
        await fixture.transport.cancellations(1)
        gate.open()
        #expect(rendered == ["loading none"])
    }

    @Test("a surface that is gone ends the work at the next event")
    func surfaceGone() async {
        let (gate, file) = (Gate(), LoaderTestBed.file(width: 4))
        let body: [ScriptedTransport.Step] = [
            .wait(gate), .piece(file.prefix(10)), .wait(Gate()), .piece(file.dropFirst(10)),
        ]
        let request = fixture.request("a", [ScriptedTransport.Reply(announcedBytes: file.count, body: body)])
        var surface: RecordingSurface? = RecordingSurface()
        let binding = surface.map { ImageBinding(loader: fixture.loader, surface: $0) }
        binding?.bind(request)
        surface = nil
        gate.open()
        await fixture.transport.cancellations(1)
        while binding?.request != nil { await Task.yield() }
        #expect(binding?.appearance.text == "idle none")
    }

    @Test("a surface may bind something else while it renders")
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

    // MARK: The same once more

    @Test("an equal request changes nothing while it loads, nor when it is there")
    func rebinding() async {
        let gate = Gate()
        let request = fixture.request("a", behind: gate)
        let binding = fixture.binding(on: surface)
        binding.bind(request)
        await gate.arrivals(1)
        binding.bind(request)
        #expect(rendered == ["loading none"])
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        let count = rendered.count
        binding.bind(request)
        #expect(rendered.count == count)
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("another size of the same URL is another image")
    func anotherSize() async {
        let (gate, request) = (Gate(), fixture.request("a"))
        let binding = fixture.binding(on: surface)
        binding.bind(request)
        await surface.ends { $0.phase.isSuccess }
        var small = fixture.request("a", behind: gate)
        small.target = ImageTarget(PixelSize(width: 2, height: 2))
        binding.bind(small)
        #expect(rendered.last == "loading none")
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.last == "success(network) final 2")
    }

    @Test("an equal request is tried anew when it has failed")
    func rebindingFailed() async {
        let binding = fixture.binding(on: surface)
        let request = fixture.failing()
        binding.bind(request)
        await surface.ends { $0.phase.isFailure }
        binding.bind(request)
        await surface.ends { $0.phase.isSuccess }
        #expect(fixture.transport.sendCount == 2)
    }

    @Test("retry loads once more after a failure, and does nothing otherwise")
    func retrying() async {
        let binding = fixture.binding(on: surface)
        binding.retry()
        #expect(rendered.isEmpty)
        binding.bind(fixture.failing(2))
        binding.retry()
        #expect(rendered == ["loading none"])
        for sends in 2...3 {
            await surface.ends { $0.phase.isFailure }
            binding.retry()
            #expect(rendered.last == "loading none")
            await fixture.transport.sends(sends)
        }
        await surface.ends { $0.phase.isSuccess }
        binding.retry()
        #expect(binding.appearance.phase.isSuccess)
        #expect(fixture.transport.sendCount == 3)
    }
}
