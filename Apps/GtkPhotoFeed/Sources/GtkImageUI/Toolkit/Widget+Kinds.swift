public import CGtk

extension Widget {
    public static func box(_ orientation: GtkOrientation, spacing: Int = 0) -> Widget {
        unsafe Widget(gtk_box_new(orientation, Int32(spacing)))
    }

    public static func label(_ text: String) -> Widget { unsafe Widget(gtk_label_new(text)) }

    /// One line of text in the space that it is given, cut at the end: another text leaves the layout as it is, where a label would have GTK lay out
    /// the whole window again.
    ///
    /// - Parameter alignment: from 0, at the beginning, to 1.
    public static func inscription(characters: Int, alignment: Float) -> Widget {
        let inscription = unsafe Widget(gtk_inscription_new(nil))
        unsafe gtk_inscription_set_nat_chars(inscription.opaque, UInt32(characters))
        unsafe gtk_inscription_set_xalign(inscription.opaque, alignment)
        unsafe gtk_inscription_set_text_overflow(inscription.opaque, GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END)
        return inscription
    }

    public static func button(_ text: String) -> Widget { unsafe Widget(gtk_button_new_with_label(text)) }

    public static func button(icon name: String) -> Widget { unsafe Widget(gtk_button_new_from_icon_name(name)) }

    /// A button that stays down.
    public static func toggle(icon name: String) -> Widget {
        let button = unsafe Widget(gtk_toggle_button_new())
        unsafe gtk_button_set_icon_name(button.cast(to: GtkButton.self), name)
        return button
    }

    public static func icon(_ name: String) -> Widget { unsafe Widget(gtk_image_new_from_icon_name(name)) }

    public static func overlay() -> Widget { unsafe Widget(gtk_overlay_new()) }

    public static func stack() -> Widget { unsafe Widget(gtk_stack_new()) }

    public static func image() -> Widget { unsafe Widget(gtk_picture_new()) }

    public static func progressBar() -> Widget { unsafe Widget(gtk_progress_bar_new()) }

    public static func scrolled() -> Widget { unsafe Widget(gtk_scrolled_window_new()) }

    public static func spinner() -> Widget { unsafe Widget(gtk_spinner_new()) }

    public static func headerBar() -> Widget { unsafe Widget(gtk_header_bar_new()) }

    public static func window() -> Widget { unsafe Widget(gtk_window_new()) }
}

/// What boxes have.
extension Widget {
    public func append(_ child: Widget) { unsafe gtk_box_append(cast(to: GtkBox.self), child.pointer) }

    public func remove(_ child: Widget) { unsafe gtk_box_remove(cast(to: GtkBox.self), child.pointer) }
}

/// What labels have.
extension Widget {
    public var text: String {
        get { unsafe String(cString: gtk_label_get_text(opaque)) }
        set { unsafe gtk_label_set_text(opaque, newValue) }
    }

    /// Cut at the end, after so many lines.
    public func setLines(_ count: Int) {
        unsafe gtk_label_set_wrap(opaque, count > 1 ? 1 : 0)
        unsafe gtk_label_set_lines(opaque, Int32(count))
        unsafe gtk_label_set_ellipsize(opaque, PANGO_ELLIPSIZE_END)
    }
}

/// What inscriptions have.
extension Widget {
    public var inscribedText: String {
        get { unsafe gtk_inscription_get_text(opaque).map { unsafe String(cString: $0) } ?? "" }
        set { unsafe gtk_inscription_set_text(opaque, newValue) }
    }
}

/// What overlays have.
extension Widget {
    /// The child that decides the size.
    public func setBase(_ child: Widget) { unsafe gtk_overlay_set_child(opaque, child.pointer) }

    /// A child above the others, which has no say in the size.
    public func addLayer(_ child: Widget) { unsafe gtk_overlay_add_overlay(opaque, child.pointer) }
}

/// What stacks have.
extension Widget {
    public func addPage(_ page: Widget, named name: String) {
        unsafe gtk_stack_add_named(opaque, page.pointer, name)
    }

    public var visiblePage: String {
        unsafe gtk_stack_get_visible_child_name(opaque).map { unsafe String(cString: $0) } ?? ""
    }

    /// Shows another page, over `milliseconds`, or at once when they are 0.
    public func showPage(_ name: String, crossfadingFor milliseconds: Int = 0) {
        unsafe gtk_stack_set_transition_duration(opaque, UInt32(milliseconds))
        unsafe gtk_stack_set_visible_child_full(opaque, name, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
    }

    public var isCrossfading: Bool { unsafe gtk_stack_get_transition_running(opaque) != 0 }
}
