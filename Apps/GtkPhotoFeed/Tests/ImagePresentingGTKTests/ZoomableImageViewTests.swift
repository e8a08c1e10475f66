import ImageCore
import ImageLoaderKit
import ImageLoading
import ImagePresenting
import XCTest

@testable import ImagePresentingGTK

final class ZoomableImageViewTests: GtkTestCase {
    /// Runs the body of a test with a view of 400 by 400 points that shows an image of 1,600 by 800 pixels.
    private func onFixture(_ body: @MainActor (ZoomFixture) throws -> Void) throws {
        try onScreen {
            let fixture = try ZoomFixture()
            defer { fixture.window.close() }
            XCTAssertTrue(fixture.waitUntil { fixture.shownWidth == 400 * fixture.scaleFactor })
            try body(fixture)
        }
    }

    func testAnImageIsDecodedToTheSizeOfTheView() throws {
        try onFixture { fixture in
            XCTAssertEqual(fixture.view.scale, 0.25 * Double(fixture.scaleFactor))
            XCTAssertFalse(fixture.view.isZoomedIn)
            XCTAssertEqual(fixture.cell.widget.width, 400)
        }
    }

    func testAZoomedImageIsDecodedToMorePixelsWithoutTheMemoryCache() throws {
        try onFixture { fixture in
            fixture.view.zoomToPixels()
            XCTAssertEqual(fixture.cell.appearance.kind, .previous, "the present pixels stay until then")
            XCTAssertTrue(fixture.waitUntil { fixture.shownWidth == 1600 })
            XCTAssertEqual(fixture.view.scale, 1)
            XCTAssertTrue(fixture.waitUntil { fixture.cell.widget.width == 1600 / fixture.scaleFactor })
            let original = fixture.request(PixelSize(width: 1600, height: 1600))
            XCTAssertNil(fixture.loader.cachedImage(for: original))
            fixture.view.zoomToFit()
            XCTAssertEqual(fixture.shownWidth, 400 * fixture.scaleFactor, "from the memory cache")
            XCTAssertTrue(fixture.waitUntil { fixture.cell.widget.width == 400 })
        }
    }

    func testAnImageWithAllItsPixelsIsNotDecodedAgain() throws {
        try onFixture { fixture in
            fixture.view.zoomToPixels()
            XCTAssertTrue(fixture.waitUntil { fixture.shownWidth == 1600 })
            let size = fixture.view.requestedSize
            fixture.view.zoom(by: 8)
            XCTAssertEqual(fixture.view.requestedSize, size)
        }
    }

    func testZoomingKeepsTheCenterAndPanningMovesUpToTheEdge() throws {
        try onFixture { fixture in
            fixture.view.zoom(by: 4)
            XCTAssertTrue(fixture.waitUntil { fixture.view.offset.x == 600 })
            XCTAssertEqual(fixture.view.offset.y, 200)
            fixture.view.pan(horizontally: 100, vertically: -50)
            XCTAssertEqual(fixture.view.offset.x, 700)
            XCTAssertEqual(fixture.view.offset.y, 150)
            fixture.view.pan(horizontally: 9000, vertically: -9000)
            XCTAssertEqual(fixture.view.offset.x, 1200)
            XCTAssertEqual(fixture.view.offset.y, 0)
        }
    }

    func testAnotherImageFitsInTheView() throws {
        try onFixture { fixture in
            fixture.view.zoom(by: 4)
            fixture.load("another")
            XCTAssertFalse(fixture.view.isZoomedIn)
            XCTAssertTrue(fixture.waitUntil { fixture.shownWidth == 400 * fixture.scaleFactor })
        }
    }

    func testAfterAChangeOfTheWindowsSizeTheImageFitsAndIsSharp() throws {
        try onFixture { fixture in
            unsafe gtk_window_set_default_size(fixture.window.window.cast(to: GtkWindow.self), 700, 500)
            XCTAssertTrue(fixture.waitUntil { fixture.view.widget.width == 700 })
            XCTAssertTrue(fixture.waitUntil { fixture.shownWidth == 700 * fixture.scaleFactor })
        }
    }

    func testExtremeFactorsAreLimited() throws {
        try onFixture { fixture in
            for factor in [0, -1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude] as [Double] {
                fixture.view.zoom(by: factor)
                XCTAssertFalse(fixture.view.isZoomedIn)
            }
            fixture.view.zoom(by: .greatestFiniteMagnitude)
            XCTAssertEqual(fixture.view.scale, 16)
        }
    }

    func testWithoutAnImageThereIsNothingToZoom() throws {
        try onFixture { fixture in
            fixture.view.cancelLoading()
            XCTAssertEqual(fixture.cell.appearance.kind, .empty)
            fixture.view.zoom(by: 2)
            XCTAssertEqual(fixture.cell.appearance.kind, .empty)
        }
    }
}

@MainActor private final class ZoomFixture {
    let loader: ImageLoader
    let view: ZoomableImageView
    let window: TestWindow
    private let file: Data

    init() throws {
        var options = ImageLoaderOptions(cacheDirectory: nil)
        options.memoryPressureMonitor = nil
        options.connectivityMonitor = nil
        loader = ImageLoader(options)
        let encoder = try XCTUnwrap([any ImageEncoder].standard.encoder(for: .jpeg))
        file = try encoder.encode(bitmap(1600, 800, red: 90), options: EncodingOptions())
        view = ZoomableImageView(loader: loader)
        window = TestWindow(view.widget)
        load("image")
    }

    var cell: LoadingImageView { view.cell }
    var scaleFactor: Int { view.widget.scaleFactor }
    var shownWidth: Int? {
        cell.appearance.kind == .final ? cell.appearance.image?.bitmap.size.width : nil
    }

    func load(_ name: String) {
        view.load(description: name) { [self] in request($0, name) }
    }

    func request(_ size: PixelSize, _ name: String = "image") -> ImageRequest {
        ImageRequest(.data(file, name: name), target: .fit(size))
    }

    func waitUntil(_ isDone: () -> Bool) -> Bool { GtkMainLoop.run(upTo: testTimeout, until: isDone) }
}
