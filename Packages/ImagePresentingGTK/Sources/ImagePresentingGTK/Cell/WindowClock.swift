#if GTK
internal import ImageCore
public import ImagePresenting

/// Plays the animations of a window: an animation clock that follows the window's frames, while an animation plays, and
/// the user's setting for reduced motion.
public final class WindowClock {
    private let window: Widget
    /// The clock for the cells of the window.
    public private(set) lazy var clock: AnimationClock = AnimationClock(reducesMotion: !DesktopSettings.animates) {
        [weak self] isRunning in
        self?.runningChanged(to: isRunning)
    }
    private lazy var ticker: FrameTicker = FrameTicker(window) { [weak self] in self?.clock.tick(at: $0) }

    /// Creates the clock of a window.
    public init(_ window: Widget) {
        self.window = window
        DesktopSettings.onAnimatesChange { [weak self] in self?.clock.reducesMotion = !DesktopSettings.animates }
    }

    private func runningChanged(to isRunning: Bool) {
        guard isRunning else { return ticker.stop() }
        // The renderer is known since the window is visible.
        if window.usesCairoRenderer { clock.prepareFrame = { $0.prepareForCairo() } }
        ticker.start()
    }
}
#endif
