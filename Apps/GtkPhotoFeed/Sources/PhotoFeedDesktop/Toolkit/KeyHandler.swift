internal import ImagePresentingGTK

extension GtkWidgetRef {
    /// Calls a handler for each key pressed in a window, before the widgets in it handle the key.
    ///
    /// - Parameter action: The handler. Its arguments are GDK's name of the key, such as "Escape", "F5" or "r", and
    ///   whether Control is pressed. It returns whether it has handled the key.
    func onKey(_ action: @escaping (String, Bool) -> Bool) {
        guard let controller = unsafe gtk_event_controller_key_new() else { return }
        unsafe gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE)
        unsafe gtk_widget_add_controller(pointer, controller)
        let callback: @convention(c) (UnsafeMutableRawPointer?, UInt32, UInt32, UInt32) -> gboolean = {
            handler, key, _, modifiers in
            guard let handler = unsafe handler, let name = unsafe gdk_keyval_name(key) else { return 0 }
            let action = unsafe Unmanaged<KeyHandler>.fromOpaque(handler).takeUnretainedValue().action
            return action(unsafe String(cString: name), modifiers & GDK_CONTROL_MASK.rawValue != 0) ? 1 : 0
        }
        unsafe g_signal_connect_data(
            UnsafeMutableRawPointer(controller), "key-pressed", unsafe unsafeBitCast(callback, to: GCallback.self),
            Unmanaged.passRetained(KeyHandler(action)).toOpaque(), releaseHandler, G_CONNECT_SWAPPED)
    }
}

private final class KeyHandler {
    let action: (String, Bool) -> Bool

    init(_ action: @escaping (String, Bool) -> Bool) { self.action = action }
}

/// Not isolated, because GLib passes it a pointer only.
private nonisolated func releaseHandler(_ handler: gpointer?, _ closure: UnsafeMutablePointer<GClosure>?) {
    if let handler = unsafe handler { unsafe Unmanaged<AnyObject>.fromOpaque(handler).release() }
}
