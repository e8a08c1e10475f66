import Foundation
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImageMetadata
import ImagePresenting
import PhotoFeedModel
import XCTest

@testable import ImagePresentingGTK
@testable import PhotoFeedDesktop

final class PhotoViewerTests: DesktopTestCase {
    func testAPhotoIsShownOverItsThumbnailAndClosedByEscape() throws {
        try onFeed(photos: 10) { fixture in
            fixture.window.list.activate(3)
            XCTAssertEqual(fixture.window.viewer.position, 3)
            var kinds: [ImageAppearance.Kind] = []
            let image = fixture.window.viewer.image
            image.onChange = { kinds.append(image.appearance.kind) }
            XCTAssertTrue(fixture.waitUntil { fixture.isSettled })
            XCTAssertTrue(kinds.contains(.preview), "expected the thumbnail first: \(kinds)")
            XCTAssertGreaterThan(image.appearance.image?.bitmap.size.width ?? 0, 300)
            XCTAssertTrue(fixture.window.pressed("Right", false))
            XCTAssertEqual(fixture.window.viewer.position, 4)
            XCTAssertTrue(fixture.window.pressed("Escape", false))
            XCTAssertNil(fixture.window.viewer.position)
            XCTAssertFalse(fixture.window.pressed("Escape", false), "there is no open photo")
        }
    }

    func testTheNextAndThePreviousPhotoArePrefetched() throws {
        try onFeed(photos: 10) { fixture in
            fixture.window.list.activate(3)
            XCTAssertTrue(fixture.waitUntil { fixture.isSettled })
            let size = fixture.window.viewer.image.viewSize
            for position in [2, 4] {
                let request = fixture.loading.full(fixture.model.photos[position], size)
                XCTAssertTrue(fixture.waitUntil { fixture.loading.loader.cachedImage(for: request) != nil })
            }
            XCTAssertTrue(fixture.window.pressed("Page_Down", false))
            // The view knows its size, so that it needs no layout before.
            XCTAssertEqual(fixture.window.viewer.image.appearance.kind, .final)
        }
    }

    func testArrowKeysMoveAZoomedPhotoAndOtherwiseShowTheNext() throws {
        try onFeed(photos: 10) { fixture in
            fixture.window.list.activate(3)
            XCTAssertTrue(fixture.waitUntil { fixture.isSettled })
            let image = fixture.window.viewer.image
            for _ in 0..<8 { XCTAssertTrue(fixture.window.pressed("plus", false)) }
            XCTAssertTrue(fixture.waitUntil { image.offset.x > 0 })
            let offset = image.offset.x
            XCTAssertTrue(fixture.window.pressed("Right", false))
            XCTAssertGreaterThan(image.offset.x, offset)
            XCTAssertEqual(fixture.window.viewer.position, 3)
            XCTAssertTrue(fixture.window.pressed("0", false))
            XCTAssertTrue(fixture.window.pressed("Right", false))
            XCTAssertEqual(fixture.window.viewer.position, 4)
        }
    }

    func testTheKeyboardsFocusIsOnTheFirstPhotoAndReturnsToTheOneThatWasShown() throws {
        try onFeed(photos: 40) { fixture in
            XCTAssertTrue(fixture.waitUntil { fixture.focusedPosition == 0 })
            fixture.window.list.activate(0)
            for _ in 0..<6 { XCTAssertTrue(fixture.window.pressed("Page_Down", false)) }
            fixture.window.closeImage()
            XCTAssertTrue(fixture.waitUntil { fixture.focusedPosition == 6 })
        }
    }

    func testTheSidePanelShowsTheDetailsOfThePhoto() throws {
        try onFeed(photos: 10) { fixture in
            XCTAssertTrue(fixture.window.pressed("F9", false))
            XCTAssertTrue(fixture.waitUntil { fixture.window.inspector.list.properties.map(\.name).contains("Disk") })
            fixture.window.list.activate(0)
            XCTAssertTrue(fixture.waitUntil { fixture.window.details.properties.count > 2 })
            XCTAssertEqual(fixture.window.details.properties.first?.value, fixture.model.photos[0].title)
            XCTAssertEqual(fixture.window.details.properties.dropFirst().first?.name, "Size")
        }
    }

    func testAPhotoIsSavedAsTheServerHasSentIt() throws {
        try onFeed(photos: 10) { fixture in
            let file = Fixture.temporaryFolder()
            defer { try? FileManager.default.removeItem(at: file) }
            let photo = fixture.model.photos[0]
            var sent: Data?
            Task {
                await fixture.window.save(photo, to: file)
                sent = try await fixture.loading.loader.data(for: ImageRequest(url: photo.url)).data
            }
            XCTAssertTrue(fixture.waitUntil { sent != nil })
            XCTAssertEqual(try Data(contentsOf: file), sent)
        }
    }

    func testAPhotoIsCopiedAtItsOriginalSize() throws {
        try onFeed(photos: 10) { fixture in
            fixture.window.list.activate(0)
            XCTAssertTrue(fixture.waitUntil { fixture.isSettled })
            XCTAssertTrue(fixture.window.pressed("c", true))
            XCTAssertTrue(fixture.waitUntil { fixture.copiedSize != nil })
            XCTAssertEqual(fixture.copiedSize, fixture.window.viewer.image.appearance.image?.header.size)
        }
    }

