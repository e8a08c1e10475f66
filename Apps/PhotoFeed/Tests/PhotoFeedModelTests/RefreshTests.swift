import ImageTesting
import PhotoFeedModel
import Testing

@MainActor
@Suite("Refreshing a photo feed", .timeLimit(.minutes(10)))
struct RefreshTests {
    private let gate = TestGate()

    @Test("the rows stay during a refresh, and are then those of the new first page")
    func refreshing() async {
        let service = ScriptedPhotoService([
            1: [.photos(1..<11), .gated(gate, .photos(5..<15))], 2: [.photos(11..<21)],
        ])
        let model = await PhotoFeedModel.loaded(service)
        model.appeared(at: 9)
        await model.becomes("loaded idle 20")
        let refresh = Task { await model.refresh() }
        await gate.waitForArrivals(1)
        #expect(model.text == "loaded idle 20 refreshing")
        model.appeared(at: 19)
        let again = Task { await model.refresh() }
        gate.open()
        await refresh.value
        await again.value
        #expect(model.text == "loaded idle 10")
        #expect(model.photos.map(\.id) == Array(5..<15))
        #expect(service.log.messages == [1, 2, 1])
        model.appeared(at: 9)
        await model.becomes("loaded idle 16")
    }

    @Test("a failed refresh keeps the rows and the pagination state, and reports its error")
    func refreshFails() async {
        let service = ScriptedPhotoService([1: [.photos(1..<11), .failure, .photos(1..<11)]])
        let model = await PhotoFeedModel.loaded(service)
        model.appeared(at: 9)
        await model.becomes("loaded done 10")
        await model.refresh()
        #expect(model.text == "loaded done 10")
        #expect(model.refreshFailure?.description == "offline, and the image is not cached")
        await model.refresh()
        #expect(model.refreshFailure == nil)
        #expect(model.text == "loaded idle 10")
    }

    @Test("a page that was loading when the refresh began is not added to the new rows")
    func latePage() async {
        let late = TestGate()
        let service = ScriptedPhotoService([
            1: [.photos(1..<11), .photos(31..<41)], 2: [.gated(late, .photos(11..<21)), .photos(41..<51)],
        ])
        let model = await PhotoFeedModel.loaded(service)
        model.appeared(at: 9)
        await late.waitForArrivals(1)
        await model.refresh()
        late.open()
        model.appeared(at: 9)
        await model.becomes("loaded idle 20")
        #expect(model.photos.map(\.id) == Array(31..<51))
    }

    @Test("refreshing a list that is not loaded loads it")
    func refreshWithoutRows() async {
        let service = ScriptedPhotoService([1: [.failure, .photos(1..<11)]])
        let model = PhotoFeedModel(service: service)
        await model.refresh()
        #expect(model.text == "error(offline, and the image is not cached) idle 0")
        await model.refresh()
        #expect(model.text == "loaded idle 10")
    }
}
