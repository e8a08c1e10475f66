import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTransporting
import SwiftUI
import Testing

@testable import ImagePresentingSwiftUI
@testable import ImageTesting

@MainActor
@Suite("SwiftUI adapter", .serialized, .timeLimit(.minutes(1)))
struct SwiftUITests {
    private let fixture = LoaderTestBed()
    private let log = MessageLog<[String]>()
    private let fading = ImageBinding.Options(transition: .fadeIn(.milliseconds(250)))
    private let retryButton = "Try Again (at least 44x44)"

    private func view(_ request: ImageRequest?, options: ImageBinding.Options? = nil) -> some View {
        LoadingImage(request, options: options ?? fading).imageLoader(fixture.loader)
    }

    private func host<Root: View>(_ view: Root, rows: Range<Int> = 0..<10) -> TestHost<Root> {
        TestHost(view, rows: rows) { [log] in log.append($0) }
    }

    private func draws(_ drawn: [String]) async { await log.waitForLast { $0 == drawn } }

    /// The settings with which animations rest, each by one value.
    private static let resting: [@Sendable (inout EnvironmentValues) -> Void] = [
        { $0.accessibilityReduceMotion = true }, { $0.accessibilityPlayAnimatedImages = false },
        { $0.scenePhase = .background },
    ]

    @Test("an animation plays until its end, unless the user or the scene wants it to rest")
    func animation() async {
        let request = fixture.request("a", [.ok(FakeImage.animation(loopCount: 1).encoded)])
        func playing(_ time: ManualClock) -> some View {
            PlayingView(loader: fixture.loader, content: LoadingImage(request), timer: time)
        }
        let time = ManualClock()
        let host = TestHost(playing(time)) { [log] in log.append($0) }
        await draws(["image 4 (fit)"])
        let first = log.messages.count
        for frame in 1...2 {
            await time.waitForSleepers(1)
            time.advance(by: .seconds(1))
            await log.waitForCount(first + frame)
        }
        for rest in Self.resting {
            var environment = EnvironmentValues()
            rest(&environment)
            let time = ManualClock()
            var drawn = 0
            let resting = TestHost(playing(time), environment: environment) { _ in drawn += 1 }
            for _ in 0..<1000 { await Task.yield() }
            let before = drawn
            time.advance(by: .seconds(1))
            for _ in 0..<1000 { await Task.yield() }
            #expect(resting.drawn == ["image 4 (fit)"] && drawn == before)
        }
        withExtendedLifetime(host) {}
    }

    // MARK: The first update

    @Test("draws an image in memory in the first update")
    func memoryHit() async throws {
        let request = fixture.request("a")
        try await fixture.warm(request.sized)
        let host = host(view(request))
        #expect(host.drawn == ["image 4 (fit)"])
        for _ in 0..<100 { await Task.yield() }
        #expect(Set(log.messages) == [["image 4 (fit)"]])
        #expect(host.animations == [])
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("draws a preview in memory in the first update, and then the image")
    func memoryPreview() async throws {
        let (gate, small) = (TestGate(), fixture.request("small", width: 2))
        try await fixture.warm(small)
        let host = host(view(fixture.request("a", behind: gate) { $0.lowQuality = [small] }))
        #expect(host.drawn == ["image 2 (fit)"])
        await gate.waitForArrivals(1)
        #expect(log.messages.last == ["image 2 (fit)"])
        gate.open()
        await draws(["image 4 (fit)"])
    }

    @Test("draws an image that comes into memory between the first update and its task")
    func betweenUpdateAndTask() async {
        let request = fixture.request("a")
        let host = host(view(request))
        #expect(host.drawn == ["gray"])
        fixture.memory.insert(LoaderTestBed.image(width: 7), for: request.sized.cacheKey)
        await draws(["image 7 (fit)"])
        #expect(fixture.transport.sendCount == 0)
    }

    @Test("an image that is loaded before the next update replaces the placeholder, and fades in")
    func coalescedUpdates() async {
        let placeholder = LoaderTestBed.image(width: 9)
        let host = host(view(fixture.request("a") { $0.placeholder = .deferred { placeholder } }))
        host.holdsUpdates = true
        while fixture.memory.images.isEmpty { await Task.yield() }
        for _ in 0..<1000 { await Task.yield() }
        #expect(host.drawn == ["image 9 (fit)"])
        host.holdsUpdates = false
        await draws(["image 4 (fit)"])
        #expect(host.animations == ["insert opacity easeInOut 0.25"])
    }

    // MARK: Size

    @Test("decodes to the size of the view in pixels, and again when it grows, but shows the old image until then")
    func size() async {
        let request = fixture.request("a", width: 400)
        let host = host(view(request).environment(\.displayScale, 2))
        await draws(["image 200@2 (fit)"])
        host.resize(80, 80)
        #expect(host.drawn == ["image 200@2 (fit)"])
        let before = log.messages.count
        host.resize(150, 100)
        await draws(["image 300@2 (fit)"])
        #expect(
            log.messages.dropFirst(before).allSatisfy { $0 == ["image 200@2 (fit)"] || $0 == ["image 300@2 (fit)"] })
    }

