#if GTK
public import CLibGTK

/// A strong reference to a GTK widget. It manages the reference count; for the rest, call GTK with the pointer.
@MainActor @safe public final class GtkWidgetRef {
    /// The widget, for calls of GTK.
    public let pointer: UnsafeMutablePointer<GtkWidget>

    /// Takes ownership of a new widget with a floating reference, or else adds a reference.
    public init(_ pointer: UnsafeMutablePointer<GtkWidget>) {
        unsafe g_object_ref_sink(pointer)
        unsafe self.pointer = unsafe pointer
    }

    isolated deinit { unsafe g_object_unref(pointer) }

    /// The pointer, for functions that take opaque types.
    public var opaque: OpaquePointer { unsafe OpaquePointer(pointer) }

    /// Returns the pointer as that of a subclass, such as `GtkWindow`.
    ///
    /// - Precondition: The widget is an instance of this class.
    public func cast<Object>(to type: Object.Type) -> UnsafeMutablePointer<Object> {
        unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: type)
    }
}

extension GtkWidgetRef {
    /// Whether the widget is shown if its parents are shown.
    var isVisible: Bool {
        get { unsafe gtk_widget_get_visible(pointer) != 0 }
        set { unsafe gtk_widget_set_visible(pointer, newValue ? 1 : 0) }
    }

    /// Whether GTK draws the widget.
    var isMapped: Bool { unsafe gtk_widget_get_mapped(pointer) != 0 }

    /// The number of pixels per point.
    var scaleFactor: Int { Int(unsafe gtk_widget_get_scale_factor(pointer)) }

    /// Adds a CSS class.
    func addStyle(_ name: String) { unsafe gtk_widget_add_css_class(pointer, name) }

    /// Removes a CSS class.
    func removeStyle(_ name: String) { unsafe gtk_widget_remove_css_class(pointer, name) }

    /// Sets the minimum size, in points.
    func setMinimumSize(width: Int, height: Int) {
        unsafe gtk_widget_set_size_request(pointer, Int32(width), Int32(height))
    }

    /// Sets the alignment within the available space.
    func setAlignment(horizontal: GtkAlign, vertical: GtkAlign) {
        unsafe gtk_widget_set_halign(pointer, horizontal)
        unsafe gtk_widget_set_valign(pointer, vertical)
    }

    /// The width in points.
    var width: Int { Int(unsafe gtk_widget_get_width(pointer)) }

    /// The height in points.
    var height: Int { Int(unsafe gtk_widget_get_height(pointer)) }
}
#endif
