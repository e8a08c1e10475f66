import ImageCore
import ImageLoading
import ImagePresenting
import ImageTesting
import ImageTransporting
import Testing

@MainActor
@Suite("A binding", .timeLimit(.minutes(10)))
struct ImageBindingTests {
    private let stage = PresentingStage()

    private var rendered: [String] { stage.surface.rendered }

    @Test("a picture in memory is rendered before bind returns, without placeholder and transition")
    func memoryHit() async throws {
        let request = stage.request("a") {
            $0.options[.placeholder] = PresentingStage.picture(width: 9)
            $0.options[.transition] = ImageTransition.fadeIn(.seconds(1))
        }
        try await stage.warm(request)
        let binding = stage.binding()
        binding.bind(request)
        #expect(rendered == ["success(memory) final 4"])
        #expect(stage.transport.sendCount == 1)
    }

    @Test("a picture from the network comes after the placeholder, with progress, in the transition that is asked for")
    func network() async {
        let gate = Gate()
        let placeholder = PresentingStage.picture(width: 9)
        let request = stage.request("a", behind: gate) { $0.options[.placeholder] = placeholder }
        let binding = stage.binding { $0.transition = .crossDissolve(.seconds(1)) }
        binding.bind(request)
        #expect(rendered == ["loading placeholder 9"])
        gate.open()
        await stage.surface.ends { $0.phase.isSuccess }
        #expect(rendered.last == "success(network) final 4 crossDissolve")
        let bytes = PresentingStage.file(width: 4).count
        #expect(rendered.dropFirst().dropLast().allSatisfy { $0 == "loading(\(bytes)) placeholder 9" })
    }
}
