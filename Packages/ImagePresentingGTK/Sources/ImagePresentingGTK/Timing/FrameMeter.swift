#if GTK
internal import CLibGTK

/// Runs tasks of the main actor after each frame of a window, and measures the frames.
public final class FrameMeter {
    /// Called after each frame except the first, with the processor time of the main thread since the previous frame.
    public var onFrame: (Duration) -> Void = { _ in }
    private var end: Duration?

    /// Creates a meter.
    public init() {}

    /// Starts to follow a window.
    ///
    /// - Parameter window: The window, which must be realized.
    public func follow(_ window: Widget) {
        guard let clock = unsafe gtk_widget_get_frame_clock(window.pointer) else { return }
        unsafe connect(UnsafeMutableRawPointer(clock), "after-paint") { [weak self] in self?.frameEnded() }
    }

    private func frameEnded() {
        GtkMainLoop.runMainQueue()
        if let end { onFrame(threadProcessorTime() - end) }
        end = threadProcessorTime()
    }
}
#endif
