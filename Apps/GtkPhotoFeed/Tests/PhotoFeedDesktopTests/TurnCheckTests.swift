import Foundation
import ImageCore
import PhotoFeedModel
import XCTest

@testable import PhotoFeedDesktop

/// The counter of what the scroll must not do: load for cells off the screen while one on it waits.
final class TurnCheckTests: DesktopTestCase {
    func testADownloadForAnotherCellThatBeginsWhileACellWaitsIsCounted() throws {
        try onScreen {
            let stage = try settledStage()
            defer { stage.end() }
            let (waiting, other) = (try XCTUnwrap(stage.cells[0].photo?.thumbnailUrl), try unseen(in: stage))
            let turns = TurnCheck()
            turns.check(stage.window)
            tell(stage, 1, .queued(.download), waiting)
            turns.check(stage.window)
            XCTAssertEqual([turns.waitCount, turns.overtakenCount], [1, 0])
            tell(stage, 2, .downloadStarted, other)
            turns.check(stage.window)
            XCTAssertEqual([turns.waitCount, turns.overtakenCount], [1, 1])
        }
    }

    func testDownloadsInTurnAreNotCounted() throws {
        try onScreen {
            let stage = try settledStage()
            defer { stage.end() }
            let seen = stage.cells.compactMap(\.photo?.thumbnailUrl)
            let turns = TurnCheck()
            turns.check(stage.window)
            // Before the cell waits, for another cell on the screen, for a page, and when it waits no more.
            tell(stage, 1, .downloadStarted, try unseen(in: stage))
            tell(stage, 2, .queued(.download), seen[0])
            turns.check(stage.window)
            tell(stage, 3, .downloadStarted, seen[1])
            tell(stage, 4, .downloadStarted, try XCTUnwrap(URL(string: stage.origin.address + "/photos")))
            turns.check(stage.window)
            tell(stage, 2, .downloadStarted, seen[0])
            turns.check(stage.window)
            tell(stage, 5, .downloadStarted, try unseen(in: stage))
            turns.check(stage.window)
            XCTAssertEqual([turns.waitCount, turns.overtakenCount], [1, 0])
        }
    }
}

@MainActor private func settledStage() throws -> Stage {
    let stage = try Stage(["--photos", "60"])
    stage.window.open(height: 500)
    XCTAssertTrue(
        stage.waits { stage.isSettled && stage.loading.downloads.inFlight == 0 && stage.model.photos.count >= 30 })
    return stage
}

@MainActor private func unseen(in stage: Stage) throws -> URL {
    try XCTUnwrap(stage.model.photos.last).thumbnailUrl
}

/// As the loader would.
@MainActor private func tell(_ stage: Stage, _ request: UInt64, _ kind: ImageLoadEvent.Kind, _ url: URL) {
    stage.loading.downloads.loader(did: ImageLoadEvent(request: 1_000_000 + request, url: url, kind: kind))
}
