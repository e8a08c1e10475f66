#if GTK
public import CLibGTK

/// A strong reference to a GTK widget. It manages the reference count, so that most code that builds a window needs no
/// pointers.
@MainActor @safe public final class Widget {
    /// The widget, for calls of GTK that have no method here.
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

extension Widget {
    /// Whether the widget is shown if its parents are shown.
    public var isVisible: Bool {
        get { unsafe gtk_widget_get_visible(pointer) != 0 }
        set { unsafe gtk_widget_set_visible(pointer, newValue ? 1 : 0) }
    }

    /// Whether GTK draws the widget.
    public var isMapped: Bool { unsafe gtk_widget_get_mapped(pointer) != 0 }

    /// The number of pixels per point.
    public var scaleFactor: Int { Int(unsafe gtk_widget_get_scale_factor(pointer)) }

    /// Adds a CSS class.
    public func addStyle(_ name: String) { unsafe gtk_widget_add_css_class(pointer, name) }

    /// Removes a CSS class.
    public func removeStyle(_ name: String) { unsafe gtk_widget_remove_css_class(pointer, name) }

    /// Returns whether the widget has a CSS class.
    public func hasStyle(_ name: String) -> Bool { unsafe gtk_widget_has_css_class(pointer, name) != 0 }

    /// Sets the minimum size, in points.
    public func setMinimumSize(width: Int, height: Int) {
        unsafe gtk_widget_set_size_request(pointer, Int32(width), Int32(height))
    }

    /// Sets the alignment within the available space.
    public func setAlignment(horizontal: GtkAlign, vertical: GtkAlign) {
        unsafe gtk_widget_set_halign(pointer, horizontal)
        unsafe gtk_widget_set_valign(pointer, vertical)
    }

    /// Sets whether the widget takes additional space.
    public func setExpands(horizontally: Bool, vertically: Bool) {
        unsafe gtk_widget_set_hexpand(pointer, horizontally ? 1 : 0)
        unsafe gtk_widget_set_vexpand(pointer, vertically ? 1 : 0)
    }

    /// Sets the tooltip and the accessible label of a button without text.
    public func setHint(_ text: String) {
        unsafe gtk_widget_set_tooltip_text(pointer, text)
        setAccessibleLabel(text)
    }

    /// The width in points.
    public var width: Int { Int(unsafe gtk_widget_get_width(pointer)) }

    /// The height in points.
    public var height: Int { Int(unsafe gtk_widget_get_height(pointer)) }

    /// Sets all margins, in points.
    public func setMargins(_ points: Int) {
        unsafe gtk_widget_set_margin_start(pointer, Int32(points))
        unsafe gtk_widget_set_margin_end(pointer, Int32(points))
        unsafe gtk_widget_set_margin_top(pointer, Int32(points))
        unsafe gtk_widget_set_margin_bottom(pointer, Int32(points))
    }
}
#endif
