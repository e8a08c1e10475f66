import ImageCore
import XCTest

@testable import ImagePresentingGTK

final class ImageZoomTests: XCTestCase {
    func testAnImageFitsInTheView() {
        let zoom = zoom(of: 4000, 3000)
        XCTAssertEqual(zoom.scale, 0.2)
        XCTAssertEqual(zoom.zoomedSize, PixelSize(width: 800, height: 600))
        XCTAssertEqual(zoom.decodedSize, zoom.view)
    }

    func testTheScaleIsBetweenTheWholeImageAndSixteenPixelsForOne() {
        var zoom = zoom(of: 4000, 3000)
        zoom.setScale(100)
        XCTAssertEqual(zoom.scale, 16)
        zoom.setScale(0)
        XCTAssertEqual(zoom.scale, 0.2)
        XCTAssertTrue(zoom.isFitting)
    }

    func testASmallImageCanBeShownWithItsOwnPixels() {
        var zoom = zoom(of: 20, 20)
        XCTAssertEqual(zoom.scale, 30)
        zoom.setScale(1)
        XCTAssertEqual(zoom.zoomedSize, PixelSize(width: 20, height: 20))
        zoom.setScale(0.1)
        XCTAssertEqual(zoom.scale, 1)
        zoom.setScale(40)
        XCTAssertEqual(zoom.scale, 30)
    }

    func testMorePixelsAreDecodedInStepsUpToALimit() {
        var zoom = zoom(of: 8000, 6000)
        let sizes = [0.11, 0.2, 0.21, 1.0].map { scale in
            zoom.setScale(scale)
            return zoom.decodedSize.width
        }
        // 12 million pixels are 4,000 by 3,000.
        XCTAssertEqual(sizes, [1600, 1600, 3200, 4000])
    }

    func testATileHasTheVisiblePixelsAndThoseOfHalfAViewAroundThem() {
        var zoom = zoom(of: 8000, 6000)
        zoom.setScale(0.5)
        let tile = zoom.tile(at: (1000, 100))
        XCTAssertEqual(tile.part, PixelArea(left: 1200, top: 0, width: 3200, height: 2000))
        XCTAssertEqual(tile.size, PixelSize(width: 1600, height: 1000), "it has the pixels of the screen")
        zoom.setScale(4)
        XCTAssertEqual(zoom.tile(at: (31_200, 0)).part, PixelArea(left: 7700, top: 0, width: 300, height: 225))
        XCTAssertEqual(zoom.tile(at: (0, 0)).size, PixelSize(width: 300, height: 225), "and at most those of the file")
    }

    func testATileCoversTheViewUntilItWasMovedOrEnlarged() {
        var zoom = zoom(of: 8000, 6000)
        zoom.setScale(0.5)
        let tile = zoom.tile(at: (1000, 1000))
        for (offset, isCovered) in [
            ((600.0, 700.0), true), ((1400, 1300), true), ((599, 1000), false), ((1401, 1000), false),
            ((1000, 699), false), ((1000, 1301), false),
        ] {
            XCTAssertEqual(zoom.isCovered(by: tile, at: offset), isCovered, "\(offset)")
        }
        zoom.setScale(0.51)
        XCTAssertFalse(zoom.isCovered(by: tile, at: (1020, 1020)))
        zoom.setScale(1)
        let sharp = zoom.tile(at: (2000, 2000))
        zoom.setScale(4)
        XCTAssertTrue(zoom.isCovered(by: sharp, at: (8000, 8000)), "the file has no more pixels")
        XCTAssertFalse(zoom.isCovered(by: .fit(zoom.view), at: (8000, 8000)))
    }

    func testEvenWithoutALimitOfPixelsAnImageIsDecodedToTheView() {
        var zoom = zoom(of: 8000, 6000, pixelLimit: 0)
        zoom.setScale(1)
        XCTAssertEqual(zoom.decodedSize, zoom.view)
        var most = self.zoom(of: 8000, 6000, pixelLimit: .max)
        most.setScale(16)
        XCTAssertGreaterThanOrEqual(most.decodedSize.width, 8000)
    }

    func testThePhotoReplacesItsPreviewAtTheSameSizeOnTheScreen() {
        var zoom = zoom(of: 400, 300)
        zoom.setScale(4)
        zoom.show(PixelSize(width: 4000, height: 3000))
        XCTAssertEqual(zoom.scale, 0.4)
        XCTAssertEqual(zoom.zoomedSize, PixelSize(width: 1600, height: 1200))
    }

    func testThePointUnderThePointerKeepsItsPlace() {
        XCTAssertEqual(ImageZoom.offset(0, at: 200, lengths: (800, 1600), view: 800), 200)
        XCTAssertEqual(ImageZoom.offset(200, at: 200, lengths: (1600, 800), view: 800), 0)
        // The image has a margin of 100 on both sides before.
        XCTAssertEqual(ImageZoom.offset(0, at: 400, lengths: (600, 1200), view: 800), 200)
        XCTAssertEqual(ImageZoom.offset(0, at: 0, lengths: (600, 1200), view: 800), 0, "there is nothing at the left")
    }

    func testAViewWithoutSizeOrImageIsNotScaled() {
        XCTAssertEqual(ImageZoom(pixelLimit: 1).scale, 1)
        var zoom = ImageZoom(pixelLimit: 1)
        zoom.show(PixelSize(width: 10, height: 10))
        XCTAssertEqual(zoom.scale, 1)
    }

    /// A view of 800 by 600 pixels.
    private func zoom(of width: Int, _ height: Int, pixelLimit: Int = 12_000_000) -> ImageZoom {
        var zoom = ImageZoom(pixelLimit: pixelLimit)
        zoom.view = PixelSize(width: 800, height: 600)
        zoom.show(PixelSize(width: width, height: height))
        return zoom
    }
}
