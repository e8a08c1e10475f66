#if GTK
internal import CLibGTK

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

    /// Creates a widget that draws an image.
    static func image() -> GtkWidgetRef { unsafe GtkWidgetRef(gtk_picture_new()) }

    /// Creates a progress bar.
    static func progressBar() -> GtkWidgetRef { unsafe GtkWidgetRef(gtk_progress_bar_new()) }

    /// Creates a scrolling container.
    static func scrolled() -> GtkWidgetRef { unsafe GtkWidgetRef(gtk_scrolled_window_new()) }
}

// Methods of boxes.
extension GtkWidgetRef {
    /// Adds a widget at the end of a box.
    func append(_ child: GtkWidgetRef) { unsafe gtk_box_append(cast(to: GtkBox.self), child.pointer) }
}

// Methods of labels.
extension GtkWidgetRef {
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
}

// Methods of overlays.
extension GtkWidgetRef {
    /// Sets the base widget, which determines the size.
    func setBase(_ child: GtkWidgetRef) { unsafe gtk_overlay_set_child(opaque, child.pointer) }

    /// Adds a layer above the others. It doesn't influence the size.
    func addLayer(_ child: GtkWidgetRef) { unsafe gtk_overlay_add_overlay(opaque, child.pointer) }
}

// Methods of stacks.
extension GtkWidgetRef {
    /// Adds a page to a stack.
    func addPage(_ page: GtkWidgetRef, named name: String) {
        unsafe gtk_stack_add_named(opaque, page.pointer, name)
    }

    /// The name of the visible page, or an empty text if there is none.
    var visiblePage: String {
        unsafe gtk_stack_get_visible_child_name(opaque).map { unsafe String(cString: $0) } ?? ""
    }

    /// Shows a page, with a crossfade of `milliseconds` unless they are 0.
    func showPage(_ name: String, crossfadingFor milliseconds: Int = 0) {
        unsafe gtk_stack_set_transition_duration(opaque, UInt32(milliseconds))
        unsafe gtk_stack_set_visible_child_full(opaque, name, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
    }

    /// Whether a crossfade between pages is in progress.
    var isCrossfading: Bool { unsafe gtk_stack_get_transition_running(opaque) != 0 }
}
#endif
