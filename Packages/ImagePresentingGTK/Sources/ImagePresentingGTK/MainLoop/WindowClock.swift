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
    private let window: GtkWidgetRef
    /// While the window is realized, because the settings live as long as the process.
    private var settings: SignalConnection?
    /// Plays the animations of the window, unless the user has set reduced motion.
    public private(set) lazy var clock: AnimationClock = AnimationClock(reducesMotion: !DesktopSettings.animates) {
        [weak self] isRunning in
        self?.runningChanged(to: isRunning)
    }

    /// Creates the clock of a window. Keep it as long as the window.
    public init(_ window: GtkWidgetRef) {
        self.window = window
        window.onSignal("realize") { [weak self] in self?.begin() }
        window.onSignal("unrealize") { [weak self] in self?.settings = nil }
        if unsafe gtk_widget_get_realized(window.pointer) != 0 { begin() }
    }

    private func begin() {
        settings = DesktopSettings.onAnimatesChange { [weak self] in self?.followSettings() }
        followSettings()
        followFrames()
    }

    private func followSettings() { clock.reducesMotion = !DesktopSettings.animates }

    /// Follows the frames of the window until it is closed.
    private func followFrames() {
        guard let frames = unsafe gtk_widget_get_frame_clock(window.pointer) else { return }
        unsafe connect(UnsafeMutableRawPointer(frames), "update") { [weak self] in
            self?.clock.tick(at: .microseconds(unsafe gdk_frame_clock_get_frame_time(frames)))
        }
        unsafe connect(UnsafeMutableRawPointer(frames), "after-paint") { [weak self] in
            GtkMainLoop.runMainQueue()
            self?.onFrame()
        }
        if clock.isRunning { runningChanged(to: true) }
    }

    private func runningChanged(to isRunning: Bool) {
        guard let frames = unsafe gtk_widget_get_frame_clock(window.pointer) else { return }
        guard isRunning else { return unsafe gdk_frame_clock_end_updating(frames) }
        // The renderer is known since the window is realized.
        if window.usesCairoRenderer { clock.prepareFrame = { $0.prepareForCairo() } }
        unsafe gdk_frame_clock_begin_updating(frames)
    }
}
#endif
