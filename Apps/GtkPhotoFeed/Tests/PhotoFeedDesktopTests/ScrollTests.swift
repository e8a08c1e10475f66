import ImageCore
import ImageLoading
import ImagePresenting
import PhotoFeedModel
import XCTest

@testable import ImagePresentingGTK
@testable import PhotoFeedDesktop

final class ScrollTests: DesktopTestCase {
    /// The memory cache is too small for all images, so most of them come from disk on the way back.
    func testScrollingThroughAHundredPhotosAndBackShowsEachImageInItsCellAndLoadsNothingTwice() throws {
        try onScreen {
            let fixture = try Fixture(.forTests(photos: 100), memoryByteLimit: 4_000_000)
            defer { fixture.close() }
            let numbers = NumberCheck()
            var step = 0.0
            fixture.window.onFrame = { [weak window = fixture.window] in
                window.map(numbers.check)
                window?.list.offset -= step
            }
            fixture.window.open()
            let list = fixture.window.list
            XCTAssertTrue(
                fixture.waitUntil {
                    if fixture.isSettled { list.offset += 200 }
                    return list.onScreen.last?.position == 99 && fixture.isSettled
                })
            let downloaded = fixture.loading.downloads.statistics.downloadedBytes
            step = 40
            list.offset -= step
            XCTAssertTrue(fixture.waitUntil { list.offset == 0 && fixture.isSettled })
            XCTAssertEqual(numbers.wrongCount, 0)
            XCTAssertGreaterThan(numbers.ids.count, 95)
            XCTAssertEqual(fixture.loading.downloads.statistics.downloadedBytes, downloaded)
            XCTAssertEqual(fixture.loading.downloads.statistics.failed, 0)
        }
    }

    func testAWrongImageIsDetected() throws {
        try onFeed(photos: 20) { fixture in
            let numbers = NumberCheck()
            numbers.check(fixture.window)
            XCTAssertEqual(numbers.wrongCount, 0)
            XCTAssertEqual(numbers.ids.count, fixture.cells.count)
            let other = try XCTUnwrap(fixture.cells[1].image.appearance.image)
            fixture.cells[0].image.view.show(Texture(other.bitmap))
            numbers.check(fixture.window)
            XCTAssertEqual(numbers.wrongCount, 1)
        }
    }
}
