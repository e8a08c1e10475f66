#if GTK
public import CLibGTK

extension Widget {
    /// Sets the accessible label.
    public func setAccessibleLabel(_ text: String) {
        var value = GValue()
        unsafe g_value_init(&value, GType(16 << G_TYPE_FUNDAMENTAL_SHIFT))
        unsafe g_value_set_string(&value, text)
        var property = GTK_ACCESSIBLE_PROPERTY_LABEL
        unsafe gtk_accessible_update_property_value(opaque, 1, &property, &value)
        unsafe g_value_unset(&value)
    }

    /// Sets the accessible busy state, which says that the content is about to change.
    public func setBusy(_ isBusy: Bool) {
        var value = GValue()
        unsafe g_value_init(&value, GType(5 << G_TYPE_FUNDAMENTAL_SHIFT))
        unsafe g_value_set_boolean(&value, isBusy ? 1 : 0)
        var state = GTK_ACCESSIBLE_STATE_BUSY
        unsafe gtk_accessible_update_state_value(opaque, 1, &state, &value)
        unsafe g_value_unset(&value)
    }

    /// Sets the accessible role. Call it before the widget is first shown.
    public func setRole(_ role: GtkAccessibleRole) {
        var value = GValue()
        unsafe g_value_init(&value, gtk_accessible_role_get_type())
        unsafe g_value_set_enum(&value, Int32(bitPattern: role.rawValue))
        unsafe g_object_set_property(cast(to: GObject.self), "accessible-role", &value)
        unsafe g_value_unset(&value)
    }
}
#endif
