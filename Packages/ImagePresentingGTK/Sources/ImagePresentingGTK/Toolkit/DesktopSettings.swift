#if GTK
internal import CLibGTK

/// Settings of the desktop that apply to this process.
enum DesktopSettings {
    /// Whether animations are enabled. If not, nothing fades, shimmers or plays.
    static var animates: Bool {
        get { unsafe settings.map { unsafe cgtk_get_flag($0, animationSetting) != 0 } ?? false }
        set { if let settings = unsafe settings { unsafe cgtk_set_flag(settings, animationSetting, newValue ? 1 : 0) } }
    }

    /// Calls a handler each time that `animates` changes, until the connection is released.
    static func onAnimatesChange(_ action: @escaping () -> Void) -> SignalConnection? {
        unsafe settings.map { unsafe SignalConnection($0, "notify::\(animationSetting)", action) }
    }

    private static let animationSetting = "gtk-enable-animations"

    private static var settings: UnsafeMutableRawPointer? {
        unsafe gtk_settings_get_default().map { unsafe UnsafeMutableRawPointer($0) }
    }
}
#endif
