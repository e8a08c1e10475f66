import Accessibility
import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTransporting
import Synchronization
import Testing
import UIKit

@testable import ImagePresentingUIKit
@testable import ImageTesting

extension ProcessState {
    @MainActor
    @Suite("UIKit adapter", .serialized, .timeLimit(.minutes(5)))
    struct UIKitTests {
        private let fixture = LoaderTestBed()
        private let window = UIWindow(frame: .zero)
        private let log = MessageLog<String>()

        init() {
            AccessibilitySettings.animatedImagesEnabled = true
            UIView.animations = []
            UIAccessibility.isReduceMotionEnabled = false
        }

        /// Creates an image view in the window that records its phases.
        private func shownView() -> LoadingImageView {
            let view = LoadingImageView(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
            view.onRender = { [log] in
                log.append($0.phase.isSuccess ? "success" : $0.phase.isFailure ? "failure" : "other")
            }
            window.addSubview(view)
            return view
        }

        private func ends(_ phase: String) async { await log.waitForLast { $0 == phase } }

        private let fading = ImageBinding.Options(transition: .crossDissolve(.milliseconds(250)))

        private final class Cell: UICollectionViewCell {
            let image = LoadingImageView(frame: CGRect(x: 0, y: 0, width: 100, height: 100))

            override func prepareForReuse() {
                super.prepareForReuse()
                image.cancelLoading()
            }
        }

        @Test(
            "an animation plays in step in two views of a window, and rests elsewhere, in the background and as the user wants",
            arguments: [
                UIApplication.didEnterBackgroundNotification, UIAccessibility.reduceMotionStatusDidChangeNotification,
                AccessibilitySettings.animatedImagesEnabledDidChangeNotification,
            ])
        func animation(_ change: Notification.Name) async {
            let (time, center) = (ManualClock(), NotificationCenter())
            let animations = SharedAnimations(timer: time, center: center)
            let views = [shownView(), shownView()]
            var shown = [0, 0]
            let animation = fixture.request("a", [.ok(FakeImage.animation(loopCount: 0).encoded)])
            for (index, view) in views.enumerated() {
                view.removeFromSuperview()
                view.animations = animations
                window.addSubview(view)
                view.onRender = { if $0.isAnimating { shown[index] += 1 } }
                view.load(animation, with: fixture.loader)
            }
            while shown.contains(0) {
                await time.waitForSleepers(1)
                time.advance(by: .seconds(1))
                await Task.yield()
            }
            #expect(views[0].image?.cgImage === views[1].image?.cgImage)
            for view in views { view.removeFromSuperview() }
            #expect(!animations.clock.isRunning)
            window.addSubview(views[0])
            #expect(animations.clock.isRunning)
            UIAccessibility.isReduceMotionEnabled = true
            AccessibilitySettings.animatedImagesEnabled = false
            center.post(name: change, object: nil)
            while animations.clock.isRunning { await Task.yield() }
            UIAccessibility.isReduceMotionEnabled = false
            AccessibilitySettings.animatedImagesEnabled = true
            center.post(name: change, object: nil)
            center.post(name: UIApplication.willEnterForegroundNotification, object: nil)
            while !animations.clock.isRunning { await Task.yield() }
        }

        @Test("prepareForReuse cancels the request and removes the image")
        func reuse() async {
            let (gate, cell) = (TestGate(), Cell(frame: .zero))
            cell.contentView.addSubview(cell.image)
            window.addSubview(cell)
            cell.image.load(fixture.request("a", behind: gate), with: fixture.loader)
            await gate.waitForArrivals(1)
            cell.prepareForReuse()
            await fixture.transport.waitForCancellations(1)
            gate.open()
            #expect(cell.image.image == nil)
        }

        @Test("sets an image in memory before load returns, without animation")
        func memoryHit() async throws {
            let (view, request) = (shownView(), fixture.request("a"))
            try await fixture.warm(request.sized)
            view.load(request, with: fixture.loader, options: fading)
            #expect(view.image?.cgImage?.width == 4)
            #expect(UIView.animations.isEmpty)
        }

        @Test("applies the transition to an image from the network, unless motion is reduced")
        func transitions() async {
            let view = shownView()
            view.alpha = 0.5
            view.load(fixture.request("a"), with: fixture.loader, options: fading)
            await ends("success")
            #expect(UIView.animations == ["transition 0.25 true"])
            view.load(
                fixture.request("b", width: 5) { $0.transition = .fadeIn(.seconds(1)) },
                with: fixture.loader)
            await ends("other")
            await ends("success")
            #expect(UIView.animations.count == 1)
            let fade = view.layer.added.last as? CABasicAnimation
            #expect(fade?.keyPath == "opacity")
            #expect(fade?.fromValue as? Int == 0)
            #expect(fade?.toValue == nil)
            #expect(fade?.duration == 1)
            #expect(view.alpha == 0.5)
            #expect(view.image?.cgImage?.width == 5)
            UIAccessibility.isReduceMotionEnabled = true
            let other = shownView()
            other.load(fixture.request("c"), with: fixture.loader, options: fading)
            await ends("other")
            await ends("success")
            #expect(other.image?.cgImage?.width == 4 && UIView.animations.count == 1)
        }

        @Test("decodes to the size of the view in pixels when it has one, and again when it grows")
        func sizes() async {
            let view = shownView()
            view.bounds.size = .zero
            view.traitCollection = UITraitCollection(displayScale: 2)
            view.load(fixture.request("a", width: 400).url, with: fixture.loader)
            #expect(fixture.transport.sendCount == 0)
            view.bounds.size = CGSize(width: 100, height: 50)
            window.layoutIfNeeded()
            await ends("success")
            #expect(view.image?.cgImage?.width == 200)
            #expect(view.image?.scale == 2)
            view.bounds.size = CGSize(width: 150, height: 50)
            window.layoutIfNeeded()
            #expect(view.image?.cgImage?.width == 200)
            await ends("success")
            #expect(view.image?.cgImage?.width == 300)
            let renders = log.messages.count
            view.bounds.size = CGSize(width: 20, height: 20)
            window.layoutIfNeeded()
            #expect(log.messages.count == renders)
            view.load(nil as URL?, with: fixture.loader)
            #expect(view.image == nil)
        }

        @Test("a failure is not retried by layout, and a label makes the image an element for accessibility")
        func layoutAfterFailure() async {
            let view = shownView()
            #expect(!view.isAccessibilityElement)
            view.accessibilityLabel = "Ada"
            #expect(view.isAccessibilityElement)
            view.load(fixture.request("a", [.status(.notFound)]), with: fixture.loader)
            await ends("failure")
            view.setNeedsLayout()
            window.layoutIfNeeded()
            #expect(log.messages.last == "failure")
        }

        @Test("progress does not change the image")
        func progress() async {
            let (gate, file) = (TestGate(), LoaderTestBed.file(width: 4))
            let body: [ScriptedTransport.Step] = [.piece(file.prefix(10)), .wait(gate), .piece(file.dropFirst(10))]
            let request = fixture.request("a", [ScriptedTransport.Reply(announcedByteCount: file.count, body: body)]) {
                $0.placeholder = .image(LoaderTestBed.image(width: 9))
            }
            let view = shownView()
            view.load(request, with: fixture.loader)
            let placeholder = view.image
            await log.waitForCount(2)
            #expect(view.image === placeholder)
            #expect(placeholder?.cgImage?.width == 9)
            gate.open()
            await ends("success")
            #expect(view.image?.cgImage?.width == 4)
        }

        @Test("a view outside of a window loads as the options specify, and starts when it is added to one")
        func visibility() async {
            let (gate, view) = (TestGate(), LoadingImageView(frame: CGRect(x: 0, y: 0, width: 100, height: 100)))
            var options = ImageBinding.Options()
            options.loadsBeforeVisible = false
            view.load(fixture.request("a", behind: gate), with: fixture.loader, options: options)
            #expect(fixture.transport.sendCount == 0)
            window.addSubview(view)
            await gate.waitForArrivals(1)
            view.removeFromSuperview()
            await fixture.transport.waitForCancellations(1)
            gate.open()
        }

        @Test("retry loads again")
        func retry() async {
            let view = shownView()
            view.load(
                fixture.request("a", [.status(.notFound), .ok(LoaderTestBed.file(width: 4))]), with: fixture.loader)
            await ends("failure")
            view.retryLoading()
            await ends("success")
            #expect(fixture.transport.sendCount == 2)
        }

        @Test("starts and cancels prefetches for a collection view and a table view", arguments: [true, false])
        func prefetching(isTable: Bool) async {
            let gate = TestGate()
            let source = ImagePrefetchDataSource(prefetcher: ImagePrefetcher(loader: fixture.loader)) {
                [fixture] path in
                path.item == 2 ? nil : fixture.request("\(path.item)", behind: gate)
            }
            let (table, view) = (UITableView(frame: .zero), UICollectionView(frame: .zero))
            let paths = (0..<3).map { IndexPath(item: $0, section: 0) }
            if isTable {
                source.tableView(table, prefetchRowsAt: paths)
            } else {
                source.collectionView(view, prefetchItemsAt: paths)
            }
            await fixture.transport.waitForSends(2)
            if isTable {
                source.tableView(table, cancelPrefetchingForRowsAt: [paths[1]])
            } else {
                source.collectionView(view, cancelPrefetchingForItemsAt: [paths[1]])
            }
            await fixture.transport.waitForCancellations(1)
            gate.open()
            while fixture.memory.images.isEmpty { await Task.yield() }
            #expect(fixture.transport.messages.filter { if case .cancelled = $0 { true } else { false } }.count == 1)
        }

        @Test("monitors the application state and memory warnings")
        func conditions() {
            let center = NotificationCenter()
            var conditions: ApplicationConditions! = ApplicationConditions(application: nil, center: center)
            let (state, pressure) = (conditions.applicationState, conditions.memoryPressure)
            let observation = conditions.memoryPressure.observe { [log] in log.append("\($0)") }
            center.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
            #expect(state.condition == .background)
            center.post(name: UIApplication.willEnterForegroundNotification, object: nil)
            #expect(state.condition == .foreground)
            for _ in 0..<2 { center.post(name: UIApplication.didReceiveMemoryWarningNotification, object: nil) }
            #expect(log.messages == ["warning", "normal", "warning", "normal"])
            #expect(pressure.condition == .normal)
            conditions = nil
            center.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
            #expect(state.condition == .foreground)
            withExtendedLifetime(observation) {}
        }

        @Test("an app that is launched in the background is there, until it comes to the front")
        func launchedInBackground() {
            let (application, center) = (UIApplication(), NotificationCenter())
            application.applicationState = .background
            let conditions = ApplicationConditions(application: application, center: center)
            #expect(conditions.applicationState.condition == .background)
            conditions.backgroundTime.handle(ImageLoadEvent(requestID: 1, url: nil, kind: .downloadStarted))
            #expect(application.backgroundTasks.withLock { $0.count } == 1)
            center.post(name: UIApplication.willEnterForegroundNotification, object: nil)
            #expect(conditions.applicationState.condition == .foreground)
        }

        @Test("holds time in the background while downloads go on, until the system wants it back")
        func backgroundTime() async {
            let (application, center) = (UIApplication(), NotificationCenter())
            let observer = RecordingObserver()
            let conditions = ApplicationConditions(application: application, center: center, observer: observer)
            let fixture = LoaderTestBed {
                $0.observer = conditions.backgroundTime
                $0.applicationStateMonitor = conditions.applicationState
            }
            func tasks() -> Int { application.backgroundTasks.withLock { $0.count } }
            let gates = [TestGate(), TestGate()]
            let task = fixture.loader.task(for: fixture.request("a", behind: gates[0]))
            await gates[0].waitForArrivals(1)
            #expect(tasks() == 0)
            center.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
            #expect(tasks() == 1)
            gates[0].open()
            _ = try? await task.image
            #expect(tasks() == 0)
            let late = fixture.loader.task(for: fixture.request("b", behind: gates[1]))
            await gates[1].waitForArrivals(1)
            #expect(tasks() == 1)
            for handler in application.backgroundTasks.withLock({ Array($0.values) }) { handler?() }
            #expect(tasks() == 0)
            center.post(name: UIApplication.willEnterForegroundNotification, object: nil)
            gates[1].open()
            _ = try? await late.image
            #expect(observer.events.contains { $0.kind == .downloadStarted })
        }

        /// Refuses time in the background, and counts how often it is asked.
        private final class RefusingApplication: UIApplication {
            nonisolated let requests = Mutex(0)

            override nonisolated func beginBackgroundTask(
                withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
            ) -> UIBackgroundTaskIdentifier {
                requests.withLock { $0 += 1 }
                return .invalid
            }
        }

        @Test("asks once for time that UIKit refuses, and again after the app was in the foreground")
        func refusedBackgroundTime() async {
            let (application, center, gate) = (RefusingApplication(), NotificationCenter(), TestGate())
            let conditions = ApplicationConditions(application: application, center: center)
            let fixture = LoaderTestBed { $0.observer = conditions.backgroundTime }
            let task = fixture.loader.task(for: fixture.request("a", behind: gate))
            await gate.waitForArrivals(1)
            for requests in 1...2 {
                center.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
                #expect(application.requests.withLock { $0 } == requests)
                center.post(name: UIApplication.willEnterForegroundNotification, object: nil)
            }
            gate.open()
            _ = try? await task.image
        }

        @Test("an app extension downloads in the background without time for it")
        func appExtension() async throws {
            let (center, gate) = (NotificationCenter(), TestGate())
            let conditions = ApplicationConditions(application: nil, center: center)
            let fixture = LoaderTestBed { $0.observer = conditions.backgroundTime }
            let task = fixture.loader.task(for: fixture.request("a", behind: gate))
            await gate.waitForArrivals(1)
            center.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
            gate.open()
            _ = try await task.image
        }
    }
}
