internal import ImagePresentingGTK

extension GtkWidgetRef {
    /// Creates a line of text with a fixed size, truncated at the end. Changing its text causes no layout, unlike that
    /// of a label.
    ///
    /// - Parameters:
    ///   - characters: The natural width in characters.
    ///   - alignment: The horizontal alignment, from 0 (at the beginning) to 1 (at the end).
    static func inscription(characters: Int, alignment: Float) -> GtkWidgetRef {
        let inscription = unsafe GtkWidgetRef(gtk_inscription_new(nil))
        unsafe gtk_inscription_set_nat_chars(inscription.opaque, UInt32(characters))
        unsafe gtk_inscription_set_xalign(inscription.opaque, alignment)
        unsafe gtk_inscription_set_text_overflow(inscription.opaque, GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END)
        return inscription
    }

    /// Creates a button with an icon of the theme.
    static func button(icon name: String) -> GtkWidgetRef { unsafe GtkWidgetRef(gtk_button_new_from_icon_name(name)) }

    /// Creates a toggle button with an icon of the theme.
    static func toggle(icon name: String) -> GtkWidgetRef {
        let button = unsafe GtkWidgetRef(gtk_toggle_button_new())
        unsafe gtk_button_set_icon_name(button.cast(to: GtkButton.self), name)
        return button
    }

    /// Creates a spinner, which must be started.
    static func spinner() -> GtkWidgetRef { unsafe GtkWidgetRef(gtk_spinner_new()) }
}

extension GtkWidgetRef {
    /// Removes a widget from a box.
    func remove(_ child: GtkWidgetRef) { unsafe gtk_box_remove(cast(to: GtkBox.self), child.pointer) }

    /// Sets whether the widget takes additional space.
    func setExpands(horizontally: Bool, vertically: Bool) {
        unsafe gtk_widget_set_hexpand(pointer, horizontally ? 1 : 0)
        unsafe gtk_widget_set_vexpand(pointer, vertically ? 1 : 0)
    }

    /// Sets the tooltip and the accessible label of a button without text.
    func setHint(_ text: String) {
        unsafe gtk_widget_set_tooltip_text(pointer, text)
        setAccessibleLabel(text)
    }

    /// Sets all margins, in points.
    func setMargins(_ points: Int) {
        unsafe gtk_widget_set_margin_start(pointer, Int32(points))
        unsafe gtk_widget_set_margin_end(pointer, Int32(points))
        unsafe gtk_widget_set_margin_top(pointer, Int32(points))
        unsafe gtk_widget_set_margin_bottom(pointer, Int32(points))
    }
}

// Methods of inscriptions.
extension GtkWidgetRef {
    /// The text of an inscription.
    var inscribedText: String {
        get { unsafe gtk_inscription_get_text(opaque).map { unsafe String(cString: $0) } ?? "" }
        set { unsafe gtk_inscription_set_text(opaque, newValue) }
    }
}
