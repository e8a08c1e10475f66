import ImageCore
import XCTest

@testable import ImagePresentingGTK

final class ImageViewTests: GtkTestCase {
    func testTheContentChanges() throws {
        try onScreen {
            let view = ImageView(width: 80, height: 60)
            XCTAssertEqual(view.content, .placeholder)
            view.show(Texture(bitmap(8, 6, red: 255)))
            XCTAssertEqual(view.content, .image)
            view.showFailure("no network")
            XCTAssertEqual(view.content, .failure)
            view.showPlaceholder(isBusy: true)
            XCTAssertEqual(view.content, .placeholder)
        }
    }

    func testAnImageFadesInOnlyIfRequested() throws {
        try onScreen {
            let view = ImageView(width: 80, height: 60)
            let window = TestWindow(view.widget)
            defer { window.close() }
            view.show(Texture(bitmap(8, 6, red: 255)))
            XCTAssertFalse(view.isCrossfading)
            view.show(Texture(bitmap(8, 6, red: 0, green: 255)), crossfadingFor: 100)
            XCTAssertTrue(view.isCrossfading)
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { !view.isCrossfading })
            XCTAssertEqual(view.content, .image)
        }
    }

    func testReducedMotionDisablesCrossfades() throws {
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

    func testTheSizeDoesNotDependOnTheContent() throws {
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

    func testTheRetryButtonCanBeActivatedWithTheKeyboard() throws {
        try onScreen {
            let view = ImageView(width: 120, height: 120)
            let window = TestWindow(view.widget)
            defer { window.close() }
            var retries = 0
            view.onRetry = { retries += 1 }
            view.showFailure("no network")
            XCTAssertTrue(view.pressRetry())
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { retries == 1 })
        }
    }

    func testTheDescriptionAndTheBusyStateAreAccessible() throws {
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

    func testReplacedImagesReleaseTheirMemory() throws {
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

    func testTexturesAndCairoImagesArePaintedIdentically() throws {
        try onScreen {
            let steps = (0..<35).flatMap { (step: UInt8) -> [UInt8] in [step, 7 * step, 255 - step, 255] }
            let slope = Bitmap(size: PixelSize(width: 7, height: 5), pixels: steps, isOpaque: true)
            let images = [slope, PackedPixels().process(slope), bitmap(8, 6, red: 255, alpha: 128)]
            let view = ImageView(width: 80, height: 60)
            XCTAssertFalse(view.widget.usesCairoRenderer, "the widget is not in a window")
            let asTextures = images.map { shown($0, by: view) }
            let window = TestWindow(view.widget)
            defer { window.close() }
            try XCTSkipUnless(view.widget.usesCairoRenderer, "another renderer: run with GSK_RENDERER=cairo")
            let asPainted = images.map { bitmap in
                _ = shown(bitmap, by: view)
                let texture = view.shownImageID
                XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { view.shownImageID != texture })
                return view.shownBitmap
            }
            XCTAssertEqual(asPainted.map(\.?.size), images.map(\.size))
            XCTAssertEqual(asPainted.map(\.?.pixels), asTextures.map(\.?.pixels))
            XCTAssertEqual(asPainted[0]?.pixels, steps)
            XCTAssertEqual(asPainted[1]?.pixels, steps)
            XCTAssertEqual(asPainted[2].map { Array($0.pixels.prefix(4)) }, [128, 0, 0, 128])
        }
    }

    func testAFramePreparedForCairoIsPaintedFromTheStart() throws {
        try onScreen {
            let (view, window, _) = try paintedView()
            defer { window.close() }
            let frame = PackedPixels().process(bitmap(8, 6, red: 9))
            frame.prepareForCairo()
            let texture = Texture(frame)
            let unconverted = unsafe UInt(bitPattern: texture.pointer)
            view.show(texture, isBrief: true)
            XCTAssertNotEqual(view.shownImageID, unconverted)
            XCTAssertEqual(view.shownBitmap?.pixels, bitmap(8, 6, red: 9).pixels)
        }
    }

    func testTheConversionOfAReplacedImageIsNotShown() throws {
        try onScreen {
            let (view, window, pool) = try paintedView()
            defer { window.close() }
            view.show(Texture(bitmap(8, 6, red: 9)), isBrief: true)
            let name = view.shownImageID
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { pool.idleByteCount > 0 })
            for _ in 0..<20 { GtkMainLoop.step(mayWait: false) }
            XCTAssertEqual(view.shownImageID, name)
            XCTAssertEqual(view.shownBitmap?.pixels.first, 9)
        }
    }

    func testACairoImageDoesNotUseTheMemoryOfTheBitmap() throws {
        try onScreen {
            let (view, window, pool) = try paintedView()
            defer { window.close() }
            let before = view.shownBitmap?.pixels
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { pool.idleByteCount > 0 })
            var taken = pool.takeFilled(byteCount: 160_000)
            for index in taken.indices { taken[index] = 7 }
            XCTAssertEqual(view.shownBitmap?.pixels, before)
        }
    }
}

/// Returns a view in a window with the cairo renderer. It shows an image whose memory returns to the pool when it is
/// released.
@MainActor private func paintedView() throws -> (ImageView, TestWindow, PixelBufferPool) {
    let view = ImageView(width: 80, height: 60)
    let window = TestWindow(view.widget)
    guard view.widget.usesCairoRenderer else {
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

/// Returns a bitmap that is large enough for a pool to keep its memory.
func pooled(_ pool: PixelBufferPool) -> Bitmap {
    Bitmap(
        size: PixelSize(width: 200, height: 200), pixels: Array(repeating: 255, count: 160_000), isOpaque: true,
        pool: pool)
}
