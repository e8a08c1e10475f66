import GtkImageUI
import ImageCore
import ImagePresenting
import XCTest

@testable import PhotoFeedDesktop

/// A short form of the benchmark that checks only counts, not times.
final class ScrollTests: DesktopTestCase {
    func testScrollingTwiceThroughAHundredPhotos() throws {
        try onScreen {
            let fixture = try Fixture(["--photos", "100", "--numbered"], memoryByteLimit: 4_000_000)
            defer { fixture.end() }
            let result = try ScrollRun(fixture).run(limit: 100)
            XCTAssertEqual(result.wrongCount, 0)
            XCTAssertEqual(result.unreadableCount, 0)
            XCTAssertGreaterThanOrEqual(result.readCount, 100)
            XCTAssertEqual(result.legs.map(\.name), ["down 1", "back 1", "down 2", "back 2"])
            XCTAssertGreaterThan(result.legs[0].networkCount, 0)
            for leg in result.legs[2...] {
                XCTAssertEqual(leg.networkCount, 0, leg.name)
                XCTAssertEqual(leg.downloadedBytes, 0, leg.name)
                XCTAssertEqual(leg.failedCount, 0, leg.name)
            }
        }
    }

    func testAWrongImageIsDetected() throws {
        try onScreen {
            let fixture = try Fixture(["--photos", "20", "--numbered"])
            defer { fixture.end() }
            fixture.window.open()
            XCTAssertTrue(fixture.waitUntil { fixture.isSettled })
            let numbers = NumberCheck()
            numbers.check(fixture.window)
            XCTAssertEqual(numbers.wrongCount, 0)
            XCTAssertEqual(numbers.readCount, fixture.cells.count)
            let (first, second) = (fixture.cells[0], fixture.cells[1])
            let other = try XCTUnwrap(second.image.appearance.image)
            first.image.view.show(Texture(other.bitmap))
            numbers.check(fixture.window)
            XCTAssertEqual(numbers.wrongCount, 1)
        }
    }
}
