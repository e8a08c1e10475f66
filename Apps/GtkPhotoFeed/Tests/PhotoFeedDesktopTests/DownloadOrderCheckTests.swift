import Foundation
import ImageCore
import PhotoFeedModel
import XCTest

@testable import PhotoFeedDesktop

/// Tests of the check that downloads for cells on the screen start first.
final class DownloadOrderCheckTests: DesktopTestCase {
    func testADownloadForACellOffTheScreenThatStartsWhileACellWaitsIsCounted() throws {
        try onScreen {
            let fixture = try settledFixture()
            defer { fixture.end() }
            let (waiting, other) = (try XCTUnwrap(fixture.cells[0].photo?.thumbnailUrl), try offscreenURL(in: fixture))
            let orderCheck = DownloadOrderCheck()
            orderCheck.check(fixture.window)
            emit(fixture, 1, .queued(.download), waiting)
            orderCheck.check(fixture.window)
            XCTAssertEqual([orderCheck.waitCount, orderCheck.overtakenCount], [1, 0])
            emit(fixture, 2, .downloadStarted, other)
            orderCheck.check(fixture.window)
            XCTAssertEqual([orderCheck.waitCount, orderCheck.overtakenCount], [1, 1])
        }
    }

    func testDownloadsInOrderAreNotCounted() throws {
        try onScreen {
            let fixture = try settledFixture()
            defer { fixture.end() }
            let visible = fixture.cells.compactMap(\.photo?.thumbnailUrl)
            let orderCheck = DownloadOrderCheck()
            orderCheck.check(fixture.window)
            // Starts before the cell waits, for another cell on the screen, for a page, and after the cell's download
            // has started.
            emit(fixture, 1, .downloadStarted, try offscreenURL(in: fixture))
            emit(fixture, 2, .queued(.download), visible[0])
            orderCheck.check(fixture.window)
            emit(fixture, 3, .downloadStarted, visible[1])
            emit(fixture, 4, .downloadStarted, try XCTUnwrap(URL(string: fixture.origin.address + "/photos")))
            orderCheck.check(fixture.window)
            emit(fixture, 2, .downloadStarted, visible[0])
            orderCheck.check(fixture.window)
            emit(fixture, 5, .downloadStarted, try offscreenURL(in: fixture))
            orderCheck.check(fixture.window)
            XCTAssertEqual([orderCheck.waitCount, orderCheck.overtakenCount], [1, 0])
        }
    }
}

@MainActor private func settledFixture() throws -> Fixture {
    let fixture = try Fixture(["--photos", "60"])
    fixture.window.open(height: 500)
    XCTAssertTrue(
        fixture.waitUntil {
            fixture.isSettled && fixture.loading.downloads.inFlight == 0 && fixture.model.photos.count >= 30
        })
    return fixture
}

@MainActor private func offscreenURL(in fixture: Fixture) throws -> URL {
    try XCTUnwrap(fixture.model.photos.last).thumbnailUrl
}

/// Sends an event as the loader does.
@MainActor private func emit(_ fixture: Fixture, _ request: UInt64, _ kind: ImageLoadEvent.Kind, _ url: URL) {
    fixture.loading.downloads.handle(ImageLoadEvent(request: 1_000_000 + request, url: url, kind: kind))
}
