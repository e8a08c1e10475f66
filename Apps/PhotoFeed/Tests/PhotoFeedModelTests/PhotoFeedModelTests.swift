import ImageCore
import ImageTesting
import PhotoFeedModel
import Testing

@MainActor
@Suite("A feed of photos", .timeLimit(.minutes(10)))
struct PhotoFeedModelTests {
    private let gate = Gate()

    private func loaded(_ service: ScriptedPhotoService, to text: String = "loaded idle 10") async -> PhotoFeedModel {
        let model = PhotoFeedModel(service: service)
        model.load()
        await model.becomes(text)
        return model
    }

    @Test("the first page is fetched once, and shown when it is there")
    func firstPage() async {
        let service = ScriptedPhotoService([1: [.held(gate, .photos(1..<11))]])
        let model = PhotoFeedModel(service: service)
        #expect(model.text == "idle idle 0")
        model.load()
        model.load()
        #expect(model.text == "loading idle 0")
        gate.open()
        await model.becomes("loaded idle 10")
        #expect(model.photos.map(\.id) == Array(1..<11))
        model.load()
        #expect(service.log.messages == [1])
    }

    @Test("a first page that fails is an error of the whole list, and load tries again")
    func firstPageFails() async {
        let service = ScriptedPhotoService([1: [.failure, .photos(1..<11)]])
        let model = await loaded(service, to: "error(offline, and no cache has it) idle 0")
        model.appeared(at: 0)
        model.retryPage()
        model.load()
        #expect(model.text == "loading idle 0")
        await model.becomes("loaded idle 10")
        #expect(service.log.messages == [1, 1])
    }

    @Test("the next page is fetched some rows before the end, one page at a time")
    func nextPage() async {
        let service = ScriptedPhotoService([1: [.photos(1..<11)], 2: [.held(gate, .photos(11..<21))]])
        let model = await loaded(service)
        for index in 0..<5 { model.appeared(at: index) }
        #expect(model.text == "loaded idle 10")
        for index in 5..<10 { model.appeared(at: index) }
        #expect(model.text == "loaded loading 10")
        gate.open()
        await model.becomes("loaded idle 20")
        #expect(model.photos.map(\.id) == Array(1..<21))
        model.appeared(at: 14)
        #expect(service.log.messages == [1, 2])
    }

    @Test("an empty page ends the list; a short one does not")
    func end() async {
        let service = ScriptedPhotoService([1: [.photos(1..<11)], 2: [.photos(11..<14)]])
        let model = await loaded(service)
        model.appeared(at: 9)
        await model.becomes("loaded idle 13")
        model.appeared(at: 12)
        await model.becomes("loaded done 13")
        model.appeared(at: 12)
        #expect(service.log.messages == [1, 2, 3])
    }

    @Test("a list without photos is loaded and done")
    func nothing() async {
        let model = await loaded(ScriptedPhotoService([:]), to: "loaded done 0")
        model.appeared(at: 0)
        #expect(model.text == "loaded done 0")
    }

    @Test("a page that fails leaves the rows, and waits for a retry")
    func pageFails() async {
        let service = ScriptedPhotoService([1: [.photos(1..<11)], 2: [.failure, .photos(11..<21)]])
        let model = await loaded(service)
        model.retryPage()
        model.appeared(at: 9)
        await model.becomes("loaded error(offline, and no cache has it) 10")
        model.appeared(at: 9)
        #expect(service.log.messages == [1, 2])
        model.retryPage()
        #expect(model.text == "loaded loading 10")
        await model.becomes("loaded idle 20")
    }

    @Test("photos that have moved to the next page are not shown twice")
    func moved() async {
        let model = await loaded(ScriptedPhotoService([1: [.photos(1..<11)], 2: [.photos(8..<18)]]))
        model.appeared(at: 9)
        await model.becomes("loaded idle 17")
        #expect(model.photos.map(\.id) == Array(1..<18))
    }

    // MARK: Refreshing

    @Test("while it is refreshed the rows stay; then they are those of the new first page")
    func refreshing() async {
        let service = ScriptedPhotoService([
            1: [.photos(1..<11), .held(gate, .photos(5..<15))], 2: [.photos(11..<21)],
        ])
        let model = await loaded(service)
        model.appeared(at: 9)
        await model.becomes("loaded idle 20")
        let refresh = Task { await model.refresh() }
        await gate.arrivals(1)
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

    @Test("a refresh that fails leaves rows and end as they were, and says why")
    func refreshFails() async {
        let service = ScriptedPhotoService([1: [.photos(1..<11), .failure, .photos(1..<11)]])
        let model = await loaded(service)
        model.appeared(at: 9)
        await model.becomes("loaded done 10")
        await model.refresh()
        #expect(model.text == "loaded done 10")
        #expect(model.refreshFailure?.description == "offline, and no cache has it")
        await model.refresh()
        #expect(model.refreshFailure == nil)
        #expect(model.text == "loaded idle 10")
    }

    @Test("a page that was on its way when the refresh began is not added to the new rows, however late it comes")
    func latePage() async {
        let late = Gate()
        let service = ScriptedPhotoService([
            1: [.photos(1..<11), .photos(31..<41)], 2: [.held(late, .photos(11..<21)), .photos(41..<51)],
        ])
        let model = await loaded(service)
        model.appeared(at: 9)
        await late.arrivals(1)
        await model.refresh()
        late.open()
        model.appeared(at: 9)
        await model.becomes("loaded idle 20")
        #expect(model.photos.map(\.id) == Array(31..<51))
    }

    @Test("to refresh a list that is not there is to load it")
    func refreshFromNothing() async {
        let service = ScriptedPhotoService([1: [.failure, .photos(1..<11)]])
        let model = PhotoFeedModel(service: service)
        await model.refresh()
        #expect(model.text == "error(offline, and no cache has it) idle 0")
        await model.refresh()
        #expect(model.text == "loaded idle 10")
    }

    @Test("a feed that goes cancels what it waits for")
    func gone() async {
        let service = CancellableService()
        var model: PhotoFeedModel? = PhotoFeedModel(service: service)
        model?.load()
        await service.gate.arrivals(1)
        model = nil
        await service.cancelled.reaches(1)
        service.gate.open()
    }

    /// Never answers, and takes note of being cancelled.
    private struct CancellableService: PhotoService {
        let gate = Gate()
        let cancelled = MessageLog<Int>()

        func page(_ number: Int, limit: Int) async throws(PhotoServiceFailure) -> [Photo] {
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                cancelled.append(number)
            }
            throw .loading(.cancelled)
        }
    }
}
