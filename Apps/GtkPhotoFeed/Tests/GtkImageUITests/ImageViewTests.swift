import CGtk
import ImageCore
import XCTest

@testable import GtkImageUI

final class ImageViewTests: GtkTestCase {
    func testPagesFollowWhatIsShown() throws {
        try onScreen {
            let view = ImageView(width: 80, height: 60)
            XCTAssertEqual(view.face, .placeholder)
            view.show(Texture(bitmap(8, 6, red: 255)))
            XCTAssertEqual(view.face, .image)
            view.showFailure("no network")
            XCTAssertEqual(view.face, .failure)
            view.showPlaceholder(isBusy: true)
            XCTAssertEqual(view.face, .placeholder)
        }
    }

    func testAImageFadesInOnlyWhenItShall() throws {
        try onScreen {
            let view = ImageView(width: 80, height: 60)
            let window = TestWindow(view.widget)
            defer { window.close() }
            view.show(Texture(bitmap(8, 6, red: 255)))
            XCTAssertFalse(view.isCrossfading)
            view.show(Texture(bitmap(8, 6, red: 0, green: 255)), crossfadingFor: 100)
            XCTAssertTrue(view.isCrossfading)
            XCTAssertTrue(GtkMainLoop.run(upTo: patience) { !view.isCrossfading })
            XCTAssertEqual(view.face, .image)
        }
    }

    func testReducedMotionShowsImagesAtOnce() throws {
        try onScreen {
            let view = ImageView(width: 80, height: 60)
            let window = TestWindow(view.widget)
            defer { window.close() }
            DesktopSettings.animates = false
            defer { DesktopSettings.animates = true }
            view.show(Texture(bitmap(8, 6, red: 255)), crossfadingFor: 100)
            XCTAssertFalse(view.isCrossfading)
        }
    }

    func testTheSizeIsTheViewsOwnWhateverItShows() throws {
        try onScreen {
            let view = ImageView(width: 80, height: 60)
            view.widget.setAlignment(horizontal: GTK_ALIGN_CENTER, vertical: GTK_ALIGN_CENTER)
            let window = TestWindow(view.widget)
            defer { window.close() }
            view.show(Texture(bitmap(900, 700, red: 255)))
            view.showProgress(0.5)
            for _ in 0..<20 { GtkMainLoop.step(mayWait: false) }
            XCTAssertEqual(unsafe gtk_widget_get_width(view.widget.pointer), 80)
            XCTAssertEqual(unsafe gtk_widget_get_height(view.widget.pointer), 60)
        }
    }

    func testTheRetryButtonIsOneForKeyboardAndForAssistiveTechnology() throws {
        try onScreen {
            let view = ImageView(width: 120, height: 120)
            let window = TestWindow(view.widget)
            defer { window.close() }
            var retries = 0
            view.onRetry = { retries += 1 }
            view.showFailure("no network")
            XCTAssertTrue(view.pressRetry())
            XCTAssertTrue(GtkMainLoop.run(upTo: patience) { retries == 1 })
        }
    }

