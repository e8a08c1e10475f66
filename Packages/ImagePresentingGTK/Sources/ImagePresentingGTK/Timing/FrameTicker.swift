#if GTK
internal import CLibGTK

/// Calls a handler once per frame while it runs. GTK's frame clock may stop while no ticker runs.
final class FrameTicker {
    private let widget: Widget
    private let onTick: (Duration) -> Void
    private var callback: UInt32?

    /// Creates a ticker that doesn't run.
    ///
    /// - Parameters:
    ///   - widget: The widget whose frame clock is used. The handler is called while it is realized.
    ///   - onTick: The handler. Its argument is the frame clock's time.
    init(_ widget: Widget, onTick: @escaping (Duration) -> Void) {
        self.widget = widget
        self.onTick = onTick
    }

    /// Whether the ticker runs.
    var isRunning: Bool { callback != nil }

    /// Starts to call the handler.
    func start() {
        guard callback == nil else { return }
        callback = unsafe gtk_widget_add_tick_callback(
            widget.pointer,
            { _, clock, box in
                guard let action = unsafe Box<(Duration) -> Void>.contents(of: box) else { return 0 }
                let time = Duration.microseconds(unsafe gdk_frame_clock_get_frame_time(clock))
                action(time)
                return 1
            }, Unmanaged.passRetained(Box(onTick)).toOpaque(), releaseBox)
    }

    /// Stops calling the handler.
    func stop() {
        guard let callback else { return }
        unsafe gtk_widget_remove_tick_callback(widget.pointer, callback)
        self.callback = nil
    }
}
#endif
