#if GTK
internal import CLibGTK

// Connects Swift closures to GTK's signals, for as long as the object lives.
extension GtkWidgetRef {
    /// Calls a handler each time that the widget emits a signal. The handler doesn't receive the signal's arguments.
    public func onSignal(_ name: String, _ action: @escaping () -> Void) {
        unsafe connect(UnsafeMutableRawPointer(pointer), name, action)
    }

    /// Calls a handler each time that an object other than a widget, such as an event controller or an action, emits a
    /// signal. The handler doesn't receive the signal's arguments.
    ///
    /// - Parameters:
    ///   - name: The name of the signal.
    ///   - object: A pointer to a `GObject`.
    ///   - action: The handler.
    public static func onSignal(_ name: String, of object: UnsafeMutableRawPointer, _ action: @escaping () -> Void) {
        unsafe connect(object, name, action)
    }

    /// Calls a handler each time that an object other than a widget emits a signal whose only argument is a number, such
    /// as the response of a dialog.
    ///
    /// - Parameters:
    ///   - name: The name of the signal.
    ///   - object: A pointer to a `GObject`.
    ///   - action: The handler. Receives the number.
    public static func onSignal(
        _ name: String, of object: UnsafeMutableRawPointer, _ action: @escaping (Int) -> Void
    ) {
        unsafe connect(object, name, withPosition: action)
    }

    /// Calls a handler each time that the widget emits a signal whose only argument is a position.
    func onSignal(_ name: String, withPosition action: @escaping (Int) -> Void) {
        unsafe connect(UnsafeMutableRawPointer(pointer), name, withPosition: action)
    }
}

/// A handler of an object that can outlive the handler's owner. It is disconnected when the connection is released.
@safe final class SignalConnection {
    private let object: UnsafeMutableRawPointer
    private let handler: UInt

    init(_ object: UnsafeMutableRawPointer, _ signal: String, _ action: @escaping () -> Void) {
        unsafe self.object = unsafe g_object_ref(object) ?? object
        handler = unsafe connect(object, signal, action)
    }

    isolated deinit {
        unsafe g_signal_handler_disconnect(object, gulong(handler))
        unsafe g_object_unref(object)
    }
}

/// Calls a handler each time that an object other than a widget emits a signal.
///
/// The handler is connected with swapped arguments, so that GLib passes its data as the first argument for any signal.
///
/// - Returns: GLib's identifier of the handler.
@discardableResult
func connect(_ object: UnsafeMutableRawPointer, _ signal: String, _ action: @escaping () -> Void) -> UInt {
    let callback: @convention(c) (UnsafeMutableRawPointer?) -> Void = { box in
        if let action = unsafe Box<() -> Void>.contents(of: box) { action() }
    }
    return unsafe connect(object, signal, unsafe unsafeBitCast(callback, to: GCallback.self), Box(action))
}

/// Calls a handler each time that an object emits a signal whose only argument is an object.
func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, withObject action: @escaping (UnsafeMutableRawPointer) -> Void
) {
    typealias Action = (UnsafeMutableRawPointer) -> Void
    let callback: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { box, argument in
        guard let argument = unsafe argument, let action = unsafe Box<Action>.contents(of: box) else { return }
        unsafe action(argument)
    }
    unsafe connect(object, signal, unsafe unsafeBitCast(callback, to: GCallback.self), Box(action))
}

/// Calls a handler each time that an object emits a signal whose only argument is a position.
func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, withPosition action: @escaping (Int) -> Void
) {
    let callback: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void = { box, position in
        guard let action = unsafe Box<(Int) -> Void>.contents(of: box) else { return }
        action(Int(position))
    }
    unsafe connect(object, signal, unsafe unsafeBitCast(callback, to: GCallback.self), Box(action))
}

/// Calls a handler each time that an event controller emits a signal whose only arguments are a point or a distance.
///
/// - Parameter action: Returns whether it has handled the event. GTK ignores it unless the signal has such a result.
func connectPoint(
    _ object: UnsafeMutableRawPointer, _ signal: String, _ action: @escaping (Double, Double) -> Bool
) {
    let callback: @convention(c) (UnsafeMutableRawPointer?, Double, Double) -> gboolean = { box, x, y in
        guard let action = unsafe Box<(Double, Double) -> Bool>.contents(of: box) else { return 0 }
        return action(x, y) ? 1 : 0
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

/// An object that holds a Swift value, for C functions that take a pointer.
private final class Box<Contents> {
    let contents: Contents

    init(_ contents: Contents) { self.contents = contents }

    /// Returns the contents of a box from its pointer.
    static func contents(of pointer: UnsafeMutableRawPointer?) -> Contents? {
        unsafe pointer.map { unsafe Unmanaged<Box>.fromOpaque($0).takeUnretainedValue().contents }
    }
}

/// Releases the box of a signal handler. Not isolated, because objects can be released on any thread.
private nonisolated func releaseClosure(_ data: gpointer?, _ closure: UnsafeMutablePointer<GClosure>?) {
    if let data = unsafe data { unsafe Unmanaged<AnyObject>.fromOpaque(data).release() }
}
#endif
