import HTTPTypes
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTransporting
import Observation
import Testing

@testable import ImageTesting

@MainActor
@Suite("Image model", .timeLimit(.minutes(10)))
struct ImageModelTests {
    private let fixture = LoaderTestBed()

    /// Waits until the appearance satisfies the condition. Fails to return if observation does not work.
    private func becomes(_ model: ImageModel, _ condition: (ImageAppearance) -> Bool) async {
        while true {
            let change = TestGate()
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

    @Test("who reads only the appearance for a request is told of changes, also before the request is shown")
    func observesUpcoming() {
        let request = fixture.request("a")
        let (model, change) = (ImageModel(loader: fixture.loader), MessageLog<String>())
        withObservationTracking {
            #expect(model.appearance(for: request).text == "loading empty")
        } onChange: {
            change.append("changed")
        }
        model.show(request)
        #expect(change.messages == ["changed"])
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
        #expect(model.appearance(for: missing).text == "loading empty")
        let placeholder = fixture.request("b") { $0.placeholder = .deferred { LoaderTestBed.image(width: 9) } }
        #expect(model.appearance(for: placeholder).text == "loading placeholder 9")
        #expect(model.appearance(for: missing).imageVersion != model.appearance.imageVersion)
        #expect(model.appearance.text == "success(memory) final 2")
    }

    @Test("the appearance for a new request keeps the old image, or has its best preview from memory, as after show")
    func upcomingImages() async throws {
        let (old, small) = (fixture.request("old", width: 2), fixture.request("small", width: 3))
        for request in [old, small] { try await fixture.warm(request) }
        let model = ImageModel(loader: fixture.loader, options: ImageBinding.Options(keepsOldImage: true))
        model.show(old)
        let gate = TestGate()
        let (new, large) = (
            fixture.request("new", behind: gate), fixture.request("large", behind: gate) { $0.lowQuality = [small] }
        )
        #expect(model.appearance(for: new).text == "loading previous 2")
        #expect(model.appearance(for: large).text == "loading preview 3")
        #expect(model.appearance.text == "success(memory) final 2")
        model.show(large)
        #expect(model.appearance.text == "loading preview 3")
        gate.open()
    }

    @Test("a version names one image, whether it is shown or about to be")
    func versions() async throws {
        let (first, second) = (fixture.request("first", width: 2), fixture.request("second"))
        try await fixture.warm(first)
        let model = ImageModel(loader: fixture.loader)
        var images: [UInt64: Int?] = [:]
        func see(_ appearance: ImageAppearance) {
            let width = appearance.image?.bitmap.size.width
            #expect(images.updateValue(width, forKey: appearance.imageVersion) ?? width == width)
        }
        see(model.appearance(for: first))
        see(model.appearance(for: second))
        try await fixture.warm(second)
        model.show(second)
        see(model.appearance)
        see(model.appearance(for: first))
        #expect(model.appearance(for: second).imageVersion == model.appearance.imageVersion)
        model.show(first)
        see(model.appearance)
        model.clear()
        see(model.appearance)
        #expect(Set(images.values.compactMap(\.self)) == [2, 4])
    }

    @Test("an observer is called when the image arrives, and clear removes it")
    func observing() async {
        let gate = TestGate()
        let model = ImageModel(loader: fixture.loader)
        model.show(fixture.request("a", behind: gate))
        #expect(model.appearance.text == "loading empty")
        gate.open()
        await becomes(model) { $0.phase.isSuccess }
        #expect(model.appearance.text == "success(network) final 4")
        model.clear()
        #expect(model.appearance.text == "idle empty")
        #expect(model.request == nil)
    }

    @Test("options and preparation apply to the next image, which retry loads again after a failure")
    func settings() async {
        let prepared = MessageLog<Int>()
        let model = ImageModel(loader: fixture.loader)
        model.prepare = { prepared.append($0.size.width) }
        model.options.transition = .fadeIn(.seconds(1))
        model.show(fixture.failing())
        await becomes(model) { $0.phase.isFailure }
        model.retry()
        await becomes(model) { $0.phase.isSuccess }
        #expect(model.appearance.transition == .fadeIn(.seconds(1)) && prepared.messages == [4])
    }

    @Test("show makes the model visible, so that it loads")
    func visible() async {
        var options = ImageBinding.Options()
        options.loadsBeforeVisible = false
        let model = ImageModel(loader: fixture.loader, options: options)
        model.isVisible = false
        model.show(fixture.request("a"))
        await becomes(model) { $0.phase.isSuccess }
        options.releasesHiddenImage = true
        let releasing = ImageModel(loader: fixture.loader, options: options)
        releasing.show(fixture.request("a"))
        releasing.isVisible = false
        #expect(releasing.appearance.text == "idle empty")
        #expect(releasing.appearance(for: fixture.request("a")).text == "success(memory) final 4")
    }
}
