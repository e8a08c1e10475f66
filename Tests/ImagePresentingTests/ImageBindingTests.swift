import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTesting
import ImageTransporting
import StagedLoader
import Testing

@MainActor
@Suite("A binding", .timeLimit(.minutes(10)))
struct ImageBindingTests {
    private let stage = StagedLoader()
    private let surface = RecordingSurface()

    private var rendered: [String] { surface.rendered }

    /// A request that fails as often as it is asked, but for the last time.
    private func failing(_ times: Int = 1, adjust: (inout ImageRequest) -> Void = { _ in }) -> ImageRequest {
        let failures = Array(repeating: ScriptedTransport.Reply.status(.notFound), count: times)
        return stage.request("failing", failures + [.ok(StagedLoader.file(width: 4))], adjust: adjust)
    }

    // MARK: What is shown

    @Test("a picture in memory is rendered before bind returns, without placeholder and transition")
    func memoryHit() async throws {
        let request = stage.request("a") {
            $0.options[.placeholder] = StagedLoader.picture(width: 9)
            $0.options[.transition] = ImageTransition.fadeIn(.seconds(1))
        }
        try await stage.warm(request)
        let binding = stage.binding(on: surface)
        binding.bind(request)
        #expect(rendered == ["success(memory) final 4"])
        #expect(stage.transport.sendCount == 1)
    }

