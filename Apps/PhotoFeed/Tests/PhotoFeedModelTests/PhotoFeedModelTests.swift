import ImageCore
import Testing

@testable import ImageTesting
@testable import PhotoFeedModel

@MainActor
@Suite("Photo feed model", .timeLimit(.minutes(10)))
struct PhotoFeedModelTests {
    private let gate = TestGate()

    @Test("the first page is loaded only once")
    func firstPage() async {
        let service = ScriptedPhotoService([1: [.gated(gate, .photos(1..<11))]])
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

    @Test("if the first page fails, the view state is an error, and load tries again")
    func firstPageFails() async {
        let service = ScriptedPhotoService([1: [.failure, .photos(1..<11)]])
        let model = await PhotoFeedModel.loaded(service, to: "error(offline, and the image is not cached) idle 0")
        model.appeared(at: 0)
        model.retryPage()
        model.load()
        #expect(model.text == "loading idle 0")
        await model.becomes("loaded idle 10")
        #expect(service.log.messages == [1, 1])
    }

    @Test("the next page is loaded when a row near the end appears, one page at a time")
    func nextPage() async {
        let service = ScriptedPhotoService([1: [.photos(1..<11)], 2: [.gated(gate, .photos(11..<21))]])
        let model = await PhotoFeedModel.loaded(service)
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

    @Test("an empty page ends the list, and a short one does not")
    func end() async {
        let service = ScriptedPhotoService([1: [.photos(1..<11)], 2: [.photos(11..<14)]])
        let model = await PhotoFeedModel.loaded(service)
        model.appeared(at: 9)
        await model.becomes("loaded idle 13")
        model.appeared(at: 12)
        await model.becomes("loaded done 13")
        model.appeared(at: 12)
        #expect(service.log.messages == [1, 2, 3])
    }

    @Test("a list without photos is loaded and done")
    func emptyList() async {
        let model = await PhotoFeedModel.loaded(ScriptedPhotoService([:]), to: "loaded done 0")
        model.appeared(at: 0)
        #expect(model.text == "loaded done 0")
    }

    @Test("if a page fails, the rows stay, and it is loaded again only by a retry")
    func pageFails() async {
        let service = ScriptedPhotoService([1: [.photos(1..<11)], 2: [.failure, .photos(11..<21)]])
        let model = await PhotoFeedModel.loaded(service)
        model.retryPage()
        model.appeared(at: 9)
        await model.becomes("loaded error(offline, and the image is not cached) 10")
        model.appeared(at: 9)
        #expect(service.log.messages == [1, 2])
        model.retryPage()
        #expect(model.text == "loaded loading 10")
        await model.becomes("loaded idle 20")
    }

    @Test("photos that have moved to the next page are not shown twice")
    func moved() async {
        let model = await PhotoFeedModel.loaded(ScriptedPhotoService([1: [.photos(1..<11)], 2: [.photos(8..<18)]]))
        model.appeared(at: 9)
        await model.becomes("loaded idle 17")
        #expect(model.photos.map(\.id) == Array(1..<18))
    }

    @Test("a photo that is twice in a page is shown once")
    func repeatedInPage() throws {
        var state = FeedState()
        let fetch = state.load()
        let update = try state.received([1, 1, 2].map(ScriptedPhotoService.photo), #require(fetch).id)
        #expect(update?.newPhotos.map(\.id) == [1, 2])
        #expect(state.photos.map(\.id) == [1, 2])
    }

    @Test("a page without new photos is followed by the next one, without a row that appears")
    func noNewPhotos() async {
        let service = ScriptedPhotoService([
            1: [.photos(1..<11)], 2: [.photos(1..<11)], 3: [.photos(4..<11)], 4: [.photos(9..<19)],
        ])
        let model = await PhotoFeedModel.loaded(service)
        model.appeared(at: 9)
        await model.becomes("loaded idle 18")
        #expect(service.log.messages == [1, 2, 3, 4])
    }

    @Test("a page that fails after one without new photos can be retried")
    func noNewPhotosThenFailure() async {
        let service = ScriptedPhotoService([
            1: [.photos(1..<11)], 2: [.photos(1..<11)], 3: [.failure, .photos(11..<21)],
        ])
        let model = await PhotoFeedModel.loaded(service)
        model.appeared(at: 9)
        await model.becomes("loaded error(offline, and the image is not cached) 10")
        model.retryPage()
        await model.becomes("loaded idle 20")
    }

    @Test("the list ends if the server repeats its last page")
    func repeatedLastPage() async {
        let last = Dictionary(uniqueKeysWithValues: (2..<50).map { ($0, [ScriptedPhotoService.Reply.photos(1..<11)]) })
        let service = ScriptedPhotoService(last.merging([1: [.photos(1..<11)]]) { $1 })
        let model = await PhotoFeedModel.loaded(service)
        model.appeared(at: 9)
        await model.becomes("loaded done 10")
        #expect(service.log.messages == Array(1...11))
    }

    @Test("releasing the model cancels its load")
    func releaseCancels() async {
        let service = CancellableService()
        var model: PhotoFeedModel? = PhotoFeedModel(service: service)
        model?.load()
        await service.gate.waitForArrivals(1)
        model = nil
        await service.cancelled.waitForCount(1)
        service.gate.open()
    }

    /// Never returns a page, and records cancellations.
    private struct CancellableService: PhotoService {
        let gate = TestGate()
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
