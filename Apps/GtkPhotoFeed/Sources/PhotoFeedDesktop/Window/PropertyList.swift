internal import CLibAdwaita
internal import ImagePresentingGTK

/// A name and a value, such as "Camera" and its model.
nonisolated struct Property: Hashable, Sendable {
    var name: String
    var value: String
}

/// A scrolling list of properties with a heading, for the side panel.
final class PropertyList {
    let widget = unsafe GtkWidgetRef(gtk_scrolled_window_new())
    private let group = unsafe GtkWidgetRef(adw_preferences_group_new())
    private var rows: [GtkWidgetRef] = []
    /// The properties that are shown.
    var properties: [Property] = [] {
        didSet { if properties != oldValue { update() } }
    }

    init(title: String) {
        unsafe adw_preferences_group_set_title(group.cast(to: AdwPreferencesGroup.self), title)
        group.setMargins(12)
        unsafe gtk_scrolled_window_set_child(widget.opaque, group.pointer)
        unsafe gtk_scrolled_window_set_policy(widget.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        widget.setAccessibleLabel(title)
    }

    private func update() {
        for row in rows.dropFirst(properties.count) {
            unsafe adw_preferences_group_remove(group.cast(to: AdwPreferencesGroup.self), row.pointer)
        }
        rows.removeLast(max(0, rows.count - properties.count))
        while rows.count < properties.count { addRow() }
        for (row, property) in zip(rows, properties) {
            unsafe adw_preferences_row_set_title(row.cast(to: AdwPreferencesRow.self), escaped(property.name))
            unsafe adw_action_row_set_subtitle(row.cast(to: AdwActionRow.self), escaped(property.value))
            row.setAccessibleLabel("\(property.name): \(property.value)")
        }
    }

    private func addRow() {
        let row = unsafe GtkWidgetRef(adw_action_row_new()).styled("property")
        unsafe adw_preferences_group_add(group.cast(to: AdwPreferencesGroup.self), row.pointer)
        rows.append(row)
    }
}
