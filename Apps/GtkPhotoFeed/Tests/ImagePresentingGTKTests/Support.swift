import ImageCore
import XCTest

@testable import ImagePresentingGTK

#if canImport(Glibc)
    import Glibc
#endif

/// The base class of widget tests. GTK and the main actor need the process's first thread. XCTest runs synchronous
/// tests on it, but Swift Testing doesn't, because its main is `async`.
class GtkTestCase: XCTestCase {
    /// Runs the body of a test, or skips it if there is no display.
    func onScreen(_ body: @MainActor () throws -> Void) throws {
        try MainActor.assumeIsolated {
            try XCTSkipUnless(gtk_init_check() != 0, "no display: run under Xvfb, as Scripts/test does")
            GtkMainLoop.attach()
            try body()
        }
    }
}

/// The timeout of waits. Only a failing test waits this long.
let testTimeout = Duration.seconds(20)

/// A visible window with one widget.
@MainActor @safe final class TestWindow {
    let window = unsafe GtkWidgetRef(gtk_window_new())

    init(_ content: GtkWidgetRef, width: Int = 400, height: Int = 400) {
        unsafe gtk_window_set_default_size(window.cast(to: GtkWindow.self), Int32(width), Int32(height))
        unsafe gtk_window_set_child(window.cast(to: GtkWindow.self), content.pointer)
        unsafe gtk_widget_show(window.pointer)
        _ = GtkMainLoop.run(upTo: testTimeout) { content.isMapped }
    }

    func close() { unsafe gtk_window_destroy(window.cast(to: GtkWindow.self)) }
}

/// Returns a bitmap of one color.
func bitmap(_ width: Int, _ height: Int, red: UInt8, green: UInt8 = 0, blue: UInt8 = 0, alpha: UInt8 = 255) -> Bitmap {
    let pixels = (0..<width * height).flatMap { _ in [red, green, blue, alpha] }
    return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: alpha == 255)
}
