internal import CGtk

/// What the user, or a test, has chosen for the whole desktop or for this program.
public enum DesktopSettings {
    /// False when the user wants less motion: nothing fades, shimmers or plays then.
    public static var animates: Bool {
        get { flag("gtk-enable-animations") }
        set { setFlag("gtk-enable-animations", newValue) }
    }

    /// Dark looks. GTK 4.8 on its own does not follow the desktop's colour scheme.
    public static var isDark: Bool {
        get { flag("gtk-application-prefer-dark-theme") }
        set { setFlag("gtk-application-prefer-dark-theme", newValue) }
    }

    /// Calls when `animates` has changed.
    public static func onAnimatesChange(_ action: @escaping () -> Void) {
        guard let settings = unsafe gtk_settings_get_default() else { return }
        unsafe connect(UnsafeMutableRawPointer(settings), "notify::gtk-enable-animations", action)
    }

    private static func flag(_ name: String) -> Bool {
        guard let settings = unsafe gtk_settings_get_default() else { return false }
        var value = GValue()
        unsafe g_value_init(&value, booleanType)
        defer { unsafe g_value_unset(&value) }
        unsafe g_object_get_property(object(settings), name, &value)
        return unsafe g_value_get_boolean(&value) != 0
    }

    private static func setFlag(_ name: String, _ isOn: Bool) {
        guard let settings = unsafe gtk_settings_get_default() else { return }
        var value = GValue()
        unsafe g_value_init(&value, booleanType)
        defer { unsafe g_value_unset(&value) }
        unsafe g_value_set_boolean(&value, isOn ? 1 : 0)
        unsafe g_object_set_property(object(settings), name, &value)
    }

    private static func object(_ settings: OpaquePointer) -> UnsafeMutablePointer<GObject> {
        unsafe UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self)
    }

    // GLib's macros for these types are not imported.
    private static let booleanType = GType(5 << G_TYPE_FUNDAMENTAL_SHIFT)
}
