import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImagePresenting
import ImagePresentingUIKit
import ImageTesting
import ImageTransporting
import Testing
import UIKit

@MainActor
@Suite("UIKit adapter", .serialized, .timeLimit(.minutes(5)))
struct UIKitTests {
    private let fixture = LoaderTestBed()
    private let window = UIWindow(frame: .zero)
    private let log = MessageLog<String>()

    init() { UIView.animations = [] }

    /// Creates an image view in the window that records its phases.
    private func shownView() -> LoadingImageView {
        let view = LoadingImageView(frame: .zero)
        view.onRender = { [log] in log.append($0.phase.isSuccess ? "success" : $0.phase.isFailure ? "failure" : "other")
        }
        window.addSubview(view)
        return view
    }

    private func ends(_ phase: String) async {
        while log.messages.last != phase, !Task.isCancelled { await log.reaches(log.messages.count + 1) }
    }

    private func fading() -> ImageBinding.Options {
        var options = ImageBinding.Options()
        options.transition = .crossDissolve(.milliseconds(250))
        return options
    }

    private final class Cell: UICollectionViewCell {
        let image = LoadingImageView(frame: .zero)

        override func prepareForReuse() {
            super.prepareForReuse()
            image.cancelLoading()
        }
    }

    @Test("prepareForReuse cancels the request and removes the image")
    func reuse() async {
        let (gate, cell) = (Gate(), Cell(frame: .zero))
        cell.contentView.addSubview(cell.image)
        window.addSubview(cell)
        cell.image.load(fixture.request("a", behind: gate), with: fixture.loader)
        await gate.arrivals(1)
        cell.prepareForReuse()
        await fixture.transport.cancellations(1)
        gate.open()
        #expect(cell.image.image == nil)
    }

    @Test("sets an image in memory before load returns, without animation")
    func memoryHit() async throws {
        let (view, request) = (shownView(), fixture.request("a"))
        try await fixture.warm(request)
        view.load(request, with: fixture.loader, options: fading())
        #expect(view.image?.cgImage?.width == 4)
        #expect(UIView.animations.isEmpty)
    }

    @Test("applies the transition to an image from the network")
    func transitions() async {
        let view = shownView()
        view.load(fixture.request("a"), with: fixture.loader, options: fading())
        await ends("success")
        #expect(UIView.animations == ["transition 0.25 true"])
        view.load(
            fixture.request("b", width: 5) { $0.options[.transition] = ImageTransition.fadeIn(.seconds(1)) },
            with: fixture.loader)
        await ends("other")
        await ends("success")
        #expect(UIView.animations.last == "animate 1.0")
        #expect(view.alpha == 1)
        #expect(view.image?.cgImage?.width == 5)
    }

    @Test("progress does not change the image")
    func progress() async {
        let (gate, file) = (Gate(), LoaderTestBed.file(width: 4))
        let body: [ScriptedTransport.Step] = [.piece(file.prefix(10)), .wait(gate), .piece(file.dropFirst(10))]
        let request = fixture.request("a", [ScriptedTransport.Reply(announcedBytes: file.count, body: body)]) {
            $0.options[.placeholder] = LoaderTestBed.image(width: 9)
        }
        let view = shownView()
        view.load(request, with: fixture.loader)
        let placeholder = view.image
        await log.reaches(2)
        #expect(view.image === placeholder)
        #expect(placeholder?.cgImage?.width == 9)
        gate.open()
        await ends("success")
        #expect(view.image?.cgImage?.width == 4)
    }

    @Test("a view outside of a window loads as the options specify, and starts when it is added to one")
    func visibility() async {
        let (gate, view) = (Gate(), LoadingImageView(frame: .zero))
        var options = ImageBinding.Options()
        options.loadsBeforeVisible = false
        view.load(fixture.request("a", behind: gate), with: fixture.loader, options: options)
        #expect(fixture.transport.sendCount == 0)
        window.addSubview(view)
        await gate.arrivals(1)
        view.removeFromSuperview()
        await fixture.transport.cancellations(1)
        gate.open()
    }

    @Test("retry loads again")
    func retry() async {
        let view = shownView()
        view.load(fixture.request("a", [.status(.notFound), .ok(LoaderTestBed.file(width: 4))]), with: fixture.loader)
        await ends("failure")
        view.retryLoading()
        await ends("success")
        #expect(fixture.transport.sendCount == 2)
    }

    @Test("starts and cancels prefetches for a collection view")
    func prefetching() async {
        let gate = Gate()
        let source = ImagePrefetchDataSource(prefetcher: ImagePrefetcher(loader: fixture.loader)) { [fixture] path in
            path.item == 2 ? nil : fixture.request("\(path.item)", behind: gate)
        }
        let view = UICollectionView(frame: .zero)
        let paths = (0..<3).map { IndexPath(item: $0, section: 0) }
        source.collectionView(view, prefetchItemsAt: paths)
        await fixture.transport.sends(2)
        source.collectionView(view, cancelPrefetchingForItemsAt: [paths[1]])
        await fixture.transport.cancellations(1)
        gate.open()
        while fixture.memory.images.isEmpty { await Task.yield() }
        #expect(fixture.transport.messages.filter { if case .cancelled = $0 { true } else { false } }.count == 1)
    }

    @Test("monitors the application state and memory warnings")
    func conditions() {
        let center = NotificationCenter()
        let conditions = ApplicationConditions(center: center)
        let observation = conditions.memoryPressure.observe { [log] in log.append("\($0)") }
        center.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
        #expect(conditions.applicationState.condition == .background)
        center.post(name: UIApplication.willEnterForegroundNotification, object: nil)
        #expect(conditions.applicationState.condition == .foreground)
        for _ in 0..<2 { center.post(name: UIApplication.didReceiveMemoryWarningNotification, object: nil) }
        #expect(log.messages == ["warning", "normal", "warning", "normal"])
        #expect(conditions.memoryPressure.condition == .normal)
        withExtendedLifetime(observation) {}
    }
}
