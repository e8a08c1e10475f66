import ImageCore
import ImageLoaderKit
import ImageLoading
import ImagePresenting
import ImageTesting
import XCTest

@testable import ImagePresentingGTK

final class ZoomableImageViewTests: GtkTestCase {
    /// Runs the body of a test with a view of 400 by 400 points that shows an image of 1,600 by 800 pixels.
    private func onFixture(
        pixelLimit: Int = 12_000_000, _ body: @MainActor (ZoomFixture) throws -> Void
    ) throws {
        try onScreen {
            let fixture = try ZoomFixture(pixelLimit: pixelLimit)
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

    func testTheVisiblePartOfALargeImageIsShownWithAllItsPixelsAndFollowsTheView() throws {
        try onFixture(pixelLimit: 1) { fixture in
            XCTAssertNil(fixture.view.tile.target, "the image is sharp at this size")
            fixture.view.zoomToPixels()
            XCTAssertTrue(fixture.waitUntil { fixture.view.tile.shownPart != nil })
            XCTAssertEqual(fixture.shownWidth, 400 * fixture.scaleFactor, "the rest isn't decoded to more pixels")
            let whole = try XCTUnwrap(fixture.wholeImage())
            try fixture.checkTile(of: whole)
            let first = fixture.view.tile.shownPart
            fixture.view.pan(horizontally: 90_000, vertically: 90_000)
            XCTAssertEqual(fixture.view.tile.shownPart, first, "it stays until then")
            XCTAssertTrue(fixture.waitUntil { fixture.view.tile.shownPart != first })
            try fixture.checkTile(of: whole)
            fixture.view.zoomToFit()
            XCTAssertTrue(fixture.waitUntil { fixture.view.tile.target == nil })
            XCTAssertNil(fixture.tileBitmap)
        }
    }

    func testATileOutOfViewIsCancelledAndAnotherImageHasNone() throws {
        try onFixture(pixelLimit: 1) { fixture in
            let (loader, gate) = (FakeImageLoader(), TestGate())
            var tile: ImageTile? = ImageTile(loader: loader)
            var request = fixture.request(PixelSize(width: 9, height: 9))
            request.target?.part = PixelArea(left: 0, top: 0, width: 200, height: 200)
            loader.script(.held(gate, .image(PixelSize(width: 9, height: 9))), for: request)
            func isCancelled(_ count: Int) -> Bool {
                loader.messages.count { if case .cancelled = $0 { true } else { false } } == count
            }
            for number in 1...3 {
                tile?.show(request, of: PixelSize(width: 1600, height: 800))
                XCTAssertTrue(fixture.waitUntil { loader.messages.count >= 2 * number - 1 && isCancelled(number - 1) })
            }
            tile?.clear()
            XCTAssertTrue(fixture.waitUntil { isCancelled(3) })
            tile?.show(request, of: PixelSize(width: 1600, height: 800))
            XCTAssertTrue(fixture.waitUntil { loader.messages.count == 7 })
            tile = nil
            XCTAssertTrue(fixture.waitUntil { isCancelled(4) })
            fixture.view.zoomToPixels()
            XCTAssertTrue(fixture.waitUntil { fixture.view.tile.shownPart != nil })
            fixture.load("another")
            XCTAssertNil(fixture.view.tile.shownPart)
        }
    }

    func testAnImageThatProcessorsChangeHasNoTiles() throws {
        try onFixture(pixelLimit: 1) { fixture in
            fixture.processors = [UnchangedProcessor()]
            fixture.load("blurred")
            XCTAssertTrue(fixture.waitUntil { fixture.shownWidth != nil })
            fixture.view.zoomToPixels()
            XCTAssertTrue(fixture.waitUntil { fixture.cell.widget.width > 400 })
            XCTAssertNil(fixture.view.tile.target)
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

private struct UnchangedProcessor: ImageProcessor {
    var identifier: String { "unchanged" }

    func process(_ bitmap: Bitmap) -> Bitmap { bitmap }
}

@MainActor private final class ZoomFixture {
    let loader: ImageLoader
    let view: ZoomableImageView
    let window: TestWindow
    private let file: Data
    var processors: [any ImageProcessor] = [PackedPixels()]

    init(pixelLimit: Int) throws {
        var options = ImageLoaderOptions(cacheDirectory: nil)
        options.memoryPressureMonitor = nil
        options.connectivityMonitor = nil
        loader = ImageLoader(options)
        let encoder = try XCTUnwrap([any ImageEncoder].standard.encoder(for: .jpeg))
        let pixels = (0..<1600 * 800).flatMap { (index: Int) -> [UInt8] in
            [UInt8(index % 1600 / 8), UInt8(index % 7 * 30), UInt8(index / 6400), 255]
        }
        let image = Bitmap(size: PixelSize(width: 1600, height: 800), pixels: pixels, isOpaque: true)
        file = try encoder.encode(image, options: EncodingOptions())
        view = ZoomableImageView(loader: loader, pixelLimit: pixelLimit)
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
        ImageRequest(.data(file, name: name), target: .fit(size), processors: processors)
    }

    /// The pixels of the file.
    func wholeImage() -> Bitmap? {
        var bitmap: Bitmap?
        Task { [loader, file] in bitmap = try await loader.image(for: ImageRequest(.data(file, name: "whole"))).bitmap }
        _ = waitUntil { bitmap != nil }
        return bitmap
    }

    /// What the layer of the tile draws: an image of the size of the whole one.
    var tileBitmap: Bitmap? {
        unsafe gtk_picture_get_paintable(view.tile.widget.opaque).flatMap { unsafe ImageView.bitmap(drawnBy: $0) }
    }

    /// Checks that the tile covers the view and has the pixels of the image at their places.
    func checkTile(of whole: Bitmap) throws {
        let (part, tile) = (try XCTUnwrap(view.tile.shownPart), try XCTUnwrap(tileBitmap))
        let offset = (x: view.offset.x * Double(scaleFactor), y: view.offset.y * Double(scaleFactor))
        XCTAssertTrue(view.zoom.isCovered(by: try XCTUnwrap(view.tile.target), at: offset))
        XCTAssertEqual(tile.size, whole.size)
        for y in 0..<whole.size.height {
            let row = (y * 1600 + part.left) * 4..<(y * 1600 + part.left + part.width) * 4
            let isInside = (part.top..<part.top + part.height).contains(y)
            XCTAssertTrue(
                isInside ? tile.pixels[row] == whole.pixels[row] : tile.pixels[row].allSatisfy { $0 == 0 }, "\(y)")
        }
    }

    func waitUntil(_ isDone: () -> Bool) -> Bool { GtkMainLoop.run(upTo: testTimeout, until: isDone) }
}
