import CGtk
import GtkImageUI
import ImageCore
import XCTest

final class PictureViewTests: GtkTestCase {
    func testPagesFollowWhatIsShown() throws {
        try onScreen {
            let view = PictureView(width: 80, height: 60)
            XCTAssertEqual(view.face, .placeholder)
            view.show(Texture(bitmap(8, 6, red: 255)))
            XCTAssertEqual(view.face, .picture)
            view.showFailure("no network")
            XCTAssertEqual(view.face, .failure)
            view.showPlaceholder(isBusy: true)
            XCTAssertEqual(view.face, .placeholder)
        }
    }

    func testAPictureFadesInOnlyWhenItShall() throws {
        try onScreen {
            let view = PictureView(width: 80, height: 60)
            let window = TestWindow(view.widget)
            defer { window.close() }
            view.show(Texture(bitmap(8, 6, red: 255)))
            XCTAssertFalse(view.isCrossfading)
            view.show(Texture(bitmap(8, 6, red: 0, green: 255)), crossfadingFor: 100)
            XCTAssertTrue(view.isCrossfading)
            XCTAssertTrue(GtkMainLoop.run(upTo: patience) { !view.isCrossfading })
            XCTAssertEqual(view.face, .picture)
        }
    }

    func testReducedMotionShowsPicturesAtOnce() throws {
        try onScreen {
            let view = PictureView(width: 80, height: 60)
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
            let view = PictureView(width: 80, height: 60)
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
            let view = PictureView(width: 120, height: 120)
            let window = TestWindow(view.widget)
            defer { window.close() }
            var retries = 0
            view.onRetry = { retries += 1 }
            view.showFailure("no network")
            XCTAssertTrue(view.pressRetry())
            XCTAssertTrue(GtkMainLoop.run(upTo: patience) { retries == 1 })
        }
    }

    func testAssistiveTechnologyIsToldTheDescriptionAndThatAPictureIsOnItsWay() throws {
        try onScreen {
            let view = PictureView(width: 80, height: 60)
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

    func testPicturesThatAreNotSeenAnyMoreGiveTheirMemoryBack() throws {
        try onScreen {
            let view = PictureView(width: 80, height: 60)
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
}

/// Large enough for its memory to be kept by a pool.
func pooled(_ pool: PixelBufferPool) -> Bitmap {
    Bitmap(
        size: PixelSize(width: 200, height: 200), pixels: Array(repeating: 255, count: 160_000), isOpaque: true,
        pool: pool)
}
