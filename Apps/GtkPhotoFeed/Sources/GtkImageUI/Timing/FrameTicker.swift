internal import CGtk

/// Calls once a frame while it runs. While it doesn't, GTK's clock may stand still.
public final class FrameTicker {
    private let widget: Widget
    private let onTick: (Duration) -> Void
    private let isMetered: Bool
    private var callback: UInt32?

    /// - Parameters:
    ///   - widget: ticks come while it is realized.
    ///   - isMetered: whether `WorkMeter` counts it; false for what only measures.
    ///   - onTick: given the frame clock's time.
    public init(_ widget: Widget, isMetered: Bool = true, onTick: @escaping (Duration) -> Void) {
        self.widget = widget
        self.isMetered = isMetered
        self.onTick = onTick
    }

    public var isRunning: Bool { callback != nil }

    public func start() {
        guard callback == nil else { return }
        let action = isMetered ? { [onTick] time in WorkMeter.count { onTick(time) } } : onTick
        callback = unsafe gtk_widget_add_tick_callback(
            widget.pointer,
            { _, clock, box in
                guard let action = unsafe Box<(Duration) -> Void>.contents(of: box) else { return 0 }
                let time = Duration.microseconds(unsafe gdk_frame_clock_get_frame_time(clock))
                action(time)
                return 1
            }, Unmanaged.passRetained(Box(action)).toOpaque(), releaseBox)
    }

    public func stop() {
        guard let callback else { return }
        unsafe gtk_widget_remove_tick_callback(widget.pointer, callback)
        self.callback = nil
    }
}