    @Test("fills a view and crops, and fits the width of a row whose height is free")
    func modes() async {
        let request = fixture.request("a", width: 400)
        let filling = host(
            LoadingImage(request, contentMode: .fill).frame(width: 2, height: 2).imageLoader(fixture.loader))
        await draws(["image 2 (fill)"])
        let row = host(List { view(request) })
        await draws(["image 100 (fit)"])
        let labelled = host(LoadingImage(request, label: Text(verbatim: "Ada")).imageLoader(fixture.loader))
        await draws(["image 100 \"Ada\" (fit)"])
        withExtendedLifetime((filling, row, labelled)) {}
    }

    // MARK: Transitions

    @Test("draws a placeholder until the image fades in, which animates only the image")
    func network() async {
        let gate = TestGate()
        let host = host(view(fixture.request("a", behind: gate)))
        #expect(host.drawn == ["gray"])
        gate.open()
        await draws(["image 4 (fit)"])
        #expect(host.animations == ["insert opacity easeInOut 0.25"])
    }

    @Test("a cross-dissolve also fades out the old image")
    func crossDissolve() async {
        let options = ImageBinding.Options(keepsOldImage: true, transition: .crossDissolve(.seconds(1)))
        let host = host(view(fixture.request("a"), options: options))
        await draws(["image 4 (fit)"])
        host.animations = []
        host.update(view(fixture.request("b", width: 5), options: options))
        await draws(["image 5 (fit)"])
        #expect(Set(host.animations) == ["insert opacity easeInOut 1.0", "remove opacity easeInOut 1.0"])
    }

    @Test(
        "the placeholder pulses while the image loads, which fades in, unless motion is reduced",
        arguments: [false, true])
    func pulses(reducesMotion: Bool) async {
        var environment = EnvironmentValues()
        environment.accessibilityReduceMotion = reducesMotion
        let host = TestHost(view(fixture.request("a")), environment: environment) { [log] in log.append($0) }
        await draws(["image 4 (fit)"])
        #expect(host.animations.isEmpty == reducesMotion)
        host.animations = []
        host.update(view(fixture.request("b", behind: TestGate())))
        await draws(["gray"])
        #expect(host.animations == (reducesMotion ? [] : ["easeInOut 0.8 forever"]))
    }

    // MARK: Other requests

    @Test("a new request cancels the previous one, and never shows its image")
    func anotherRequest() async {
        let (old, new) = (TestGate(), TestGate())
        let host = host(view(fixture.request("old", width: 2, behind: old)))
        await old.waitForArrivals(1)
        host.update(view(fixture.request("new", behind: new)))
        await fixture.transport.waitForCancellations(1)
        old.open()
        new.open()
        await draws(["image 4 (fit)"])
        #expect(!log.messages.contains(["image 2 (fit)"]))
    }

    @Test(
        "a new request removes the previous image in the same update, or keeps it without a flash",
        arguments: [true, false])
    func anotherRequestWhenLoaded(keeps: Bool) async {
        let gate = TestGate()
        let options = ImageBinding.Options(keepsOldImage: keeps)
        let host = host(view(fixture.request("old", width: 2), options: options))
        await draws(["image 2 (fit)"])
        let before = log.messages.count
        host.update(view(fixture.request("new", behind: gate), options: options))
        await gate.waitForArrivals(1)
        gate.open()
        await draws(["image 4 (fit)"])
        let meanwhile = log.messages.dropFirst(before).dropLast()
        #expect(Set(meanwhile) == [keeps ? ["image 2 (fit)"] : ["gray"]])
        host.update(view(nil))
        await draws(["gray"])
    }

    @Test("an equal request changes nothing, but another priority and loader have an effect")
    func sameRequest() async {
        let (first, scheduler, gate) = (TestGate(), ManualScheduler(), TestGate())
        let queued = LoaderTestBed(scheduler: scheduler)
        var request = queued.request("a", behind: gate)
        let host = host(LoadingImage(request).imageLoader(queued.loader))
        await scheduler.waitForArrivals(1)
        host.update(LoadingImage(request).imageLoader(queued.loader))
        request.priority = .high
        host.update(LoadingImage(request).imageLoader(queued.loader))
        await scheduler.waitUntil { $0.contains { if case .reprioritized(_, .high) = $0 { true } else { false } } }
        host.update(LoadingImage(fixture.request("a", behind: first)).imageLoader(fixture.loader))
        await first.waitForArrivals(1)
        first.open()
        await draws(["image 4 (fit)"])
        #expect(queued.transport.sendCount == 0)
    }

