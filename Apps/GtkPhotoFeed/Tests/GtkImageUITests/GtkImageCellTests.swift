import CGtk
import Foundation
import GtkImageUI
import ImageCore
import ImageLoading
import ImageLoadingDefaults
import ImagePresenting
import ImageTesting
import XCTest

final class GtkImageCellTests: GtkTestCase {
    /// Runs a test's body with a cell in a window.
    private func onStage(_ body: @MainActor (CellStage) -> Void) throws {
        try onScreen {
            let stage = CellStage()
            defer { stage.close() }
            body(stage)
        }
    }

    func testAPictureIsLoadedWhenTheCellComesOntoTheScreen() throws {
        try onStage { stage in
            stage.bind(1)
            XCTAssertEqual(stage.view.face, .placeholder)
            XCTAssertEqual(stage.gate.arrivalCount, 0)
            stage.cell.setOnScreen(true)
            XCTAssertTrue(stage.waits { stage.gate.arrivalCount == 1 })
            XCTAssertEqual(stage.view.face, .placeholder)
            stage.time += GtkImageCell.quickLoad
            stage.gate.open()
            XCTAssertTrue(stage.waits { stage.view.face == .picture })
            XCTAssertTrue(stage.view.isCrossfading)
        }
    }

    func testAPictureThatComesAtOnceDoesNotFade() throws {
        try onStage { stage in
            stage.cell.setOnScreen(true)
            stage.bind(1)
            stage.gate.open()
            XCTAssertTrue(stage.waits { stage.view.face == .picture })
            XCTAssertFalse(stage.view.isCrossfading)
        }
    }

    func testAPictureInMemoryIsThereInTheSameTurnWithoutAFade() throws {
        try onStage { stage in
            stage.gate.open()
            stage.cell.setOnScreen(true)
            stage.bind(1)
            XCTAssertTrue(stage.waits { stage.view.face == .picture && !stage.view.isCrossfading })
            stage.cell.unbind()
            XCTAssertEqual(stage.view.face, .placeholder)
            stage.bind(1)
            XCTAssertEqual(stage.view.face, .picture)
            XCTAssertFalse(stage.view.isCrossfading)
        }
    }

    func testACellOffTheScreenHoldsNoPicture() throws {
        try onStage { stage in
            stage.gate.open()
            stage.cell.setOnScreen(true)
            stage.bind(1)
            XCTAssertTrue(stage.waits { stage.view.face == .picture })
            stage.cell.setOnScreen(false)
            XCTAssertEqual(stage.view.face, .placeholder)
            XCTAssertNil(stage.cell.appearance.picture)
            stage.cell.setOnScreen(true)
            XCTAssertEqual(stage.view.face, .picture)
        }
    }

    func testAFailureOffersAnotherTry() throws {
        try onStage { stage in
            stage.gate.open()
            stage.failures.isFailing = true
            stage.cell.setOnScreen(true)
            stage.bind(1)
            XCTAssertTrue(stage.waits { stage.view.face == .failure })
            stage.failures.isFailing = false
            XCTAssertTrue(stage.view.pressRetry())
            XCTAssertTrue(stage.waits { stage.view.face == .picture })
        }
    }

    func testThePixelsAskedForFollowTheScreen() throws {
        try onStage { stage in
            stage.bind(1)
            let scale = stage.view.widget.scaleFactor
            XCTAssertEqual(
                stage.cell.boundRequest?.target?.size, PixelSize(width: 80 * scale, height: 60 * scale))
        }
    }

    func testOnlySlowLoadsShowABar() throws {
        try onStage { stage in
            @MainActor func render(_ bytes: Int) {
                stage.cell.render(
                    ImageAppearance(phase: .loading(WorkProgress(completedBytes: bytes, totalBytes: 100))))
            }
            render(10)
            XCTAssertFalse(stage.view.showsProgress)
            stage.time += GtkImageCell.slowLoad
            render(20)
            XCTAssertTrue(stage.view.showsProgress)
            stage.cell.render(ImageAppearance(phase: .failure(.notFound)))
            XCTAssertFalse(stage.view.showsProgress)
            render(30)
            XCTAssertFalse(stage.view.showsProgress, "the next load begins anew")
        }
    }

    func testAnAnimationPlaysWhileItIsSeen() throws {
        try onScreen {
            let frames = [bitmap(4, 4, red: 1), bitmap(4, 4, red: 2), bitmap(4, 4, red: 3)]
            var isTicking = false
            let clock = AnimationClock { isTicking = $0 }
            let stage = CellStage(
                animations: CellAnimations(clock: clock) { _ in FrameList(frames: frames) }, frameCount: 3)
            defer { stage.close() }
            stage.gate.open()
            stage.cell.setOnScreen(true)
            stage.bind(1)
            XCTAssertTrue(stage.waits { isTicking })
            stage.cell.setOnScreen(false)
            XCTAssertFalse(isTicking)
            stage.cell.setOnScreen(true)
            XCTAssertTrue(stage.waits { isTicking })
            clock.reducesMotion = true
            XCTAssertFalse(isTicking)
        }
    }
}

/// A cell in a window, and a loader whose originals wait at a gate.
@MainActor private final class CellStage {
    let cell: GtkImageCell
    let gate = Gate()
    let failures = Failures()
    private let window: TestWindow
    private let clock = TestTime()
    private let file: Data

    @MainActor final class TestTime {
        var time = Duration.zero
    }

    final class Failures: Sendable {
        private let flag = Watched(false)
        var isFailing: Bool {
            get { flag.value }
            set { flag.change { $0 = newValue } }
        }
    }

    var view: PictureView { cell.view }
    var time: Duration {
        get { clock.time }
        set { clock.time = newValue }
    }

    init(animations: CellAnimations? = nil, frameCount: Int = 1) {
        var defaults = ImageLoaderDefaults(cacheFolder: nil)
        defaults.retries = 0
        defaults.heedsMemoryPressure = false
        file = Self.gif(frameCount: frameCount)
        cell = GtkImageCell(
            loader: defaults.makeLoader(), width: 80, height: 60, animations: animations, now: { [clock] in clock.time }
        )
        window = TestWindow(cell.view.widget)
    }

    private static func gif(frameCount: Int) -> Data {
        let frames = (0..<frameCount).map { number in
            AnimationFrame(bitmap: bitmap(100, 80, red: UInt8(number * 40)), delay: .milliseconds(100))
        }
        return (try? ImageEncoders.encoder(for: .gif)?.encode(frames, loopCount: 0, options: EncodingOptions()))
            ?? Data()
    }

    func bind(_ number: Int) {
        let (gate, failures, file) = (gate, failures, file)
        cell.bind("picture \(number)") { size in
            ImageRequest(
                .fetch(name: "\(number)") {
                    await gate.pass()
                    if failures.isFailing { throw NoSuchPicture() }
                    return file
                }, target: ImageTarget(size, mode: .fill))
        }
    }

    func waits(until isDone: () -> Bool) -> Bool { GtkMainLoop.run(upTo: patience, until: isDone) }

    func close() { window.close() }
}

private struct NoSuchPicture: Error {}

/// Frames that are all there, of a tenth of a second each, over and over.
private struct FrameList: AnimationFrames {
    var frames: [Bitmap]

    func moment(at elapsed: Duration) -> AnimationMoment {
        AnimationMoment(frame: Int(elapsed / .milliseconds(100)) % frames.count, isLast: false)
    }

    func cachedFrame(at index: Int) -> Bitmap? { frames[index] }

    @concurrent func prepare(from index: Int) async throws {}
}
