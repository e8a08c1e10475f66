import Foundation
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTesting
import ImageTransporting
import LoaderTestBed
import Testing

@MainActor
@Suite("What a binding shows", .timeLimit(.minutes(10)))
struct ImageBindingImageTests {
    private let fixture = LoaderTestBed()
    private let surface = RecordingSurface()

    private var rendered: [String] { surface.rendered }

    @Test("an image in memory is rendered before bind returns, without placeholder and transition")
    func memoryHit() async throws {
        let request = fixture.request("a") {
            $0.options[.placeholder] = LoaderTestBed.image(width: 9)
            $0.options[.transition] = ImageTransition.fadeIn(.seconds(1))
        }
        try await fixture.warm(request)
        let binding = fixture.binding(on: surface)
        binding.bind(request)
        #expect(rendered == ["success(memory) final 4"])
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("an image from the network comes after the placeholder, with progress, in the transition that is asked for")
    func network() async {
        let gate = Gate()
        let request = fixture.request("a", behind: gate) {
            $0.options[.placeholder] = LoaderTestBed.image(width: 9)
        }
        let binding = fixture.binding(on: surface) { $0.transition = .crossDissolve(.seconds(1)) }
        binding.bind(request)
        #expect(rendered == ["loading placeholder 9"])
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.last == "success(network) final 4 crossDissolve")
        let bytes = LoaderTestBed.file(width: 4).count
        #expect(rendered.dropFirst().dropLast().allSatisfy { $0 == "loading(\(bytes)) placeholder 9" })
    }

    @Test("bytes that have come are told before the rest is there")
    func progress() async {
        let (gate, file) = (Gate(), LoaderTestBed.file(width: 4))
        let body: [ScriptedTransport.Step] = [.piece(file.prefix(10)), .wait(gate), .piece(file.dropFirst(10))]
        let binding = fixture.binding(on: surface)
        binding.bind(fixture.request("a", [ScriptedTransport.Reply(announcedBytes: file.count, body: body)]))
        await surface.log.reaches(2)
        #expect(rendered == ["loading none", "loading(10) none"])
        gate.open()
        await surface.ends { $0.phase.isSuccess }
    }

    @Test("the best lesser image in memory is shown in the same turn, and not told again")
    func lesserInMemory() async throws {
        let gate = Gate()
        let lesser = [fixture.request("tiny", width: 1), fixture.request("small", width: 2)]
        for request in lesser { try await fixture.warm(request) }
        let binding = fixture.binding(on: surface)
        binding.bind(fixture.request("a", behind: gate) { $0.lowQuality = lesser })
        #expect(rendered == ["loading preview 2"])
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.dropLast().allSatisfy { $0.hasSuffix("preview 2") })
        #expect(fixture.transport.sendCount == 3)
        #expect(surface.last.imageNumber == 2)
    }

    @Test("a lesser image from the network is shown as it comes")
    func lesserFromNetwork() async {
        let gate = Gate()
        let lesser = fixture.request("small", width: 2)
        let binding = fixture.binding(on: surface) { $0.transition = .fadeIn(.seconds(1)) }
        binding.bind(fixture.request("a", behind: gate) { $0.lowQuality = [lesser] })
        await surface.ends { $0.kind == .preview }
        #expect(surface.last.transition == .none)
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.last == "success(network) final 4 fadeIn")
    }

    @Test("the old image stays, where that is asked for, until there is a better one")
    func keepsOld() async throws {
        let gate = Gate()
        let (old, new) = (fixture.request("old", width: 2), fixture.request("new", behind: gate))
        try await fixture.warm(old)
        let binding = fixture.binding(on: surface) { $0.keepsOldImage = true }
        binding.bind(old)
        let number = surface.last.imageNumber
        binding.bind(new)
        #expect(rendered.last == "loading kept 2")
        #expect(surface.last.imageNumber == number)
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.last == "success(network) final 4")
        #expect(surface.last.imageNumber != number)
    }

    @Test("what is kept is an image, never a placeholder")
    func keepsNoPlaceholder() {
        let gate = Gate()
        let binding = fixture.binding(on: surface) { $0.keepsOldImage = true }
        for (name, width) in [("a", 9), ("b", 8)] {
            binding.bind(
                fixture.request(name, behind: gate) { $0.options[.placeholder] = LoaderTestBed.image(width: width) })
        }
        #expect(rendered == ["loading placeholder 9", "loading placeholder 8"])
        gate.open()
    }

    @Test("the old image goes at once, where nothing else is asked for")
    func dropsOld() async throws {
        let gate = Gate()
        let old = fixture.request("old", width: 2)
        try await fixture.warm(old)
        let binding = fixture.binding(on: surface)
        binding.bind(old)
        binding.bind(fixture.request("new", behind: gate))
        #expect(rendered == ["success(memory) final 2", "loading none"])
        gate.open()
    }

    @Test("a failure shows its image, and what was shown before when there is none", arguments: [true, false])
    func failure(hasImage: Bool) async {
        let binding = fixture.binding(on: surface)
        let request = fixture.failing {
            $0.options[.placeholder] = LoaderTestBed.image(width: 8)
            if hasImage { $0.options[.failureImage] = LoaderTestBed.image(width: 7) }
        }
        binding.bind(request)
        await surface.ends { $0.phase.isFailure }
        #expect(rendered.last == "failure(not found) " + (hasImage ? "failureImage 7" : "placeholder 8"))
    }
}
