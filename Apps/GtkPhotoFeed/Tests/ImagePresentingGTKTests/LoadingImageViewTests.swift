import Foundation
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImagePresenting
import ImageTesting
import Synchronization
import XCTest

@testable import ImagePresentingGTK

final class LoadingImageViewTests: GtkTestCase {
    /// Runs the body of a test with a cell in a window.
    private func onFixture(_ body: @MainActor (CellFixture) -> Void) throws {
        try onScreen {
            let fixture = CellFixture()
            defer { fixture.close() }
            body(fixture)
        }
    }

    func testAnImageIsLoadedWhenTheCellAppearsOnTheScreen() throws {
        try onFixture { fixture in
            fixture.cell.setOnScreen(false)
            fixture.bind(1)
            XCTAssertEqual(fixture.view.content, .placeholder)
            XCTAssertEqual(fixture.gate.arrivalCount, 0)
            fixture.cell.setOnScreen(true)
            XCTAssertTrue(fixture.waitUntil { fixture.gate.arrivalCount == 1 })
            XCTAssertEqual(fixture.view.content, .placeholder)
            fixture.time += LoadingImageView.quickLoad
            fixture.gate.open()
            XCTAssertTrue(fixture.waitUntil { fixture.view.content == .image })
            XCTAssertTrue(fixture.view.isCrossfading)
        }
    }

    func testAQuicklyLoadedImageDoesNotFade() throws {
        try onFixture { fixture in
            fixture.cell.setOnScreen(true)
            fixture.bind(1)
            fixture.gate.open()
            XCTAssertTrue(fixture.waitUntil { fixture.view.content == .image })
            XCTAssertFalse(fixture.view.isCrossfading)
        }
    }

    func testAnImageInMemoryIsShownImmediatelyWithoutAFade() throws {
        try onFixture { fixture in
            fixture.gate.open()
            fixture.cell.setOnScreen(true)
            fixture.bind(1)
            XCTAssertTrue(fixture.waitUntil { fixture.view.content == .image && !fixture.view.isCrossfading })
            fixture.cell.cancelLoading()
            XCTAssertEqual(fixture.view.content, .placeholder)
            fixture.bind(1)
            XCTAssertEqual(fixture.view.content, .image)
            XCTAssertFalse(fixture.view.isCrossfading)
        }
    }

    func testThePlaceholderOfARequestIsShownUntilTheImageIsLoaded() throws {
        try onFixture { fixture in
            fixture.cell.setOnScreen(true)
            fixture.bind(1, placeholder: bitmap(8, 6, red: 200))
            XCTAssertEqual(fixture.view.content, .image)
            XCTAssertEqual(fixture.view.shownBitmap?.size, PixelSize(width: 8, height: 6))
            fixture.time += LoadingImageView.quickLoad
            fixture.gate.open()
            XCTAssertTrue(fixture.waitUntil { fixture.cell.appearance.kind == .final })
            XCTAssertTrue(fixture.view.isCrossfading)
            XCTAssertEqual(fixture.view.shownBitmap?.size, fixture.cell.appearance.image?.bitmap.size)
        }
    }

    func testAFailureIsShownInsteadOfThePlaceholder() throws {
        try onFixture { fixture in
            fixture.gate.open()
            fixture.failures.isFailing = true
            fixture.cell.setOnScreen(true)
            fixture.bind(1, placeholder: bitmap(8, 6, red: 200))
            XCTAssertTrue(fixture.waitUntil { fixture.view.content == .failure })
            fixture.failures.isFailing = false
            XCTAssertTrue(fixture.view.pressRetry())
            XCTAssertTrue(fixture.waitUntil { fixture.cell.appearance.kind == .final })
        }
    }

    func testACellOffTheScreenHoldsNoImage() throws {
        try onFixture { fixture in
            fixture.gate.open()
            fixture.cell.setOnScreen(true)
            fixture.bind(1)
            XCTAssertTrue(fixture.waitUntil { fixture.view.content == .image })
            fixture.cell.setOnScreen(false)
            XCTAssertEqual(fixture.view.content, .placeholder)
            XCTAssertNil(fixture.cell.appearance.image)
            fixture.cell.setOnScreen(true)
            XCTAssertEqual(fixture.view.content, .image)
        }
    }

    func testAFailureCanBeRetried() throws {
        try onFixture { fixture in
            fixture.gate.open()
            fixture.failures.isFailing = true
            fixture.cell.setOnScreen(true)
            fixture.bind(1)
            XCTAssertTrue(fixture.waitUntil { fixture.view.content == .failure })
            fixture.failures.isFailing = false
            XCTAssertTrue(fixture.view.pressRetry())
            XCTAssertTrue(fixture.waitUntil { fixture.view.content == .image })
        }
    }

