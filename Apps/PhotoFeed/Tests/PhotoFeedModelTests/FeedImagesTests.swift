import Foundation
import ImageCore
import ImageLoading
import ImageTesting
import ImageTransporting
import Testing

@testable import PhotoFeedModel

@MainActor
@Suite("Feed images", .timeLimit(.minutes(10)))
struct FeedImagesTests {
    private let fixture = LoaderTestBed()

    private func images(behind gates: [Int: TestGate] = [:]) -> FeedImages {
        FeedImages(loader: fixture.loader) { [fixture] photo in
            fixture.request("\(photo.id)", behind: gates[photo.id])
        }
    }

    private func model(_ service: ScriptedPhotoService, behind gates: [Int: TestGate] = [:]) -> PhotoFeedModel {
        PhotoFeedModel(service: service, images: images(behind: gates))
    }

    private var sent: [String] { fixture.transport.requests.map(\.url.lastPathComponent) }

    @Test("the first image of each page is loaded before the others")
    func firstImageFirst() async {
        let gates = [1: TestGate(), 11: TestGate()]
        let model = model(ScriptedPhotoService([1: [.photos(1..<11)], 2: [.photos(11..<21)]]), behind: gates)
        model.load()
        await model.becomes("loaded idle 10")
        await gates[1]?.waitForArrivals(1)
        #expect(sent == ["1"])
        gates[1]?.open()
        await fixture.transport.waitForSends(10)
        model.appeared(at: 9)
        await model.becomes("loaded idle 20")
        await gates[11]?.waitForArrivals(1)
        #expect(sent.count == 11)
        gates[11]?.open()
        await fixture.transport.waitForSends(20)
        #expect(Set(sent) == Set((1..<21).map { "\($0)" }))
    }

    @Test("a refresh stops the loads for the old rows")
    func refreshStops() async {
        let gate = TestGate()
        let model = model(ScriptedPhotoService([1: [.photos(1..<11), .photos(31..<41)]]), behind: [1: gate])
        model.load()
        await gate.waitForArrivals(1)
        await model.refresh()
        await fixture.transport.waitForCancellations(1)
        await fixture.transport.waitForSends(11)
        gate.open()
        #expect(Set(sent) == Set(["1"] + (31..<41).map { "\($0)" }))
    }

    @Test("the task of a page is removed when its first image is loaded")
    func finishedTasksAreRemoved() async {
        let (gate, images) = (TestGate(), images())
        images.prefetch((1..<11).map(ScriptedPhotoService.photo), isFirstPage: true)
        let gated = self.images(behind: [11: gate])
        gated.prefetch((11..<21).map(ScriptedPhotoService.photo), isFirstPage: false)
        await images.firstImageTasks.values.first?.value
        #expect(images.firstImageTasks.isEmpty)
        await gate.waitForArrivals(1)
        #expect(gated.firstImageTasks.count == 1)
        gate.open()
    }
}
