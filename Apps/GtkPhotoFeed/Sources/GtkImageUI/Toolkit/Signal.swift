internal import CGtk

/// Calls Swift when GTK emits a signal, for as long as the object lives.
extension Widget {
    /// - Parameter action: what the signal says beside its sender is not handed on.
    public func onSignal(_ name: String, _ action: @escaping () -> Void) {
        unsafe connect(UnsafeMutableRawPointer(pointer), name, action)
    }

    /// Called for each key that is pressed in a window before anything in it is asked.
    ///
    /// - Parameter action: given GDK's name of the key ("Escape", "F5", "r") and whether Control is held. True when it knew what to do.
    public func onKey(_ action: @escaping (String, Bool) -> Bool) {
        typealias Action = (String, Bool) -> Bool
        guard let controller = unsafe gtk_event_controller_key_new() else { return }
        unsafe gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE)
        unsafe gtk_widget_add_controller(pointer, controller)
        let callback: @convention(c) (UnsafeMutableRawPointer?, UInt32, UInt32, UInt32) -> gboolean = {
            box, key, _, modifiers in
            guard let action = unsafe Box<Action>.contents(of: box), let name = unsafe gdk_keyval_name(key) else {
                return 0
            }
            return action(unsafe String(cString: name), modifiers & GDK_CONTROL_MASK.rawValue != 0) ? 1 : 0
        }
        unsafe connect(
            UnsafeMutableRawPointer(controller), "key-pressed", unsafe unsafeBitCast(callback, to: GCallback.self),
            Box(action))
    }

    /// For signals with one argument that is a position.
    public func onSignal(_ name: String, withPosition action: @escaping (Int) -> Void) {
        unsafe connect(UnsafeMutableRawPointer(pointer), name, withPosition: action)
    }
}

/// The same for objects that are no widgets: clocks, models, factories.
///
/// The handler is connected swapped, so that GLib passes our box as the first argument whatever the signal's others are.
///
/// - Returns: GLib's number of the handler.
@discardableResult
public func connect(_ object: UnsafeMutableRawPointer, _ signal: String, _ action: @escaping () -> Void) -> UInt {
    unsafe connectUnmetered(object, signal) { WorkMeter.count(action) }
}

/// The same for handlers that are no part of what is measured: those that measure.
@discardableResult
func connectUnmetered(_ object: UnsafeMutableRawPointer, _ signal: String, _ action: @escaping () -> Void) -> UInt {
    let callback: @convention(c) (UnsafeMutableRawPointer?) -> Void = { box in
        if let action = unsafe Box<() -> Void>.contents(of: box) { action() }
    }
    return unsafe connect(object, signal, unsafe unsafeBitCast(callback, to: GCallback.self), Box(action))
}

/// For signals with one argument that is an object.
public func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, withObject action: @escaping (UnsafeMutableRawPointer) -> Void
) {
    typealias Action = (UnsafeMutableRawPointer) -> Void
    let callback: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { box, argument in
        guard let argument = unsafe argument, let action = unsafe Box<Action>.contents(of: box) else { return }
        WorkMeter.count { unsafe action(argument) }
    }
    unsafe connect(object, signal, unsafe unsafeBitCast(callback, to: GCallback.self), Box(action))
}

/// For signals with one argument that is a position.
public func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, withPosition action: @escaping (Int) -> Void
) {
    let callback: @convention(c) (UnsafeMutableRawPointer?, UInt32) -> Void = { box, position in
        guard let action = unsafe Box<(Int) -> Void>.contents(of: box) else { return }
        WorkMeter.count { action(Int(position)) }
    }
    unsafe connect(object, signal, unsafe unsafeBitCast(callback, to: GCallback.self), Box(action))
}

@discardableResult
private func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, _ callback: GCallback?, _ box: AnyObject
) -> UInt {
    let handler = unsafe g_signal_connect_data(
        object, signal, callback, Unmanaged.passRetained(box).toOpaque(), releaseClosure, G_CONNECT_SWAPPED)
    return UInt(handler)
}

/// A Swift value where C wants a pointer.
final class Box<Contents> {
    let contents: Contents

    init(_ contents: Contents) { self.contents = contents }

    /// The contents of a box that C hands back.
    static func contents(of pointer: UnsafeMutableRawPointer?) -> Contents? {
        unsafe pointer.map { unsafe Unmanaged<Box>.fromOpaque($0).takeUnretainedValue().contents }
    }
}

/// Not isolated: objects may end on other threads.
nonisolated func releaseClosure(_ data: gpointer?, _ closure: UnsafeMutablePointer<GClosure>?) {
    if let data = unsafe data { unsafe Unmanaged<AnyObject>.fromOpaque(data).release() }
}

/// The same for those of GLib's functions that take a callback for one call or many.
nonisolated func releaseBox(_ data: gpointer?) {
    if let data = unsafe data { unsafe Unmanaged<AnyObject>.fromOpaque(data).release() }
}
