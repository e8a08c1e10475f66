#if GTK
internal import CLibGTK

/// Settings of the desktop that apply to this process.
public enum DesktopSettings {
    /// Whether animations are enabled. If not, nothing fades, shimmers or plays.
    public static var animates: Bool {
        get { flag("gtk-enable-animations") }
        set { setFlag("gtk-enable-animations", newValue) }
    }

    /// Whether the dark theme is used. GTK 4.8 doesn't follow the desktop's color scheme.
    public static var isDark: Bool {
        get { flag("gtk-application-prefer-dark-theme") }
        set { setFlag("gtk-application-prefer-dark-theme", newValue) }
    }

    /// Calls a handler each time that `animates` changes.
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

    // Swift doesn't import GLib's macro `G_TYPE_BOOLEAN`.
    private static let booleanType = GType(5 << G_TYPE_FUNDAMENTAL_SHIFT)
}
#endif
