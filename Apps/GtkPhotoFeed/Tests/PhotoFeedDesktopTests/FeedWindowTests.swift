import Foundation
import ImageCore
import ImageLoading
import ImagePresenting
import PhotoFeedModel
import Synchronization
import XCTest

@testable import ImagePresentingGTK
@testable import PhotoFeedDesktop

final class FeedWindowTests: DesktopTestCase {
    func testTheGridFillsPageByPage() throws {
        try onFeed(photos: 45) { fixture in
            XCTAssertTrue(
                fixture.waitUntil {
                    fixture.window.list.offset = fixture.window.list.largestOffset
                    return fixture.window.list.count == 45
                })
        }
    }

    func testACachedImageIsPaintedInTheFrameInWhichItsCellAppears() throws {
        try onFeed(photos: 40) { fixture in
            XCTAssertTrue(
                fixture.waitUntil {
                    if fixture.isSettled { fixture.window.list.offset += 200 }
                    return fixture.window.list.onScreen.last?.position == 39 && fixture.isSettled
                })
            let painted = PaintedCells(fixture)
            fixture.window.onFrame = { [list = fixture.window.list] in list.offset -= 40 }
            fixture.window.list.offset -= 40
            XCTAssertTrue(fixture.waitUntil { fixture.window.list.onScreen.first?.position == 0 })
            XCTAssertGreaterThan(painted.frames, 5)
            XCTAssertEqual(painted.unknown, 0)
            XCTAssertEqual(painted.withoutImage, 0)
            XCTAssertEqual(painted.withAnotherCaption, 0)
        }
    }

    func testARefreshedFeedShowsThePhotosThatItOpens() throws {
        try onScreen {
            let cache = Fixture.temporaryFolder()
            defer { try? FileManager.default.removeItem(at: cache) }
            let loading = FeedLoading(cacheDirectory: cache, observesMemory: false, retries: 0)
            let window = FeedWindow(PhotoFeedModel(service: ChangingService()), loading: loading)
            defer { window.close() }
            window.open()
            for ids in [[1, 2], [1, 3]] {
                let isShown = GtkMainLoop.run(upTo: .seconds(60)) {
                    window.list.onScreen.map { $0.cell.photo?.id } == ids
                }
                XCTAssertTrue(isShown, "\(ids)")
                window.refresh()
            }
        }
    }

    func testTheUserCanCloseTheWindow() throws {
        try onScreen {
            let fixture = try Fixture(.forTests(photos: 1))
            var isClosed = false
            fixture.window.onClose { isClosed = true }
            fixture.window.open()
            unsafe gtk_window_close(fixture.window.window.cast(to: GtkWindow.self))
            XCTAssertTrue(fixture.waitUntil { isClosed })
        }
    }

    func testTheIconAndTheDesktopEntryHaveTheNameOfTheApplication() throws {
        try onScreen {
            PhotoFeedApp.addIcon()
            let name = PhotoFeedApp.identifier
            let theme = unsafe gtk_icon_theme_get_for_display(gdk_display_get_default())
            XCTAssertNotEqual(unsafe gtk_icon_theme_has_icon(theme, name), 0)
            XCTAssertEqual(unsafe gtk_window_get_default_icon_name().map { unsafe String(cString: $0) }, name)
            let share = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
                .appending(path: "gtk-photo-feed_PhotoFeedDesktop.resources/share")
            let entry = try String(contentsOf: share.appending(path: "applications/\(name).desktop"), encoding: .utf8)
            XCTAssertTrue(entry.contains("\nIcon=\(name)\n"))
        }
    }

    func testAListRequestsImagesOfItsOwnSize() throws {
        try onFeed(photos: 30) { fixture in
            XCTAssertTrue(fixture.window.pressed("2", true))
            XCTAssertTrue(fixture.waitUntil { fixture.isSettled })
            let scale = fixture.window.window.scaleFactor
            XCTAssertEqual(fixture.cells[0].image.boundRequest?.target?.size.width, PhotoLayout.list.side * scale)
        }
    }

    func testPrefetchedImagesHaveTheSizeOfTheCells() throws {
        try onFeed(photos: 60) { fixture in
            // The shorter screen of the list asks for fewer pages.
            XCTAssertTrue(fixture.waitUntil { fixture.model.photos.count >= 30 })
            XCTAssertTrue(fixture.window.pressed("2", true))
            XCTAssertTrue(fixture.waitUntil { fixture.isSettled })
            let side = PhotoLayout.list.side * fixture.window.window.scaleFactor
            // The tenth photo is near the first screen, but not on it.
            let ahead = fixture.loading.thumbnail(of: fixture.model.photos[9], PixelSize(width: side, height: side))
            XCTAssertFalse(fixture.window.list.onScreen.contains { $0.position == 9 })
            XCTAssertTrue(fixture.waitUntil { fixture.loading.loader.cachedImage(for: ahead) != nil })
            // Loads a page on a screen with twice the scale factor.
            fixture.loading.thumbnailSize.scale = 2
            let count = fixture.model.photos.count
            fixture.model.appeared(at: count - 1)
            XCTAssertTrue(fixture.waitUntil { fixture.model.photos.count > count })
            let last = fixture.loading.thumbnail(
                of: fixture.model.photos[count], PixelSize(width: 2 * side, height: 2 * side))
            XCTAssertTrue(fixture.waitUntil { fixture.loading.loader.cachedImage(for: last) != nil })
        }
    }

