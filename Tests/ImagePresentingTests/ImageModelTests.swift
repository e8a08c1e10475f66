import HTTPTypes
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTesting
import ImageTransporting
import LoaderTestBed
import Observation
import Testing

@MainActor
@Suite("An observable model", .timeLimit(.minutes(10)))
struct ImageModelTests {
    private let fixture = LoaderTestBed()

    /// Returns as soon as the model has this appearance. Without observation it waits forever.
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

    @Test("an image in memory is there when show returns")
    func memoryHit() async throws {
        let request = fixture.request("a")
        try await fixture.warm(request)
        let model = ImageModel(loader: fixture.loader)
        model.show(request)
        #expect(model.appearance.text == "success(memory) final 4")
        #expect(model.request == request)
    }

    @Test("what is about to be shown is drawn from memory, or not at all, never as what was shown before")
    func aboutToBeShown() async throws {
        let (shown, hit, missing) = (
            fixture.request("shown", width: 2), fixture.request("hit"), fixture.request("missing")
        )
        try await fixture.warm(shown)
        try await fixture.warm(hit)
        let model = ImageModel(loader: fixture.loader)
        #expect(model.appearance(for: shown).text == "success(memory) final 2")
        model.show(shown)
        #expect(model.appearance(for: shown).imageNumber == model.appearance.imageNumber)
        #expect(model.appearance(for: hit).text == "success(memory) final 4")
        #expect(model.appearance(for: missing).text == "idle none")
        #expect(model.appearance(for: missing).imageNumber != model.appearance.imageNumber)
        #expect(model.appearance.text == "success(memory) final 2")
    }

    @Test("observers receive each change, and clear shows nothing")
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

    @Test("what it shows is visible: it is loaded at the request's priority, and where only that is loaded")
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

    @Test("retry loads once more")
    func retrying() async {
        let model = ImageModel(loader: fixture.loader)
        model.show(fixture.request("a", [.status(.notFound), .ok(LoaderTestBed.file(width: 4))]))
        await becomes(model) { $0.phase.isFailure }
        model.retry()
        await becomes(model) { $0.phase.isSuccess }
        #expect(fixture.transport.sendCount == 2)
    }

    @Test("a model that goes cancels what it waits for")
    func modelGone() async {
        let gate = Gate()
        var model: ImageModel? = ImageModel(loader: fixture.loader)
        model?.show(fixture.request("a", behind: gate))
        await gate.arrivals(1)
        model = nil
        await fixture.transport.cancellations(1)
        gate.open()
    }
}