    func testTheRequestedSizeFollowsTheScaleFactor() throws {
        try onFixture { fixture in
            fixture.bind(1)
            let scale = fixture.view.widget.scaleFactor
            XCTAssertEqual(
                fixture.cell.boundRequest?.target?.size, PixelSize(width: 80 * scale, height: 60 * scale))
        }
    }

    func testARequestKeepsItsTarget() throws {
        try onFixture { fixture in
            let request = ImageRequest(.data(Data(), name: "small"), target: .fit(PixelSize(width: 8, height: 6)))
            fixture.cell.load(request, description: "small")
            XCTAssertEqual(fixture.cell.boundRequest?.target, request.target)
        }
    }

    func testOnlySlowLoadsShowAProgressBar() throws {
        try onFixture { fixture in
            @MainActor func render(_ bytes: Int) {
                fixture.cell.render(
                    ImageAppearance(phase: .loading(WorkProgress(completedByteCount: bytes, totalByteCount: 100))))
            }
            render(10)
            XCTAssertFalse(fixture.view.showsProgress)
            fixture.time += LoadingImageView.slowLoad
            render(20)
            XCTAssertTrue(fixture.view.showsProgress)
            fixture.cell.render(ImageAppearance(phase: .failure(.notFound)))
            XCTAssertFalse(fixture.view.showsProgress)
            render(30)
            XCTAssertFalse(fixture.view.showsProgress, "each load is timed separately")
            fixture.time += LoadingImageView.slowLoad
            render(40)
            XCTAssertTrue(fixture.view.showsProgress)
            fixture.cell.render(ImageAppearance(phase: .loading(nil)))
            XCTAssertFalse(fixture.view.showsProgress, "another image begins to load")
            render(50)
            XCTAssertFalse(fixture.view.showsProgress)
        }
    }

    func testAnAnimationPlaysWhileItIsOnTheScreen() throws {
        try onScreen {
            var isTicking = false
            let clock = AnimationClock { isTicking = $0 }
            let fixture = CellFixture(clock: clock, frameCount: 3)
            defer { fixture.close() }
            fixture.gate.open()
            fixture.cell.setOnScreen(true)
            fixture.bind(1)
            XCTAssertTrue(fixture.waitUntil { isTicking })
            var time = Duration.zero
            @MainActor func plays() -> Bool {
                let first = fixture.view.shownBitmap
                return fixture.waitUntil {
                    time += .milliseconds(100)
                    clock.tick(at: time)
                    return fixture.view.shownBitmap != first
                }
            }
            XCTAssertTrue(plays())
            XCTAssertTrue(plays())
            fixture.cell.setOnScreen(false)
            XCTAssertFalse(isTicking)
            fixture.cell.setOnScreen(true)
            XCTAssertTrue(fixture.waitUntil { isTicking })
            XCTAssertTrue(plays())
            clock.reducesMotion = true
            XCTAssertFalse(isTicking)
        }
    }