    func testAssistiveTechnologyIsToldTheDescriptionAndThatAImageIsOnItsWay() throws {
        try onScreen {
            let view = ImageView(width: 80, height: 60)
            let window = TestWindow(view.widget)
            defer { window.close() }
            let accessible = unsafe view.widget.opaque
            XCTAssertTrue(unsafe gtk_test_accessible_has_role(accessible, GTK_ACCESSIBLE_ROLE_IMG) != 0)
            view.setDescription("the old ridge")
            view.showPlaceholder(isBusy: true)
            XCTAssertTrue(unsafe gtk_test_accessible_has_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL) != 0)
            XCTAssertTrue(unsafe gtk_test_accessible_has_state(accessible, GTK_ACCESSIBLE_STATE_BUSY) != 0)
        }
    }

    func testImagesThatAreNotSeenAnyMoreGiveTheirMemoryBack() throws {
        try onScreen {
            let view = ImageView(width: 80, height: 60)
            let pool = PixelBufferPool(byteLimit: 1 << 20)
            view.show(Texture(pooled(pool)))
            XCTAssertEqual(pool.idleByteCount, 0)
            view.showPlaceholder(isBusy: false)
            XCTAssertGreaterThan(pool.idleByteCount, 0)
            pool.removeAll()
            view.show(Texture(pooled(pool)))
            view.showFailure("no network")
            XCTAssertGreaterThan(pool.idleByteCount, 0)
        }
    }

    func testWhatIsPaintedIsTheImageInWhateverFormGTKHasIt() throws {
        try onScreen {
            let steps = (0..<35).flatMap { (step: UInt8) -> [UInt8] in [step, 7 * step, 255 - step, 255] }
            let slope = Bitmap(size: PixelSize(width: 7, height: 5), pixels: steps, isOpaque: true)
            let images = [slope, PackedPixels().process(slope), bitmap(8, 6, red: 255, alpha: 128)]
            let view = ImageView(width: 80, height: 60)
            XCTAssertFalse(view.widget.isPaintedByProcessor, "in no window yet")
            let asTextures = images.map { shown($0, by: view) }
            let window = TestWindow(view.widget)
            defer { window.close() }
            try XCTSkipUnless(view.widget.isPaintedByProcessor, "another renderer: run with GSK_RENDERER=cairo")
            let asPainted = images.map { bitmap in
                _ = shown(bitmap, by: view)
                let texture = view.shownName
                XCTAssertTrue(GtkMainLoop.run(upTo: patience) { view.shownName != texture })
                return view.shownBitmap
            }
            XCTAssertEqual(asPainted.map(\.?.size), images.map(\.size))
            XCTAssertEqual(asPainted.map(\.?.pixels), asTextures.map(\.?.pixels))
            XCTAssertEqual(asPainted[0]?.pixels, steps)
            XCTAssertEqual(asPainted[1]?.pixels, steps)
            XCTAssertEqual(asPainted[2].map { Array($0.pixels.prefix(4)) }, [128, 0, 0, 128])
        }
    }

    func testWhatWasPreparedForAImageThatIsNotSeenAnyMoreIsNotShown() throws {
        try onScreen {
            let (view, window, pool) = try paintedView()
            defer { window.close() }
            view.show(Texture(bitmap(8, 6, red: 9)), isBrief: true)
            let name = view.shownName
            XCTAssertTrue(GtkMainLoop.run(upTo: patience) { pool.idleByteCount > 0 })
            for _ in 0..<20 { GtkMainLoop.step(mayWait: false) }
            XCTAssertEqual(view.shownName, name)
            XCTAssertEqual(view.shownBitmap?.pixels.first, 9)
        }
    }

    func testAPaintedImageHasNoNeedOfTheBitmap() throws {
        try onScreen {
            let (view, window, pool) = try paintedView()
            defer { window.close() }
            let before = view.shownBitmap?.pixels
            XCTAssertTrue(GtkMainLoop.run(upTo: patience) { pool.idleByteCount > 0 })
            var taken = pool.takeFilled(byteCount: 160_000)
            for index in taken.indices { taken[index] = 7 }
            XCTAssertEqual(view.shownBitmap?.pixels, before)
        }
    }
}

/// A view in a window that the processor paints. It shows an image whose memory goes back to the pool when nothing needs it any more.
@MainActor private func paintedView() throws -> (ImageView, TestWindow, PixelBufferPool) {
    let view = ImageView(width: 80, height: 60)
    let window = TestWindow(view.widget)
    guard view.widget.isPaintedByProcessor else {
        window.close()
        throw XCTSkip("another renderer: run with GSK_RENDERER=cairo")
    }
    let pool = PixelBufferPool(byteLimit: 1 << 20)
    view.show(Texture(pooled(pool)))
    return (view, window, pool)
}

@MainActor private func shown(_ bitmap: Bitmap, by view: ImageView) -> Bitmap? {
    view.show(Texture(bitmap))
    return view.shownBitmap
}

/// Large enough for its memory to be kept by a pool.
func pooled(_ pool: PixelBufferPool) -> Bitmap {
    Bitmap(
        size: PixelSize(width: 200, height: 200), pixels: Array(repeating: 255, count: 160_000), isOpaque: true,
        pool: pool)
}
