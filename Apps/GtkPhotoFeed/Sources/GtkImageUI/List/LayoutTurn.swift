internal import CGtk

/// Calls when a widget's window has been laid out, in the same frame, before it is painted.
///
/// Whatever maps a widget of the window leads to that, because its style has to be worked out.
final class LayoutTurn {
    private let widget: Widget
    private let onLayout: () -> Void
    private var connection: Connection?

    @safe private struct Connection {
        let clock: OpaquePointer
        let handler: UInt
    }

    init(_ widget: Widget, onLayout: @escaping () -> Void) {
        self.widget = widget
        self.onLayout = onLayout
        widget.onSignal("realize") { [weak self] in self?.begin() }
        widget.onSignal("unrealize") { [weak self] in self?.end() }
    }

    private func begin() {
        guard connection == nil, let clock = unsafe gtk_widget_get_frame_clock(widget.pointer) else { return }
        // The window, which is realized before what is in it, has its own handler of this signal before ours.
        let handler = unsafe connect(UnsafeMutableRawPointer(clock), "layout") { [weak self] in self?.onLayout() }
        connection = unsafe Connection(clock: clock, handler: handler)
    }

    private func end() {
        guard let connection else { return }
        unsafe g_signal_handler_disconnect(UnsafeMutableRawPointer(connection.clock), gulong(connection.handler))
        self.connection = nil
    }
}
