import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImagePresenting
import ImagePresentingSwiftUI
import ImageTesting
import ImageTransporting
import SwiftUI
import Testing

@MainActor
@Suite("SwiftUI adapter", .serialized, .timeLimit(.minutes(5)))
struct SwiftUITests {
    private let fixture = LoaderTestBed()
    private let log = MessageLog<[String]>()

    init() { TestHostEnvironment.reducesMotion = false }

    private func view(_ request: ImageRequest) -> RequestImage<StandardImageContent> {
        var options = ImageBinding.Options()
        options.transition = .fadeIn(.milliseconds(250))
        return RequestImage(request, loader: fixture.loader, options: options)
    }

    private func host<Root: View>(_ view: Root) -> TestHost<Root> { TestHost(view) { [log] in log.append($0) } }

    private func draws(_ drawn: [String]) async {
        while log.messages.last != drawn, !Task.isCancelled { await log.reaches(log.messages.count + 1) }
    }

    @Test("draws an image in memory in the first update")
    func memoryHit() async throws {
        let request = fixture.request("a")
        try await fixture.warm(request)
        let host = host(view(request))
        #expect(host.drawn == ["image 4"])
        while log.messages.count < 2 { await Task.yield() }
        #expect(Set(log.messages) == [["image 4"]])
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("draws a shimmer until the image fades in")
    func network() async {
        let gate = Gate()
        let host = host(view(fixture.request("a", behind: gate)))
        #expect(host.drawn == ["color"])
        gate.open()
        await draws(["image 4"])
        #expect(host.animations.contains("easeInOut 0.8 forever"))
        #expect(host.animations.last == "easeInOut 0.25")
    }

    @Test("does not animate the placeholder with reduced motion")
    func reducedMotion() async {
        TestHostEnvironment.reducesMotion = true
        let host = host(view(fixture.request("a")))
        await draws(["image 4"])
        #expect(!host.animations.contains("easeInOut 0.8 forever"))
    }

    @Test("a new request cancels the previous one, and never shows its image")
    func anotherRequest() async {
        let (old, new) = (Gate(), Gate())
        let host = host(view(fixture.request("old", width: 2, behind: old)))
        await old.arrivals(1)
        host.update(view(fixture.request("new", behind: new)))
        await fixture.transport.cancellations(1)
        old.open()
        new.open()
        await draws(["image 4"])
        #expect(!log.messages.contains(["image 2"]))
    }

    @Test("a new request removes the previous image in the same update")
    func anotherRequestWhenLoaded() async {
        let gate = Gate()
        let host = host(view(fixture.request("old", width: 2)))
        await draws(["image 2"])
        host.update(view(fixture.request("new", behind: gate)))
        #expect(host.drawn == ["color"])
        gate.open()
        await draws(["image 4"])
    }

    @Test("an equal request changes nothing")
    func sameRequest() async {
        let request = fixture.request("a")
        let host = host(view(request))
        await draws(["image 4"])
        host.update(view(request))
        #expect(host.drawn == ["image 4"])
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("cancels when the view disappears")
    func disappearing() async {
        let gate = Gate()
        let host = host(view(fixture.request("a", behind: gate)))
        await gate.arrivals(1)
        host.disappear()
        await fixture.transport.cancellations(1)
        gate.open()
    }

    @Test("loads again when the retry symbol is tapped")
    func retry() async {
        let host = host(view(fixture.request("a", [.status(.notFound), .ok(LoaderTestBed.file(width: 4))])))
        await draws(["\u{21BB}"])
        host.tap()
        await draws(["image 4"])
        #expect(fixture.transport.sendCount == 2)
    }

    @Test("custom content receives the phase")
    func ownContent() async {
        let request = fixture.request("a")
        let host = host(
            RequestImage(request, loader: fixture.loader) { Text(verbatim: $0.phase.isSuccess ? "loaded" : "loading") })
        #expect(host.drawn == ["loading"])
        await draws(["loaded"])
    }
}
