import HTTPTypes
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTesting
import ImageTransporting
import Observation
import Testing

@MainActor
@Suite("Image model", .timeLimit(.minutes(10)))
struct ImageModelTests {
    private let fixture = LoaderTestBed()

    /// Waits until the appearance satisfies the condition. Fails to return if observation does not work.
    private func becomes(_ model: ImageModel, _ condition: (ImageAppearance) -> Bool) async {
        while true {
            let change = Gate()
            let isReached = withObservationTracking {
                condition(model.appearance)
            } onChange: {
                change.open()
            }
            if isReached || Task.isCancelled { return }
            await change.whenOpen()
        }
    }

    @Test("an image in memory is available when show returns")
    func memoryHit() async throws {
        let request = fixture.request("a")
        try await fixture.warm(request)
        let model = ImageModel(loader: fixture.loader)
        model.show(request)
        #expect(model.appearance.text == "success(memory) final 4")
        #expect(model.request == request)
    }

    @Test("the appearance for a new request has its image from memory or its placeholder, never the previous one")
    func aboutToBeShown() async throws {
        let (shown, hit, missing) = (
            fixture.request("shown", width: 2), fixture.request("hit"), fixture.request("missing")
        )
        try await fixture.warm(shown)
        try await fixture.warm(hit)
        let model = ImageModel(loader: fixture.loader)
        #expect(model.appearance(for: shown).text == "success(memory) final 2")
        model.show(shown)
        #expect(model.appearance(for: shown).imageVersion == model.appearance.imageVersion)
        #expect(model.appearance(for: hit).text == "success(memory) final 4")
        #expect(model.appearance(for: missing).text == "idle none")
        let placeholder = fixture.request("b") { $0.options.setPlaceholder { LoaderTestBed.image(width: 9) } }
        #expect(model.appearance(for: placeholder).text == "idle placeholder 9")
        #expect(model.appearance(for: missing).imageVersion != model.appearance.imageVersion)
        #expect(model.appearance.text == "success(memory) final 2")
    }

    @Test("observers receive each change, and clear removes the image")
    func observing() async {
        let gate = Gate()
        let model = ImageModel(loader: fixture.loader)
        model.show(fixture.request("a", behind: gate))
        #expect(model.appearance.text == "loading none")
        gate.open()
        await becomes(model) { $0.phase.isSuccess }
        #expect(model.appearance.text == "success(network) final 4")
        model.clear()
        #expect(model.appearance.text == "idle none")
        #expect(model.request == nil)
    }

    @Test("show makes the model visible, so that it loads")
    func visible() async {
        var options = ImageBinding.Options()
        options.loadsBeforeVisible = false
        let model = ImageModel(loader: fixture.loader, options: options)
        model.show(fixture.request("a"))
        await becomes(model) { $0.phase.isSuccess }
        options.releasesHiddenImage = true
        let releasing = ImageModel(loader: fixture.loader, options: options)
        releasing.show(fixture.request("a"))
        releasing.setVisible(false)
        #expect(releasing.appearance.text == "idle none")
    }
}
