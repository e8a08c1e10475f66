internal import ImagePresentingGTK

extension GtkWidgetRef {
    /// Creates a row or column of widgets. `spacing` is in points.
    static func box(_ orientation: GtkOrientation, spacing: Int = 0) -> GtkWidgetRef {
        unsafe GtkWidgetRef(gtk_box_new(orientation, Int32(spacing)))
    }

    /// Creates a label.
    static func label(_ text: String) -> GtkWidgetRef { unsafe GtkWidgetRef(gtk_label_new(text)) }

    /// Creates a button with a text.
    static func button(_ text: String) -> GtkWidgetRef { unsafe GtkWidgetRef(gtk_button_new_with_label(text)) }

    /// Creates an icon of the theme.
    static func icon(_ name: String) -> GtkWidgetRef { unsafe GtkWidgetRef(gtk_image_new_from_icon_name(name)) }

    /// Creates a container with layers above a base widget.
    static func overlay() -> GtkWidgetRef { unsafe GtkWidgetRef(gtk_overlay_new()) }

    /// Creates a container that shows one of its pages.
    static func stack() -> GtkWidgetRef { unsafe GtkWidgetRef(gtk_stack_new()) }
}

// Methods of all widgets.
extension GtkWidgetRef {
    /// Whether the widget is shown if its parents are shown.
    var isVisible: Bool {
        get { unsafe gtk_widget_get_visible(pointer) != 0 }
        set { unsafe gtk_widget_set_visible(pointer, newValue ? 1 : 0) }
    }

    /// The number of pixels per point.
    var pixelsPerPoint: Int { Int(unsafe gtk_widget_get_scale_factor(pointer)) }

    /// The width in points.
    var width: Int { Int(unsafe gtk_widget_get_width(pointer)) }

    /// The height in points.
    var height: Int { Int(unsafe gtk_widget_get_height(pointer)) }

    /// Adds a CSS class.
    func addStyle(_ name: String) { unsafe gtk_widget_add_css_class(pointer, name) }

    /// Sets the minimum size, in points.
    func setMinimumSize(width: Int, height: Int) {
        unsafe gtk_widget_set_size_request(pointer, Int32(width), Int32(height))
    }

    /// Sets the alignment within the available space.
    func setAlignment(horizontal: GtkAlign, vertical: GtkAlign) {
        unsafe gtk_widget_set_halign(pointer, horizontal)
        unsafe gtk_widget_set_valign(pointer, vertical)
    }

    /// Sets the accessible label.
    func setAccessibleLabel(_ text: String) { unsafe cgtk_set_accessible_label(pointer, text) }
}

// Methods of boxes, labels, overlays and stacks.
extension GtkWidgetRef {
    /// Adds a widget at the end of a box.
    func append(_ child: GtkWidgetRef) { unsafe gtk_box_append(cast(to: GtkBox.self), child.pointer) }

    /// The text of a label.
    var text: String {
        get { unsafe String(cString: gtk_label_get_text(opaque)) }
        set { unsafe gtk_label_set_text(opaque, newValue) }
    }

    /// Limits a label to a number of lines and truncates the text at the end.
    func setLines(_ count: Int) {
        unsafe gtk_label_set_wrap(opaque, count > 1 ? 1 : 0)
        unsafe gtk_label_set_lines(opaque, Int32(count))
        unsafe gtk_label_set_ellipsize(opaque, PANGO_ELLIPSIZE_END)
    }

    /// Sets the base widget of an overlay, which determines the size.
    func setBase(_ child: GtkWidgetRef) { unsafe gtk_overlay_set_child(opaque, child.pointer) }

    /// Adds a layer to an overlay, above the others. It doesn't influence the size.
    func addLayer(_ child: GtkWidgetRef) { unsafe gtk_overlay_add_overlay(opaque, child.pointer) }

    /// Adds a page to a stack.
    func addPage(_ page: GtkWidgetRef, named name: String) {
        unsafe gtk_stack_add_named(opaque, page.pointer, name)
    }

    /// Shows a page of a stack.
    func showPage(_ name: String) { unsafe gtk_stack_set_visible_child_name(opaque, name) }
}