    func testTheClockOfAWindowRunsTasksAfterEachFrame() throws {
        try onScreen {
            let window = TestWindow(ImageView(width: 80, height: 60).widget)
            defer { window.close() }
            let clock = WindowClock(window.window)
            var (queued, ran, ranBeforeEndOfFrame) = (0, 0, [Bool]())
            let frames = unsafe gtk_widget_get_frame_clock(window.window.pointer)
            unsafe connect(UnsafeMutableRawPointer(try XCTUnwrap(frames)), "paint") {
                queued += 1
                Task { ran += 1 }
            }
            clock.onFrame = { ranBeforeEndOfFrame.append(ran == queued) }
            unsafe gtk_widget_queue_draw(window.window.pointer)
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { queued > 0 && !ranBeforeEndOfFrame.isEmpty })
            XCTAssertFalse(ranBeforeEndOfFrame.contains(false))
        }
    }

    func testTheClockOfAClosedWindowObservesNoSettings() throws {
        try onScreen {
            let before = Self.handlersOfAnimationSetting
            let window = TestWindow(ImageView(width: 80, height: 60).widget)
            let clock = WindowClock(window.window)
            XCTAssertEqual(Self.handlersOfAnimationSetting, before + 1)
            withExtendedLifetime(clock) { window.close() }
            XCTAssertEqual(Self.handlersOfAnimationSetting, before)
        }
    }

    /// The number of handlers that are called when the user switches animations on or off.
    @MainActor private static var handlersOfAnimationSetting: Int {
        guard let settings = unsafe gtk_settings_get_default().map({ unsafe UnsafeMutableRawPointer($0) }) else {
            return 0
        }
        let parts = [G_SIGNAL_MATCH_ID, G_SIGNAL_MATCH_DETAIL, G_SIGNAL_MATCH_UNBLOCKED]
        let match = GSignalMatchType(parts.reduce(0) { $0 | $1.rawValue })
        let signal = unsafe g_signal_lookup("notify", gtk_settings_get_type())
        let detail = unsafe g_quark_from_string("gtk-enable-animations")
        func next() -> gulong { unsafe g_signal_handler_find(settings, match, signal, detail, nil, nil, nil) }
        let handlers = Array(
            sequence(first: next()) { handler in
                unsafe g_signal_handler_block(settings, handler)
                return next()
            }.prefix { $0 != 0 })
        for handler in handlers { unsafe g_signal_handler_unblock(settings, handler) }
        return handlers.count
    }

    func testAnAnimationThatWasLoadedBeforeTheWindowIsShownPlays() throws {
        try onScreen {
            let window = unsafe GtkWidgetRef(gtk_window_new())
            let clock = WindowClock(window)
            let fixture = CellFixture(clock: clock.clock, frameCount: 3)
            defer { fixture.close() }
            fixture.gate.open()
            fixture.bind(1)
            XCTAssertTrue(fixture.waitUntil { clock.clock.isRunning })
            let first = fixture.view.shownBitmap
            unsafe gtk_window_present(window.cast(to: GtkWindow.self))
            XCTAssertTrue(fixture.waitUntil { fixture.view.shownBitmap != first })
            fixture.cell.setOnScreen(false)
            XCTAssertFalse(clock.clock.isRunning)
            unsafe gtk_window_destroy(window.cast(to: GtkWindow.self))
        }
    }

    func testTheClockOfAWindowPreparesFramesForItsRenderer() throws {
        try onScreen {
            let window = TestWindow(ImageView(width: 80, height: 60).widget)
            defer { window.close() }
            let clock = WindowClock(window.window)
            let fixture = CellFixture(clock: clock.clock, frameCount: 3)
            defer { fixture.close() }
            fixture.gate.open()
            fixture.cell.setOnScreen(true)
            fixture.bind(1)
            XCTAssertTrue(fixture.waitUntil { clock.clock.isRunning })
            let frame = bitmap(8, 6, red: 9)
            clock.clock.prepareFrame?(frame)
            XCTAssertEqual(frame.preparedForCairo != nil, window.window.usesCairoRenderer)
        }
    }
}

/// A cell in a window, and a loader whose downloads wait for a gate.
@MainActor private final class CellFixture {
    let cell: LoadingImageView
    let gate = TestGate()
    let failures = Failures()
    private let window: TestWindow
    private let clock = TestTime()
    private let file: Data

    @MainActor final class TestTime {
        var time = Duration.zero
    }

    final class Failures: Sendable {
        private let flag = Mutex(false)
        var isFailing: Bool {
            get { flag.withLock { $0 } }
            set { flag.withLock { $0 = newValue } }
        }
    }

    var view: ImageView { cell.view }
    var time: Duration {
        get { clock.time }
        set { clock.time = newValue }
    }

    init(clock: AnimationClock? = nil, frameCount: Int = 1) {
        var defaults = ImageLoaderOptions(cacheDirectory: nil)
        defaults.retryPolicy.maxRetries = 0
        defaults.memoryPressureMonitor = nil
        defaults.connectivityMonitor = nil
        file = Self.gif(frameCount: frameCount)
        cell = LoadingImageView(loader: ImageLoader(defaults), width: 80, height: 60, clock: clock)
        cell.now = { [time = self.clock] in time.time }
        window = TestWindow(cell.view.widget)
    }

    private static func gif(frameCount: Int) -> Data {
        let frames = (0..<frameCount).map { number in
            AnimationFrame(bitmap: bitmap(100, 80, red: UInt8(number * 40)), delay: .milliseconds(100))
        }
        return
            (try? [any ImageEncoder].standard.encoder(for: .gif)?.encode(
                frames, loopCount: 0, options: EncodingOptions()))
            ?? Data()
    }

    func bind(_ number: Int, placeholder: Bitmap? = nil) {
        let (gate, failures, file) = (gate, failures, file)
        var request = ImageRequest(
            .fetch(name: "\(number)") {
                await gate.pass()
                if failures.isFailing { throw NoSuchImage() }
                return file
            })
        if let placeholder {
            let header = ImageHeader(format: .gif, storedSize: placeholder.size)
            request.placeholder = .deferred { DecodedImage(bitmap: placeholder, header: header) }
        }
        cell.load(request, description: "image \(number)")
    }

    func waitUntil(_ isDone: () -> Bool) -> Bool { GtkMainLoop.run(upTo: testTimeout, until: isDone) }

    func close() { window.close() }
}

private struct NoSuchImage: Error {}