    func testOpaqueImagesAreDecodedWithoutAlpha() throws {
        try onFeed(photos: 10) { fixture in
            let bitmaps = fixture.cells.compactMap { $0.image.appearance.image?.bitmap }.filter(\.isOpaque)
            XCTAssertFalse(bitmaps.isEmpty)
            XCTAssertTrue(bitmaps.allSatisfy { $0.packedPixels != nil })
        }
    }

    func testIfTheServerStopsTheRowsStayAndTheNextPageCanBeRetried() throws {
        try onFeed(photos: 200) { fixture in
            fixture.origin.stop()
            XCTAssertTrue(
                fixture.waitUntil {
                    fixture.window.list.offset = fixture.window.list.largestOffset
                    return fixture.window.footer.offersRetry
                })
            let count = fixture.window.list.count
            XCTAssertGreaterThanOrEqual(count, 10)
            XCTAssertTrue(fixture.waitUntil { fixture.cells.allSatisfy { !$0.image.appearance.phase.isLoading } })
            // At the top, the loaded images are still shown.
            XCTAssertTrue(
                fixture.waitUntil {
                    fixture.window.list.offset = 0
                    return fixture.window.list.onScreen.first?.position == 0
                        && fixture.cells[0].image.appearance.kind == .final
                }, "\(fixture.window.list.onScreen.map { ($0.position, $0.cell.image.view.content) })")
            XCTAssertEqual(fixture.window.list.count, count)
        }
    }

    func testWithoutAServerTheStoredFeedIsShown() throws {
        try onScreen {
            let cache = Fixture.temporaryFolder()
            defer { try? FileManager.default.removeItem(at: cache) }
            let first = try Fixture(.forTests(photos: 20), cacheDirectory: cache)
            first.window.open()
            XCTAssertTrue(first.waitUntil { first.isSettled && first.window.list.count == 20 })
            let seen = first.cells.map { $0.photo?.id }
            first.close()
            let second = try Fixture(first.origin, cacheDirectory: cache)
            defer { second.close() }
            second.window.open()
            XCTAssertTrue(second.waitUntil { second.isSettled && second.cells.map { $0.photo?.id } == seen })
            XCTAssertEqual(second.loading.downloads.statistics.downloadedBytes, 0)
            let numbers = NumberCheck()
            numbers.check(second.window)
            XCTAssertEqual(numbers.wrongCount, 0)
        }
    }

    func testAnimationsPlayOnTheScreenAndStopWithReducedMotion() throws {
        try onFeed(photos: 10, height: 900) { fixture in
            // The eighth photo is an animated GIF, the ninth an animated WebP.
            XCTAssertTrue(fixture.waitUntil { fixture.isSettled && fixture.cells.count == 10 })
            for index in [7, 8] {
                let view = fixture.cells[index].image.view
                // A single image has at most two identities: the texture and the cairo image.
                var names: Set<UInt?> = []
                XCTAssertTrue(
                    fixture.waitUntil {
                        names.insert(view.shownImageID)
                        return names.count > 3
                    }, "photo \(index + 1) does not move")
            }
            XCTAssertTrue(fixture.window.animations.clock.isRunning)
            DesktopSettings.animates = false
            defer { DesktopSettings.animates = true }
            XCTAssertFalse(fixture.window.animations.clock.isRunning)
        }
    }
}

/// Has another second photo each time that the first page is loaded.
private final class ChangingService: PhotoService {
    private let second = Mutex(1)

    func page(_ number: Int, limit: Int) async throws(PhotoServiceFailure) -> [Photo] {
        guard number == 1 else { return [] }
        let second = second.withLock { second in
            second += 1
            return second
        }
        let url = URL(filePath: "/photo")
        return [1, second].map { Photo(albumId: 1, id: $0, title: "photo \($0)", url: url, thumbnailUrl: url) }
    }
}

/// Checks the cells in each frame, after the layout and before tasks run.
@MainActor private final class PaintedCells {
    private(set) var frames = 0
    /// The number of cells that GTK paints but that are not in `onScreen`.
    private(set) var unknown = 0
    private(set) var withoutImage = 0
    private(set) var withAnotherCaption = 0

    init(_ fixture: Fixture) {
        guard let clock = unsafe gtk_widget_get_frame_clock(fixture.window.window.pointer) else { return }
        unsafe connect(UnsafeMutableRawPointer(clock), "paint") { [weak self, weak fixture] in
            if let self, let fixture { check(fixture) }
        }
    }

    private func check(_ fixture: Fixture) {
        frames += 1
        unknown += abs(mappedCells(of: fixture.window.list) - fixture.window.list.onScreen.count)
        for (position, cell) in fixture.window.list.onScreen {
            if cell.image.appearance.kind != .final { withoutImage += 1 }
            if cell.caption.inscribedText != fixture.model.photo(at: position)?.title { withAnotherCaption += 1 }
        }
    }

    private func mappedCells(of list: CellList<PhotoCell>) -> Int {
        let view = unsafe gtk_widget_get_first_child(list.widget.pointer)
        let cells = unsafe sequence(first: gtk_widget_get_first_child(view)) { unsafe gtk_widget_get_next_sibling($0) }
        return unsafe cells.prefix { unsafe $0 != nil }.count { unsafe gtk_widget_get_mapped($0) != 0 }
    }
}
