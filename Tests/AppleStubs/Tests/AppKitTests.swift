import Accessibility
import AppKit
import CoreGraphics
import Foundation
import ImageCore
import ImageLoading
import ImagePresenting
import Testing

@testable import ImagePresentingAppKit
@testable import ImageTesting

extension ProcessState {
    @MainActor
    @Suite("AppKit adapter", .serialized, .timeLimit(.minutes(5)))
    struct AppKitTests {
        private let fixture = LoaderTestBed()
        private let window = NSWindow()
        private let view = LoadingImageView(frame: CGRect(x: 0, y: 0, width: 100, height: 50))
        private let log = MessageLog<String>()

        init() {
            NSWorkspace.shared.accessibilityDisplayShouldReduceMotion = false
            view.onRender = { [log] in
                log.append($0.phase.isSuccess ? "success" : $0.phase.isFailure ? "failure" : "other")
            }
            window.backingScaleFactor = 2
        }

        private func ends(_ phase: String) async { await log.waitForLast { $0 == phase } }

        private var drawnWidth: Int? { (view.layer?.contents as? CGImage?)??.width }

        @Test("decodes to the size of the view at the scale of its window, and again when either grows")
        func sizes() async {
            let request = fixture.request("a", width: 800)
            view.move(to: window)
            view.load(request.url, with: fixture.loader)
            await ends("success")
            #expect(drawnWidth == 200)
            view.bounds.size.width = 150
            view.layoutSubtreeIfNeeded()
            await ends("success")
            #expect(drawnWidth == 300)
            window.backingScaleFactor = 3
            view.viewDidChangeBackingProperties()
            view.layoutSubtreeIfNeeded()
            await ends("success")
            #expect(drawnWidth == 450)
            view.cancelLoading()
            #expect(view.layer?.contents as? CGImage == nil)
        }

        @Test(
            "loads outside of a window as the options specify, fades unless motion is reduced, and loads again after a failure"
        )
        func visibility() async {
            var options = ImageBinding.Options(transition: .fadeIn(.milliseconds(250)))
            options.loadsBeforeVisible = false
            view.load(fixture.request("a"), with: fixture.loader, options: options)
            #expect(fixture.transport.sendCount == 0)
            view.move(to: window)
            await ends("success")
            #expect(view.layer?.added.map(\.duration) == [0.25])
            NSWorkspace.shared.accessibilityDisplayShouldReduceMotion = true
            view.load(
                fixture.request("b", [.status(.notFound), .ok(LoaderTestBed.file(width: 4))]), with: fixture.loader,
                options: options)
            await ends("failure")
            view.retryLoading()
            await ends("success")
            #expect(view.layer?.added.count == 1)
        }

        @Test("a label makes the image an element for accessibility, and the content mode is that of the layer")
        func label() {
            #expect(!view.accessibility.isElement && view.layer?.contentsGravity == .resizeAspect)
            view.imageLabel = "a cat"
            #expect(view.accessibility == (true, .image, "a cat"))
            view.contentMode = .fill
            #expect(view.layer?.contentsGravity == .resizeAspectFill && view.layer?.masksToBounds == true)
        }

        @Test("an animation plays in a window, unless the app is hidden or the user wants it to rest")
        func animation() async {
            let (time, center, workspaceCenter) = (ManualClock(), NotificationCenter(), NotificationCenter())
            view.animations = SharedAnimations(timer: time, center: center, workspaceCenter: workspaceCenter)
            let clock = view.animations.clock
            let file = FakeImage.animation(loopCount: 0).encoded
            view.move(to: window)
            view.load(fixture.request("a", [.ok(file)]), with: fixture.loader)
            await time.waitForSleepers(1)
            func becomes(_ isRunning: Bool, after name: Notification.Name, in center: NotificationCenter) async {
                center.post(name: name, object: nil)
                while clock.isRunning != isRunning { await Task.yield() }
            }
            NSApplication.shared.occlusionState = []
            await becomes(false, after: NSApplication.didChangeOcclusionStateNotification, in: center)
            NSApplication.shared.occlusionState = .visible
            await becomes(true, after: NSApplication.didChangeOcclusionStateNotification, in: center)
            NSWorkspace.shared.accessibilityDisplayShouldReduceMotion = true
            let changed = NSWorkspace.accessibilityDisplayOptionsDidChangeNotification
            await becomes(false, after: changed, in: workspaceCenter)
            NSWorkspace.shared.accessibilityDisplayShouldReduceMotion = false
            await becomes(true, after: changed, in: workspaceCenter)
            view.move(to: nil)
            #expect(!clock.isRunning)
        }

        @Test("an image for AppKit has a point per pixel")
        func image() async throws {
            let image = try await fixture.loader.image(for: fixture.request("a", width: 7)).nsImage
            #expect(image?.size.width == 7)
        }
    }
}
