#if GTK
internal import CLibGTK

extension GtkWidgetRef {
    /// Sets the accessible label.
    func setAccessibleLabel(_ text: String) { unsafe cgtk_set_accessible_label(pointer, text) }

    /// Sets the accessible busy state, which says that the content is about to change.
    func setBusy(_ isBusy: Bool) { unsafe cgtk_set_busy(pointer, isBusy ? 1 : 0) }

    /// Sets the accessible role. Call it before the widget is first shown.
    func setRole(_ role: GtkAccessibleRole) { unsafe cgtk_set_role(pointer, role) }
}
#endif
