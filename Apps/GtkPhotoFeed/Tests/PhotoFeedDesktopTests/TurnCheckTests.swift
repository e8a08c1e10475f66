import Foundation
import ImageCore
import PhotoFeedModel
import XCTest

@testable import PhotoFeedDesktop

/// The counter of what the scroll must not do: load for cells off the screen while one on it waits.
final class TurnCheckTests: DesktopTestCase {
    func testADownloadForAnotherCellThatBeginsWhileACellWaitsIsCounted() throws {
        try onScreen {
            let fixture = try settledFixture()
            defer { fixture.end() }
            let (waiting, other) = (try XCTUnwrap(fixture.cells[0].photo?.thumbnailUrl), try unseen(in: fixture))
            let turns = TurnCheck()
            turns.check(fixture.window)
            tell(fixture, 1, .queued(.download), waiting)
            turns.check(fixture.window)
            XCTAssertEqual([turns.waitCount, turns.overtakenCount], [1, 0])
            tell(fixture, 2, .downloadStarted, other)
            turns.check(fixture.window)
            XCTAssertEqual([turns.waitCount, turns.overtakenCount], [1, 1])
        }
    }

    func testDownloadsInTurnAreNotCounted() throws {
        try onScreen {
            let fixture = try settledFixture()
            defer { fixture.end() }
            let seen = fixture.cells.compactMap(\.photo?.thumbnailUrl)
            let turns = TurnCheck()
            turns.check(fixture.window)
            // Before the cell waits, for another cell on the screen, for a page, and when it waits no more.
            tell(fixture, 1, .downloadStarted, try unseen(in: fixture))
            tell(fixture, 2, .queued(.download), seen[0])
            turns.check(fixture.window)
            tell(fixture, 3, .downloadStarted, seen[1])
            tell(fixture, 4, .downloadStarted, try XCTUnwrap(URL(string: fixture.origin.address + "/photos")))
            turns.check(fixture.window)
            tell(fixture, 2, .downloadStarted, seen[0])
            turns.check(fixture.window)
            tell(fixture, 5, .downloadStarted, try unseen(in: fixture))
            turns.check(fixture.window)
            XCTAssertEqual([turns.waitCount, turns.overtakenCount], [1, 0])
        }
    }
}

@MainActor private func settledFixture() throws -> Fixture {
    let fixture = try Fixture(["--photos", "60"])
    fixture.window.open(height: 500)
    XCTAssertTrue(
        fixture.waits {
            fixture.isSettled && fixture.loading.downloads.inFlight == 0 && fixture.model.photos.count >= 30
        })
    return fixture
}

@MainActor private func unseen(in fixture: Fixture) throws -> URL {
    try XCTUnwrap(fixture.model.photos.last).thumbnailUrl
}

/// As the loader would.
@MainActor private func tell(_ fixture: Fixture, _ request: UInt64, _ kind: ImageLoadEvent.Kind, _ url: URL) {
    fixture.loading.downloads.handle(ImageLoadEvent(request: 1_000_000 + request, url: url, kind: kind))
}
