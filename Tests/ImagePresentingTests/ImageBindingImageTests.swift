import Foundation
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTransporting
import Testing

@testable import ImageTesting

@MainActor
@Suite("Images of a binding", .timeLimit(.minutes(10)))
struct ImageBindingImageTests {
    private let fixture = LoaderTestBed()
    private let surface = RecordingSurface()

    private var rendered: [String] { surface.rendered }

    @Test("renders an image in memory before bind returns, without placeholder and transition")
    func memoryHit() async throws {
        let made = MessageLog<String>()
        let request = fixture.request("a") {
            $0.placeholder = .deferred {
                made.append("placeholder")
                return LoaderTestBed.image(width: 9)
            }
            $0.transition = .fadeIn(.seconds(1))
        }
        try await fixture.warm(request)
        let binding = fixture.binding(on: surface)
        binding.bind(request)
        #expect(rendered == ["success(memory) final 4"])
        #expect(made.messages == [])
        #expect(fixture.transport.sendCount == 1)
    }

    @Test(
        "renders the placeholder, also one made on demand, the progress, and the network image with its transition",
        arguments: [true, false])
    func network(isMadeOnDemand: Bool) async {
        let gate = TestGate()
        let request = fixture.request("a", behind: gate) {
            let placeholder = LoaderTestBed.image(width: 9)
            $0.placeholder = .image(placeholder)
            if isMadeOnDemand { $0.placeholder = .deferred { placeholder } }
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

    @Test("renders the progress before the image is complete")
    func progress() async {
        let (gate, file) = (TestGate(), LoaderTestBed.file(width: 4))
        let body: [ScriptedTransport.Step] = [.piece(file.prefix(10)), .wait(gate), .piece(file.dropFirst(10))]
        let binding = fixture.binding(on: surface)
        binding.bind(fixture.request("a", [ScriptedTransport.Reply(announcedByteCount: file.count, body: body)]))
        await surface.log.waitForCount(2)
        #expect(rendered == ["loading empty", "loading(10) empty"])
        gate.open()
        await surface.ends { $0.phase.isSuccess }
    }

    @Test(
        "renders the best cached preview synchronously, and only once, and loads no worse one",
        arguments: [false, true])
    func previewInMemory(hasWorse: Bool) async throws {
        let gate = TestGate()
        let previews = [fixture.request("tiny", width: 1), fixture.request("small", width: 2)]
        for request in previews.dropFirst(hasWorse ? 0 : 1) { try await fixture.warm(request) }
        let binding = fixture.binding(on: surface)
        binding.bind(fixture.request("a", behind: gate) { $0.lowQuality = previews })
        #expect(rendered == ["loading preview 2"])
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.dropLast().allSatisfy { $0.hasSuffix("preview 2") })
        #expect(fixture.transport.sendCount == (hasWorse ? 3 : 2))
        #expect(surface.last.imageVersion == 2)
    }

    @Test("renders a low-quality image from the network")
    func previewFromNetwork() async {
        let gate = TestGate()
        let preview = fixture.request("small", width: 2)
        let binding = fixture.binding(on: surface) { $0.transition = .fadeIn(.seconds(1)) }
        binding.bind(fixture.request("a", behind: gate) { $0.lowQuality = [preview] })
        await surface.ends { $0.kind == .preview }
        #expect(surface.last.transition == .immediate)
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.last == "success(network) final 4 fadeIn")
    }

    @Test("keepsOldImage shows the previous image until there is a better one")
    func keepsOld() async throws {
        let gate = TestGate()
        let (old, new) = (fixture.request("old", width: 2), fixture.request("new", behind: gate))
        try await fixture.warm(old)
        let binding = fixture.binding(on: surface) { $0.keepsOldImage = true }
        binding.bind(old)
        let number = surface.last.imageVersion
        binding.bind(new)
        #expect(rendered.last == "loading previous 2")
        #expect(surface.last.imageVersion == number)
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(rendered.last == "success(network) final 4")
        #expect(surface.last.imageVersion != number)
    }

    @Test("keepsOldImage keeps no placeholder")
    func keepsNoPlaceholder() {
        let gate = TestGate()
        let binding = fixture.binding(on: surface) { $0.keepsOldImage = true }
        for (name, width) in [("a", 9), ("b", 8)] {
            binding.bind(
                fixture.request(name, behind: gate) { $0.placeholder = .image(LoaderTestBed.image(width: width)) })
        }
        #expect(rendered == ["loading placeholder 9", "loading placeholder 8"])
        gate.open()
    }

    @Test("removes the previous image immediately by default")
    func dropsOld() async throws {
        let gate = TestGate()
        let old = fixture.request("old", width: 2)
        try await fixture.warm(old)
        let binding = fixture.binding(on: surface)
        binding.bind(old)
        binding.bind(fixture.request("new", behind: gate))
        #expect(rendered == ["success(memory) final 2", "loading empty"])
        gate.open()
    }

    @Test("shows the failure image, or else keeps the placeholder", arguments: [true, false])
    func failure(hasImage: Bool) async {
        let binding = fixture.binding(on: surface)
        let request = fixture.failing {
            $0.placeholder = .image(LoaderTestBed.image(width: 8))
            if hasImage { $0.failureImage = LoaderTestBed.image(width: 7) }
        }
        binding.bind(request)
        await surface.ends { $0.phase.isFailure }
        #expect(rendered.last == "failure(not found) " + (hasImage ? "failureImage 7" : "placeholder 8"))
    }
}
