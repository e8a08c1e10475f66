import CGtk
import GtkImageUI
import XCTest

@testable import PhotoFeedDesktop

/// The base class of tests of the whole app with FeedServer.
class DesktopTestCase: XCTestCase {
    /// Runs the body of a test, or skips it if there is no display.
    func onScreen(_ body: @MainActor () throws -> Void) throws {
        try MainActor.assumeIsolated {
            try XCTSkipUnless(gtk_init_check() != 0, "no display: run under Xvfb, as Scripts/test does")
            GtkMainLoop.attach()
            try body()
        }
    }
}

extension Fixture {
    /// Closes the window and stops the server.
    @MainActor func end() {
        close()
        origin.stop()
    }
}
