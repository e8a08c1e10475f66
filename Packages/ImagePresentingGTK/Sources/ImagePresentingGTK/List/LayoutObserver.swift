#if GTK
internal import CLibGTK

/// Calls a handler each time that a widget's window has been laid out, before it is painted in the same frame.
///
/// Mapping a widget always causes a layout, because its style must be computed.
final class LayoutObserver {
    private let widget: GtkWidgetRef
    private let onLayout: () -> Void
    private var connection: SignalConnection?

    init(_ widget: GtkWidgetRef, onLayout: @escaping () -> Void) {
        self.widget = widget
        self.onLayout = onLayout
        widget.onSignal("realize") { [weak self] in self?.begin() }
        widget.onSignal("unrealize") { [weak self] in self?.connection = nil }
    }

    private func begin() {
        guard connection == nil, let clock = unsafe gtk_widget_get_frame_clock(widget.pointer) else { return }
        // GTK's own handler runs first, because the window is realized before the widgets in it.
        connection = unsafe SignalConnection(UnsafeMutableRawPointer(clock), "layout") { [weak self] in
            self?.onLayout()
        }
    }
}
#endif