    func testDetailsIncludeTheMetadataOfTheFile() throws {
        try onScreen {
            let pixels = Bitmap(
                size: PixelSize(width: 40, height: 30), pixels: [UInt8](repeating: 255, count: 4800), isOpaque: true)
            let encoder = try XCTUnwrap([any ImageEncoder].standard.encoder(for: .jpeg))
            let encoded = try encoder.encode(pixels, options: EncodingOptions())
            let xmp = """
                <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
                <rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:DateTimeOriginal="2024-05-06T07:08:09"\
                 exif:GPSLatitude="48,30.0N" exif:GPSLongitude="9,3.0W"/></rdf:RDF></x:xmpmeta>
                """
            let file = try EmbeddedMetadata(xmp: Data(xmp.utf8)).embedded(in: encoded)
            let header = ImageHeader(format: .jpeg, storedSize: pixels.size)
            var shown: [Property] = []
            Task { shown = await PhotoDetails.properties(of: file, header: header) }
            XCTAssertTrue(GtkMainLoop.run(upTo: .seconds(20)) { !shown.isEmpty })
            XCTAssertEqual(
                shown,
                [
                    Property(name: "Size", value: "40 × 30"), Property(name: "File", value: "JPEG, 1 kB"),
                    Property(name: "Taken", value: "2024-05-06 07:08"),
                    Property(name: "Place", value: "48.5° N, 9.05° W"),
                ])
        }
    }

    func testAnAnimatedPhotoPlays() throws {
        try onFeed(photos: 10) { fixture in
            // The eighth photo is an animated GIF.
            fixture.window.list.activate(7)
            let view = fixture.window.viewer.image.cell.view
            // A single image has at most two identities: the texture and the cairo image.
            var names: Set<UInt?> = []
            XCTAssertTrue(
                fixture.waitUntil {
                    if fixture.isSettled { names.insert(view.shownImageID) }
                    return names.count > 2
                })
        }
    }

    func testAPhotoOfWhichOnlyThePreviewIsStoredCanBeRetried() throws {
        try onFeed(photos: 10) { fixture in
            fixture.window.list.activate(0)
            XCTAssertTrue(fixture.waitUntil { fixture.isSettled })
            let viewer = fixture.window.viewer
            let preview = try XCTUnwrap(
                fixture.loading.full(fixture.model.photos[5], viewer.image.viewSize).lowQuality.first)
            Task { try await fixture.loading.loader.image(for: preview) }
            XCTAssertTrue(fixture.waitUntil { fixture.loading.loader.cachedImage(for: preview) != nil })
            fixture.origin.stop()
            fixture.window.openImage(at: 5)
            XCTAssertTrue(fixture.waitUntil { viewer.offersRetry })
            XCTAssertEqual(viewer.image.appearance.kind, .preview)
            XCTAssertNotEqual(unsafe gtk_widget_activate(viewer.retry.pointer), 0)
            XCTAssertTrue(fixture.waitUntil { viewer.image.appearance.phase.isLoading })
            XCTAssertFalse(viewer.offersRetry)
            XCTAssertTrue(fixture.waitUntil { viewer.offersRetry })
        }
    }

    func testTheFeedAndAPhotoNeedAtMost360Points() throws {
        try onFeed(photos: 10) { fixture in
            for _ in 0..<2 {
                for part in [fixture.window.bar.widget, fixture.window.panel.widget] {
                    var least: Int32 = 0
                    unsafe gtk_widget_measure(part.pointer, GTK_ORIENTATION_HORIZONTAL, -1, &least, nil, nil, nil)
                    XCTAssertLessThanOrEqual(least, 360)
                }
                fixture.window.list.activate(0)
                fixture.window.panel.isOpen = true
            }
        }
    }

    func testIfNothingIsStoredAFeedWithoutServerCanBeLoadedAgain() throws {
        try onScreen {
            let fixture = try Fixture(.forTests(photos: 10))
            defer { fixture.close() }
            fixture.origin.stop()
            fixture.window.open()
            XCTAssertTrue(fixture.waitUntil { fixture.window.shownPage == FeedWindow.Page.failure })
        }
    }
}

extension Fixture {
    /// The position of the photo with the keyboard's focus.
    @MainActor fileprivate var focusedPosition: Int? {
        let focused = unsafe gtk_window_get_focus(window.window.cast(to: GtkWindow.self))
        return window.list.onScreen.first { cell in
            unsafe gtk_widget_get_parent(cell.cell.widget.pointer) == focused
        }?.position
    }

    /// The size of the image that the app has put on the clipboard.
    @MainActor fileprivate var copiedSize: PixelSize? {
        let content = unsafe gdk_clipboard_get_content(gtk_widget_get_clipboard(window.window.pointer))
        var value = GValue()
        unsafe g_value_init(&value, gdk_texture_get_type())
        defer { unsafe g_value_unset(&value) }
        guard let content = unsafe content, unsafe gdk_content_provider_get_value(content, &value, nil) != 0,
            let texture = unsafe g_value_get_object(&value).map({ OpaquePointer($0) })
        else { return nil }
        return unsafe PixelSize(
            width: Int(gdk_texture_get_width(texture)), height: Int(gdk_texture_get_height(texture)))
    }
}
