import FeedOrigin
import ImageCore
import ImageLoaderKit
import ImagePresentingGTK
import XCTest

@testable import PhotoFeedDesktop

/// The base class of tests of the whole app with its demo server.
class DesktopTestCase: XCTestCase {
    /// Runs the body of a test, or skips it if there is no display.
    func onScreen(_ body: @MainActor () throws -> Void) throws {
        try MainActor.assumeIsolated {
            try XCTSkipUnless(gtk_init_check() != 0, "no display: run under Xvfb, as Scripts/test does")
            GtkMainLoop.attach()
            try body()
        }
    }

    /// Runs the body of a test with an open window that shows its first images, each with its number.
    func onFeed(photos: Int, height: Int = 760, _ body: @MainActor (Fixture) throws -> Void) throws {
        try onScreen {
            let fixture = try Fixture(.forTests(photos: photos))
            defer { fixture.close() }
            fixture.window.open(height: height)
            XCTAssertTrue(fixture.waitUntil { fixture.isSettled })
            try body(fixture)
        }
    }
}

extension DemoOrigin {
    /// Animations have three frames, because a debug build encodes them slowly.
    private static let shortAnimations = ImageStore(concurrency: 2) { recipe throws(ImageEncodingError) in
        var short = recipe
        if recipe.frames != nil { short.frames = 3 }
        return try ImageRenderer(encoders: .standard).render(short)
    }

    @MainActor static func forTests(photos: Int) throws -> DemoOrigin {
        try DemoOrigin(photos: photos, isNumbered: true, images: shortAnimations)
    }
}