    @Test("a picture from the network comes after the placeholder, with progress, in the transition that is asked for")
    func network() async {
        let gate = Gate()
        let request = stage.request("a", behind: gate) {
            $0.options[.placeholder] = StagedLoader.picture(width: 9)
        }
        let binding = stage.binding(on: surface) { $0.transition = .crossDissolve(.seconds(1)) }
        binding.bind(request)
        #expect(rendered == ["loading placeholder 9"])
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.last == "success(network) final 4 crossDissolve")
        let bytes = StagedLoader.file(width: 4).count
        #expect(rendered.dropFirst().dropLast().allSatisfy { $0 == "loading(\(bytes)) placeholder 9" })
    }

    @Test("bytes that have come are told before the rest is there")
    func progress() async {
        let (gate, file) = (Gate(), StagedLoader.file(width: 4))
        let body: [ScriptedTransport.Step] = [.piece(file.prefix(10)), .wait(gate), .piece(file.dropFirst(10))]
        let binding = stage.binding(on: surface)
        binding.bind(stage.request("a", [ScriptedTransport.Reply(announcedBytes: file.count, body: body)]))
        await surface.log.reaches(2)
        #expect(rendered == ["loading none", "loading(10) none"])
        gate.open()
        await surface.ends { $0.phase.isSuccess }
    }

    @Test("the best lesser picture in memory is shown in the same turn, and not told again")
    func lesserInMemory() async throws {
        let gate = Gate()
        let lesser = [stage.request("tiny", width: 1), stage.request("small", width: 2)]
        for request in lesser { try await stage.warm(request) }
        let binding = stage.binding(on: surface)
        binding.bind(stage.request("a", behind: gate) { $0.lowQuality = lesser })
        #expect(rendered == ["loading preview 2"])
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.dropLast().allSatisfy { $0.hasSuffix("preview 2") })
        #expect(stage.transport.sendCount == 3)
        #expect(surface.last.pictureNumber == 2)
    }

    @Test("a lesser picture from the network is shown as it comes")
    func lesserFromNetwork() async {
        let gate = Gate()
        let lesser = stage.request("small", width: 2)
        let binding = stage.binding(on: surface) { $0.transition = .fadeIn(.seconds(1)) }
        binding.bind(stage.request("a", behind: gate) { $0.lowQuality = [lesser] })
        await surface.ends { $0.kind == .preview }
        #expect(surface.last.transition == .none)
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.last == "success(network) final 4 fadeIn")
    }

    @Test("the old picture stays, where that is asked for, until there is a better one")
    func keepsOld() async throws {
        let gate = Gate()
        let (old, new) = (stage.request("old", width: 2), stage.request("new", behind: gate))
        try await stage.warm(old)
        let binding = stage.binding(on: surface) { $0.keepsOldPicture = true }
        binding.bind(old)
        let number = surface.last.pictureNumber
        binding.bind(new)
        #expect(rendered.last == "loading kept 2")
        #expect(surface.last.pictureNumber == number)
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.last == "success(network) final 4")
        #expect(surface.last.pictureNumber != number)
    }

    @Test("what is kept is a picture, never a placeholder")
    func keepsNoPlaceholder() {
        let gate = Gate()
        let binding = stage.binding(on: surface) { $0.keepsOldPicture = true }
        for (name, width) in [("a", 9), ("b", 8)] {
            binding.bind(
                stage.request(name, behind: gate) { $0.options[.placeholder] = StagedLoader.picture(width: width) })
        }
        #expect(rendered == ["loading placeholder 9", "loading placeholder 8"])
        gate.open()
    }

    @Test("the old picture goes at once, where nothing else is asked for")
    func dropsOld() async throws {
        let gate = Gate()
        let old = stage.request("old", width: 2)
        try await stage.warm(old)
        let binding = stage.binding(on: surface)
        binding.bind(old)
        binding.bind(stage.request("new", behind: gate))
        #expect(rendered == ["success(memory) final 2", "loading none"])
        gate.open()
    }

    @Test("a failure shows its picture, and what was shown before when there is none", arguments: [true, false])
    func failure(hasPicture: Bool) async {
        let binding = stage.binding(on: surface)
        let request = failing {
            $0.options[.placeholder] = StagedLoader.picture(width: 8)
            if hasPicture { $0.options[.failurePicture] = StagedLoader.picture(width: 7) }
        }
        binding.bind(request)
        await surface.ends { $0.phase.isFailure }
        #expect(rendered.last == "failure(not found) " + (hasPicture ? "failurePicture 7" : "placeholder 8"))
    }

    // MARK: What is not shown

    @Test("what was bound before is cancelled, and never shown")
    func older() async {
        let (old, new) = (Gate(), Gate())
        let binding = stage.binding(on: surface)
        binding.bind(stage.request("old", width: 2, behind: old))
        await old.arrivals(1)
        binding.bind(stage.request("new", behind: new))
        await stage.transport.cancellations(1)
        old.open()
        new.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(!rendered.contains { $0.contains(" 2") })
        #expect(binding.appearance.text == "success(network) final 4")
    }

    @Test("what was bound before is cancelled by a picture in memory, too")
    func olderThanMemory() async throws {
        let (gate, hit) = (Gate(), stage.request("hit"))
        try await stage.warm(hit)
        let binding = stage.binding(on: surface)
        binding.bind(stage.request("old", width: 2, behind: gate))
        await gate.arrivals(1)
        binding.bind(hit)
        await stage.transport.cancellations(1)
        gate.open()
        #expect(rendered == ["loading none", "success(memory) final 4"])
    }

    @Test("to unbind clears the surface and cancels; cancelling is no failure")
    func unbinding() async {
        let gate = Gate()
        let binding = stage.binding(on: surface)
        binding.bind(stage.request("a", behind: gate))
        await gate.arrivals(1)
        binding.unbind()
        #expect(rendered == ["loading none", "idle none"])
        await stage.transport.cancellations(1)
        gate.open()
        while !stage.imageCoalescer.isIdle { await Task.yield() }
        binding.unbind()
        binding.retry()
        #expect(rendered == ["loading none", "idle none"])
        #expect(binding.request == nil)
    }

    @Test("to unbind clears a picture that is there")
    func unbindingFinished() async throws {
        let request = stage.request("a")
        try await stage.warm(request)
        let binding = stage.binding(on: surface) { $0.keepsOldPicture = true }
        binding.bind(request)
        binding.unbind()
        #expect(rendered == ["success(memory) final 4", "idle none"])
    }

    @Test("a binding that goes cancels what it waits for")
    func bindingGone() async {
        let gate = Gate()
        var binding: ImageBinding? = stage.binding(on: surface)
        binding?.bind(stage.request("a", behind: gate))
        await gate.arrivals(1)
        binding = nil
        await stage.transport.cancellations(1)
        gate.open()
        #expect(rendered == ["loading none"])
    }

    @Test("a surface that is gone ends the work at the next event")
    func surfaceGone() async {
        let (gate, file) = (Gate(), StagedLoader.file(width: 4))
        let body: [ScriptedTransport.Step] = [
            .wait(gate), .piece(file.prefix(10)), .wait(Gate()), .piece(file.dropFirst(10)),
        ]
        let request = stage.request("a", [ScriptedTransport.Reply(announcedBytes: file.count, body: body)])
        var surface: RecordingSurface? = RecordingSurface()
        let binding = surface.map { ImageBinding(loader: stage.loader, surface: $0) }
        binding?.bind(request)
        surface = nil
        gate.open()
        await stage.transport.cancellations(1)
        while binding?.request != nil { await Task.yield() }
        #expect(binding?.appearance.text == "idle none")
    }

    @Test("a surface may bind something else while it renders")
    func bindsInRender() async {
        let binding = stage.binding(on: surface)
        let (first, second) = (stage.request("first", width: 2), stage.request("second"))
        surface.onRender = { [weak binding] _ in
            if binding?.request == first { binding?.bind(second) }
        }
        binding.bind(first)
        await surface.ends { $0.phase.isSuccess }
        #expect(stage.transport.requests.map(\.url.lastPathComponent) == ["second"])
        #expect(binding.appearance.text == "success(network) final 4")
    }

    // MARK: The same once more

    @Test("an equal request changes nothing while it loads, nor when it is there")
    func rebinding() async {
        let gate = Gate()
        let request = stage.request("a", behind: gate)
        let binding = stage.binding(on: surface)
        binding.bind(request)
        await gate.arrivals(1)
        binding.bind(request)
        #expect(rendered == ["loading none"])
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        let count = rendered.count
        binding.bind(request)
        #expect(rendered.count == count)
        #expect(stage.transport.sendCount == 1)
    }

    @Test("another size of the same URL is another picture")
    func anotherSize() async {
        let (gate, request) = (Gate(), stage.request("a"))
        let binding = stage.binding(on: surface)
        binding.bind(request)
        await surface.ends { $0.phase.isSuccess }
        var small = stage.request("a", behind: gate)
        small.target = ImageTarget(PixelSize(width: 2, height: 2))
        binding.bind(small)
        #expect(rendered.last == "loading none")
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.last == "success(network) final 2")
    }

    @Test("an equal request is tried anew when it has failed")
    func rebindingFailed() async {
        let binding = stage.binding(on: surface)
        let request = failing()
        binding.bind(request)
        await surface.ends { $0.phase.isFailure }
        binding.bind(request)
        await surface.ends { $0.phase.isSuccess }
        #expect(stage.transport.sendCount == 2)
    }

    @Test("retry loads once more after a failure, and does nothing otherwise")
    func retrying() async {
        let binding = stage.binding(on: surface)
        binding.retry()
        #expect(rendered.isEmpty)
        binding.bind(failing(2))
        binding.retry()
        #expect(rendered == ["loading none"])
        for sends in 2...3 {
            await surface.ends { $0.phase.isFailure }
            binding.retry()
            #expect(rendered.last == "loading none")
            await stage.transport.sends(sends)
        }
        await surface.ends { $0.phase.isSuccess }
        binding.retry()
        #expect(binding.appearance.phase.isSuccess)
        #expect(stage.transport.sendCount == 3)
    }
}
