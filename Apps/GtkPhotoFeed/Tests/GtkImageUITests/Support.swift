import CGtk
import GtkImageUI
import ImageCore
import XCTest

#if canImport(Glibc)
    import Glibc
#endif

/// Tests of widgets. XCTest runs tests that are not `async` on the process's first thread, which is the one that GTK and the main actor need;
/// Swift Testing has an `async` main and does not.
class GtkTestCase: XCTestCase {
    /// Runs a test's body, or skips it where there is no display.
    func onScreen(_ body: @MainActor () throws -> Void) throws {
        try MainActor.assumeIsolated {
            try XCTSkipUnless(gtk_init_check() != 0, "no display: run under Xvfb, as Scripts/test does")
            GtkMainLoop.attach()
            try body()
        }
    }
}

/// Longer than anything takes here: only a test that fails waits so long.
let patience = 20.0

/// A window with one widget in it, on the screen until it is closed.
@MainActor @safe final class TestWindow {
    let window = unsafe Widget(gtk_window_new())

    init(_ content: Widget, width: Int = 400, height: Int = 400) {
        unsafe gtk_window_set_default_size(window.cast(to: GtkWindow.self), Int32(width), Int32(height))
        unsafe gtk_window_set_child(window.cast(to: GtkWindow.self), content.pointer)
        unsafe gtk_widget_show(window.pointer)
        _ = GtkMainLoop.run(upTo: patience) { content.isMapped }
    }

    func close() { unsafe gtk_window_destroy(window.cast(to: GtkWindow.self)) }
}

/// One colour.
func bitmap(_ width: Int, _ height: Int, red: UInt8, green: UInt8 = 0, blue: UInt8 = 0, alpha: UInt8 = 255) -> Bitmap {
    let pixels = (0..<width * height).flatMap { _ in [red, green, blue, alpha] }
    return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: alpha == 255)
}
