#if GTK
public import CLibGTK

extension Widget {
    /// Creates a row or column of widgets. `spacing` is in points.
    public static func box(_ orientation: GtkOrientation, spacing: Int = 0) -> Widget {
        unsafe Widget(gtk_box_new(orientation, Int32(spacing)))
    }

    /// Creates a label.
    public static func label(_ text: String) -> Widget { unsafe Widget(gtk_label_new(text)) }

    /// Creates a button with a text.
    public static func button(_ text: String) -> Widget { unsafe Widget(gtk_button_new_with_label(text)) }

    /// Creates an icon of the theme.
    public static func icon(_ name: String) -> Widget { unsafe Widget(gtk_image_new_from_icon_name(name)) }

    /// Creates a container with layers above a base widget.
    public static func overlay() -> Widget { unsafe Widget(gtk_overlay_new()) }

    /// Creates a container that shows one of its pages.
    public static func stack() -> Widget { unsafe Widget(gtk_stack_new()) }

    /// Creates a widget that draws an image.
    static func image() -> Widget { unsafe Widget(gtk_picture_new()) }

    /// Creates a progress bar.
    static func progressBar() -> Widget { unsafe Widget(gtk_progress_bar_new()) }

    /// Creates a scrolling container.
    static func scrolled() -> Widget { unsafe Widget(gtk_scrolled_window_new()) }

    /// Creates a window.
    public static func window() -> Widget { unsafe Widget(gtk_window_new()) }
}

// Methods of boxes.
extension Widget {
    /// Adds a widget at the end of a box.
    public func append(_ child: Widget) { unsafe gtk_box_append(cast(to: GtkBox.self), child.pointer) }
}

// Methods of labels.
extension Widget {
    /// The text of a label.
    public var text: String {
        get { unsafe String(cString: gtk_label_get_text(opaque)) }
        set { unsafe gtk_label_set_text(opaque, newValue) }
    }

    /// Limits a label to a number of lines and truncates the text at the end.
    public func setLines(_ count: Int) {
        unsafe gtk_label_set_wrap(opaque, count > 1 ? 1 : 0)
        unsafe gtk_label_set_lines(opaque, Int32(count))
        unsafe gtk_label_set_ellipsize(opaque, PANGO_ELLIPSIZE_END)
    }
}

// Methods of overlays.
extension Widget {
    /// Sets the base widget, which determines the size.
    public func setBase(_ child: Widget) { unsafe gtk_overlay_set_child(opaque, child.pointer) }

    /// Adds a layer above the others. It doesn't influence the size.
    public func addLayer(_ child: Widget) { unsafe gtk_overlay_add_overlay(opaque, child.pointer) }
}

// Methods of stacks.
extension Widget {
    /// Adds a page to a stack.
    public func addPage(_ page: Widget, named name: String) {
        unsafe gtk_stack_add_named(opaque, page.pointer, name)
    }

    /// The name of the visible page, or an empty text if there is none.
    var visiblePage: String {
        unsafe gtk_stack_get_visible_child_name(opaque).map { unsafe String(cString: $0) } ?? ""
    }

    /// Shows a page, with a crossfade of `milliseconds` unless they are 0.
    public func showPage(_ name: String, crossfadingFor milliseconds: Int = 0) {
        unsafe gtk_stack_set_transition_duration(opaque, UInt32(milliseconds))
        unsafe gtk_stack_set_visible_child_full(opaque, name, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
    }

    /// Whether a crossfade between pages is in progress.
    var isCrossfading: Bool { unsafe gtk_stack_get_transition_running(opaque) != 0 }
}
#endif
