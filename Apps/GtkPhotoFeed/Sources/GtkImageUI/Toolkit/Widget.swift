public import CGtk

/// A widget of GTK, kept alive by this object.
///
/// GTK is a C library whose pointers say nothing of who owns what. Here each of them is inside an object that holds a reference, so
/// the code that builds a window has no pointers in it.
@MainActor @safe public final class Widget {
    /// For calls of GTK that have no method here.
    public let pointer: UnsafeMutablePointer<GtkWidget>

    /// Takes the widget over if nobody owns it yet, as GTK's constructors return them, or becomes one more owner.
    public init(_ pointer: UnsafeMutablePointer<GtkWidget>) {
        unsafe g_object_ref_sink(pointer)
        unsafe self.pointer = unsafe pointer
    }

    isolated deinit { unsafe g_object_unref(pointer) }

    /// The same pointer for functions over types whose insides GTK hides.
    public var opaque: OpaquePointer { unsafe OpaquePointer(pointer) }

    /// The same pointer for functions over a class that GTK shows, a `GtkWindow` for one.
    ///
    /// - Precondition: the widget is one.
    public func cast<Object>(to type: Object.Type) -> UnsafeMutablePointer<Object> {
        unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: type)
    }
}

extension Widget {
    public var isVisible: Bool {
        get { unsafe gtk_widget_get_visible(pointer) != 0 }
        set { unsafe gtk_widget_set_visible(pointer, newValue ? 1 : 0) }
    }

    /// Whether it is on the screen, as far as GTK draws it.
    public var isMapped: Bool { unsafe gtk_widget_get_mapped(pointer) != 0 }

    /// Pixels of the screen to a point of the layout, a whole number.
    public var scaleFactor: Int { Int(unsafe gtk_widget_get_scale_factor(pointer)) }

    public func addStyle(_ name: String) { unsafe gtk_widget_add_css_class(pointer, name) }

    public func removeStyle(_ name: String) { unsafe gtk_widget_remove_css_class(pointer, name) }

    public func hasStyle(_ name: String) -> Bool { unsafe gtk_widget_has_css_class(pointer, name) != 0 }

    /// The least size, in points.
    public func setMinimumSize(width: Int, height: Int) {
        unsafe gtk_widget_set_size_request(pointer, Int32(width), Int32(height))
    }

    public func setAlignment(horizontal: GtkAlign, vertical: GtkAlign) {
        unsafe gtk_widget_set_halign(pointer, horizontal)
        unsafe gtk_widget_set_valign(pointer, vertical)
    }

    public func setExpands(horizontally: Bool, vertically: Bool) {
        unsafe gtk_widget_set_hexpand(pointer, horizontally ? 1 : 0)
        unsafe gtk_widget_set_vexpand(pointer, vertically ? 1 : 0)
    }

    /// What a button without words does, for those who point at it and for those who don't see it.
    public func setHint(_ text: String) {
        unsafe gtk_widget_set_tooltip_text(pointer, text)
        setAccessibleLabel(text)
    }

    public var width: Int { Int(unsafe gtk_widget_get_width(pointer)) }

    public var height: Int { Int(unsafe gtk_widget_get_height(pointer)) }

    public func setMargins(_ points: Int) {
        unsafe gtk_widget_set_margin_start(pointer, Int32(points))
        unsafe gtk_widget_set_margin_end(pointer, Int32(points))
        unsafe gtk_widget_set_margin_top(pointer, Int32(points))
        unsafe gtk_widget_set_margin_bottom(pointer, Int32(points))
    }
}