    @Test("updates of the parent create no models and look nothing up")
    func parentUpdates() async {
        let (loader, request) = (FakeImageLoader(), ImageRequest(.fetch(name: "a") { Data() }))
        loader.script(.image(PixelSize(width: 4, height: 4)), for: request)
        let host = host(LoadingImage(request).imageLoader(loader))
        await draws(["image 4 (fit)"])
        let calls = loader.messages
        for _ in 0..<5 { host.update(LoadingImage(request).imageLoader(loader)) }
        for _ in 0..<100 { await Task.yield() }
        #expect(loader.messages == calls)
    }

    // MARK: Visibility

    @Test("cancels when the view disappears, and loads again when it reappears")
    func disappearing() async {
        let gate = TestGate()
        let host = host(view(fixture.request("a", behind: gate)))
        await gate.waitForArrivals(1)
        host.disappear()
        await fixture.transport.waitForCancellations(1)
        host.reappear()
        gate.open()
        await draws(["image 4 (fit)"])
    }

    @Test("keeps its image while another view covers it")
    func covered() async {
        let host = host(view(fixture.request("a")))
        await draws(["image 4 (fit)"])
        let before = log.messages.count
        host.disappear()
        for _ in 0..<100 { await Task.yield() }
        fixture.memory.removeAll()
        host.reappear()
        for _ in 0..<100 { await Task.yield() }
        #expect(Set(log.messages.dropFirst(before)) == [["image 4 (fit)"]])
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("rows that are flung past start no downloads")
    func flungRows() async {
        let requests = (0..<30).map { fixture.request("\($0)") }
        let list = List {
            ForEach(Array(requests.enumerated()), id: \.offset) { [fixture] _, request in
                LoadingImage(request).imageLoader(fixture.loader)
            }
        }
        let host = host(list)
        host.scroll(to: 10..<20)
        host.scroll(to: 20..<30)
        await draws(Array(repeating: "image 4 (fit)", count: 10))
        #expect(fixture.transport.requests.allSatisfy { Int($0.url.lastPathComponent) ?? 0 >= 20 })
        #expect(fixture.transport.sendCount == 10)
    }

    // MARK: Content

    @Test("a button of at least 44 points, with a label, loads again after a failure")
    func retry() async {
        let host = host(view(fixture.request("a", [.status(.notFound), .ok(LoaderTestBed.file(width: 4))])))
        await draws(["button \(retryButton) (borderless)"])
        host.press(retryButton)
        await draws(["image 4 (fit)"])
        #expect(fixture.transport.sendCount == 2)
    }

    @Test("content and placeholder in the manner of AsyncImage, also without an image and without a loader")
    func closures() async {
        func view(_ request: ImageRequest?) -> some View {
            LoadingImage(request) {
                $0.resizable()
            } placeholder: {
                Text(verbatim: "wait")
            }
        }
        let host = host(view(fixture.request("a")).imageLoader(fixture.loader))
        #expect(host.drawn == ["wait"])
        await draws(["image 4"])
        #expect(self.host(view(nil).imageLoader(fixture.loader)).drawn == ["wait"])
        #expect(self.host(view(fixture.request("a"))).drawn == ["wait"])
    }

    @Test("content for each phase has the progress, the placeholder of the request, the image and the error")
    func phases() async {
        let (gate, file) = (TestGate(), LoaderTestBed.file(width: 4))
        let body: [ScriptedTransport.Step] = [.piece(file.prefix(10)), .wait(gate), .piece(file.dropFirst(10))]
        let replies = [.status(.notFound), ScriptedTransport.Reply(announcedByteCount: file.count, body: body)]
        let request = fixture.request("a", replies) { $0.placeholder = .image(LoaderTestBed.image(width: 9)) }
        let content = LoadingImage(request) { phase in
            switch phase {
            case .empty: Text(verbatim: "empty \(phase.fraction.map { $0 > 0 } ?? false) \(phase.image != nil)")
            case .success(let image): image
            case .failure(let failure): Button(action: { phase.retry() }) { Text(verbatim: "\(failure.error)") }
            }
        }
        let host = host(content.imageLoader(fixture.loader))
        #expect(host.drawn == ["empty false true"])
        await draws(["button not found"])
        host.press("not found")
        await draws(["empty true true"])
        gate.open()
        await draws(["image 4"])
    }
}
