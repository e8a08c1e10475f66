import CGtk
import GtkImageUI
import XCTest

@testable import PhotoFeedDesktop

/// Tests of the whole program, on a screen and with FeedServer.
class DesktopTestCase: XCTestCase {
    /// Runs a test's body, or skips it where there is no display.
    func onScreen(_ body: @MainActor () throws -> Void) throws {
        try MainActor.assumeIsolated {
            try XCTSkipUnless(gtk_init_check() != 0, "no display: run under Xvfb, as Scripts/test does")
            GtkMainLoop.attach()
            try body()
        }
    }
}

extension Fixture {
    /// Closes the window and ends the origin.
    @MainActor func end() {
        close()
        origin.stop()
    }
}
