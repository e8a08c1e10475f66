import Foundation
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTesting
import ImageTransporting
import StagedLoader
import Testing

@MainActor
@Suite("What a binding shows", .timeLimit(.minutes(10)))
struct ImageBindingPictureTests {
    private let stage = StagedLoader()
    private let surface = RecordingSurface()

    private var rendered: [String] { surface.rendered }

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
        let request = stage.failing {
            $0.options[.placeholder] = StagedLoader.picture(width: 8)
            if hasPicture { $0.options[.failurePicture] = StagedLoader.picture(width: 7) }
        }
        binding.bind(request)
        await surface.ends { $0.phase.isFailure }
        #expect(rendered.last == "failure(not found) " + (hasPicture ? "failurePicture 7" : "placeholder 8"))
    }
}
