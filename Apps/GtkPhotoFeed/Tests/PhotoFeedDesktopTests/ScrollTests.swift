import GtkImageUI
import ImageCore
import ImagePresenting
import XCTest

@testable import PhotoFeedDesktop

/// The short form of the benchmark, gated on counts alone.
final class ScrollTests: DesktopTestCase {
    func testAHundredPhotosThereAndBackTwice() throws {
        try onScreen {
            let stage = try Stage(["--photos", "100", "--numbered"], memoryByteLimit: 4_000_000)
            defer { stage.end() }
            let result = try ScrollRun(stage).run(limit: 100)
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

    func testAWrongPictureIsFoundOut() throws {
        try onScreen {
            let stage = try Stage(["--photos", "20", "--numbered"])
            defer { stage.end() }
            stage.window.open()
            XCTAssertTrue(stage.waits { stage.isSettled })
            let numbers = NumberCheck()
            numbers.check(stage.window)
            XCTAssertEqual(numbers.wrongCount, 0)
            XCTAssertEqual(numbers.readCount, stage.cells.count)
            let (first, second) = (stage.cells[0], stage.cells[1])
            let other = try XCTUnwrap(second.picture.appearance.picture)
            first.picture.view.show(Texture(other.bitmap))
            numbers.check(stage.window)
            XCTAssertEqual(numbers.wrongCount, 1)
        }
    }
}
