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
