#if GTK
internal import CLibGTK
internal import ImageCore
public import ImagePresenting

/// The clock of a window: it plays the animated images of its views, and runs the main actor's tasks after each frame.
///
/// GLib paints before it runs tasks. Without a clock, a window that always paints delays tasks for seconds.
public final class WindowClock {
    /// Called after each frame and its tasks.
    public var onFrame: () -> Void = {}
    private let window: Widget
    /// Plays the animations of the window, unless the user has set reduced motion.
    public private(set) lazy var clock: AnimationClock = AnimationClock(reducesMotion: !DesktopSettings.animates) {
        [weak self] isRunning in
        self?.runningChanged(to: isRunning)
    }
    private lazy var ticker: FrameTicker = FrameTicker(window) { [weak self] in self?.clock.tick(at: $0) }

    /// Creates the clock of a window. Keep it as long as the window.
    public init(_ window: Widget) {
        self.window = window
        DesktopSettings.onAnimatesChange { [weak self] in self?.clock.reducesMotion = !DesktopSettings.animates }
        window.onSignal("realize") { [weak self] in self?.followFrames() }
        if unsafe gtk_widget_get_realized(window.pointer) != 0 { followFrames() }
    }

    private func followFrames() {
        guard let clock = unsafe gtk_widget_get_frame_clock(window.pointer) else { return }
        unsafe connect(UnsafeMutableRawPointer(clock), "after-paint") { [weak self] in
            GtkMainLoop.runMainQueue()
            self?.onFrame()
        }
    }

    private func runningChanged(to isRunning: Bool) {
        guard isRunning else { return ticker.stop() }
        // The renderer is known since the window is visible.
        if window.usesCairoRenderer { clock.prepareFrame = { $0.prepareForCairo() } }
        ticker.start()
    }
}
#endif
