import CGtk
import Foundation
import GtkImageUI
import ImageCore
import ImageLoading
import ImagePresenting
import PhotoFeedModel
import XCTest

@testable import PhotoFeedDesktop

final class FeedWindowTests: DesktopTestCase {
    func testTheGridFillsPageByPage() throws {
        try onScreen {
            let stage = try Stage(["--photos", "45"])
            defer { stage.end() }
            stage.window.open()
            XCTAssertTrue(stage.waits { stage.isSettled && stage.window.list.count >= 20 })
            XCTAssertTrue(
                stage.waits {
                    stage.window.list.offset = stage.window.list.largestOffset
                    return stage.window.list.count == 45
                })
        }
    }

    func testWhatMemoryHasIsPaintedInTheFrameInWhichItsCellComesOntoTheScreen() throws {
        try onScreen {
            let stage = try Stage(["--photos", "40"])
            defer { stage.end() }
            stage.window.open()
            XCTAssertTrue(
                stage.waits {
                    if stage.isSettled { stage.window.list.offset += 200 }
                    return stage.window.list.onScreen.last?.position == 39 && stage.isSettled
                })
            let painted = PaintedCells(stage)
            let ticker = FrameTicker(stage.window.window) { _ in stage.window.list.offset -= 40 }
            ticker.start()
            XCTAssertTrue(stage.waits { stage.window.list.onScreen.first?.position == 0 })
            ticker.stop()
            XCTAssertGreaterThan(painted.frames, 5)
            XCTAssertEqual(painted.unknown, 0)
            XCTAssertEqual(painted.withoutPicture, 0)
            XCTAssertEqual(painted.withAnotherCaption, 0)
        }
    }

    func testAPictureIsShownInFullOverItsThumbnailAndLeftByEscape() throws {
        try onScreen {
            let stage = try Stage(["--photos", "10"])
            defer { stage.end() }
            stage.window.open()
            XCTAssertTrue(stage.waits { stage.isSettled })
            stage.window.list.activate(3)
            let cell = try XCTUnwrap(stage.window.full.cell)
            XCTAssertEqual(stage.window.full.position, 3)
            var kinds: [ImageAppearance.Kind] = []
            cell.onChange = { kinds.append(cell.appearance.kind) }
            XCTAssertTrue(stage.waits { cell.appearance.kind == .final })
            XCTAssertTrue(kinds.contains(.preview), "the thumbnail first: \(kinds)")
            XCTAssertGreaterThan(cell.appearance.picture?.bitmap.size.width ?? 0, 300)
            XCTAssertTrue(stage.window.pressed("Right", false))
            XCTAssertEqual(stage.window.full.position, 4)
            XCTAssertTrue(stage.window.pressed("Escape", false))
            XCTAssertNil(stage.window.full.position)
            XCTAssertFalse(stage.window.pressed("Escape", false), "there is nothing to leave any more")
        }
    }

    func testPhotosAsAListAskForTheirOwnSize() throws {
        try onScreen {
            let stage = try Stage(["--photos", "30"])
            defer { stage.end() }
            stage.window.open()
            XCTAssertTrue(stage.waits { stage.isSettled })
            XCTAssertTrue(stage.window.pressed("2", true))
            XCTAssertTrue(stage.waits { stage.isSettled })
            let scale = stage.window.window.scaleFactor
            XCTAssertEqual(stage.cells[0].picture.boundRequest?.target?.size.width, PhotoLayout.list.side * scale)
        }
    }

    func testWhatIsLoadedAheadHasTheSizeThatTheCellsWillAskFor() throws {
        try onScreen {
            let stage = try Stage(["--photos", "60"])
            defer { stage.end() }
            stage.window.open()
            XCTAssertTrue(stage.waits { stage.isSettled })
            XCTAssertTrue(stage.window.pressed("2", true))
            XCTAssertTrue(stage.waits { stage.isSettled && stage.model.photos.count >= 30 })
            let side = PhotoLayout.list.side * stage.window.window.scaleFactor
            // The tenth is in the list's first screens, and on none of them yet.
            let ahead = stage.loading.thumbnail(of: stage.model.photos[9], PixelSize(width: side, height: side))
            XCTAssertFalse(stage.window.list.onScreen.contains { $0.position == 9 })
            XCTAssertTrue(stage.waits { stage.loading.loader.cachedImage(for: ahead) != nil })
            // A page that comes now, on a screen of twice the pixels.
            stage.loading.thumbnailSize.scale = 2
            let count = stage.model.photos.count
            stage.model.appeared(at: count - 1)
            XCTAssertTrue(stage.waits { stage.model.photos.count > count })
            let last = stage.loading.thumbnail(
                of: stage.model.photos[count], PixelSize(width: 2 * side, height: 2 * side))
            XCTAssertTrue(stage.waits { stage.loading.loader.cachedImage(for: last) != nil })
        }
    }

    func testOpaquePicturesComeWithoutAlpha() throws {
        try onScreen {
            let stage = try Stage(["--photos", "10"])
            defer { stage.end() }
            stage.window.open()
            XCTAssertTrue(stage.waits { stage.isSettled })
            let bitmaps = stage.cells.compactMap { $0.picture.appearance.picture?.bitmap }.filter(\.isOpaque)
            XCTAssertFalse(bitmaps.isEmpty)
            XCTAssertTrue(bitmaps.allSatisfy { $0.packedPixels != nil })
        }
    }

    func testAnOriginThatGoesAwayTakesNoRowAndCanBeTriedAgain() throws {
        try onScreen {
            let stage = try Stage(["--photos", "200"])
            defer { stage.close() }
            stage.window.open()
            XCTAssertTrue(stage.waits { stage.isSettled })
            stage.origin.stop()
            XCTAssertTrue(
                stage.waits {
                    stage.window.list.offset = stage.window.list.largestOffset
                    return stage.window.footer.isOffering
                })
            let count = stage.window.list.count
            XCTAssertGreaterThanOrEqual(count, 10)
            XCTAssertTrue(stage.waits { stage.cells.allSatisfy { $0.picture.view.face != .placeholder } })
            // Back at the top, what had been loaded is there.
            XCTAssertTrue(
                stage.waits {
                    stage.window.list.offset = 0
                    return stage.window.list.onScreen.first?.position == 0
                        && stage.cells[0].picture.view.face == .picture
                }, "\(stage.window.list.onScreen.map { ($0.position, $0.cell.picture.view.face) })")
            XCTAssertEqual(stage.window.list.count, count)
        }
    }

    func testWithoutAnOriginTheFeedIsThatOfTheLastTime() throws {
        try onScreen {
            let cache = Stage.temporaryFolder()
            defer { try? FileManager.default.removeItem(at: cache) }
            let first = try Stage(["--photos", "20", "--numbered"], cacheFolder: cache)
            first.window.open()
            XCTAssertTrue(first.waits { first.isSettled && first.window.list.count == 20 })
            let seen = first.cells.map { $0.photo?.id }
            first.end()
            let second = try Stage([], origin: first.origin, cacheFolder: cache)
            defer { second.close() }
            second.window.open()
            XCTAssertTrue(second.waits { second.isSettled && second.cells.map { $0.photo?.id } == seen })
            XCTAssertEqual(second.loading.loader.statistics.downloadedBytes, 0)
            let numbers = NumberCheck()
            numbers.check(second.window)
            XCTAssertEqual(numbers.wrongCount, 0)
        }
    }

    func testAnimationsPlayOnTheScreenAndStopWithReducedMotion() throws {
        try onScreen {
            let stage = try Stage(["--photos", "10"])
            defer { stage.end() }
            stage.window.open(width: 940, height: 900)
            // The eighth photo is an animated GIF, the ninth an animated WebP.
            XCTAssertTrue(stage.waits { stage.isSettled && stage.cells.count == 10 })
            for index in [7, 8] {
                let view = stage.cells[index].picture.view
                // More than the two forms of one picture.
                var names: Set<UInt?> = []
                XCTAssertTrue(
                    stage.waits {
                        names.insert(view.shownName)
                        return names.count > 3
                    }, "photo \(index + 1) does not move")
            }
            XCTAssertTrue(stage.window.animations.isRunning)
            DesktopSettings.animates = false
            defer { DesktopSettings.animates = true }
            XCTAssertFalse(stage.window.animations.isRunning)
        }
    }
}

/// Looks at the cells in each frame, when they have their places and before tasks have their turn.
@MainActor private final class PaintedCells {
    private(set) var frames = 0
    /// Cells that GTK paints, and the list does not know of.
    private(set) var unknown = 0
    private(set) var withoutPicture = 0
    private(set) var withAnotherCaption = 0

    init(_ stage: Stage) {
        guard let clock = unsafe gtk_widget_get_frame_clock(stage.window.window.pointer) else { return }
        unsafe connect(UnsafeMutableRawPointer(clock), "paint") { [weak self, weak stage] in
            if let self, let stage { look(at: stage) }
        }
    }

    private func look(at stage: Stage) {
        frames += 1
        unknown += abs(mappedCells(of: stage.window.list) - stage.window.list.onScreen.count)
        for (position, cell) in stage.window.list.onScreen {
            if cell.picture.view.face != .picture { withoutPicture += 1 }
            if cell.caption.inscribedText != stage.model.photo(at: position)?.title { withAnotherCaption += 1 }
        }
    }

    private func mappedCells(of list: CellList<PhotoCell>) -> Int {
        let view = unsafe gtk_widget_get_first_child(list.widget.pointer)
        let cells = unsafe sequence(first: gtk_widget_get_first_child(view)) { unsafe gtk_widget_get_next_sibling($0) }
        return unsafe cells.prefix { unsafe $0 != nil }.count { unsafe gtk_widget_get_mapped($0) != 0 }
    }
}
