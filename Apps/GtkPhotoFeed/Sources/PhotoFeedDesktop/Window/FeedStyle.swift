internal import ImagePresentingGTK

/// The style sheet of the window.
enum FeedStyle {
    private static var isInstalled = false

    static func install() {
        guard !isInstalled else { return }
        isInstalled = true
        guard let display = unsafe gdk_display_get_default(), let provider = unsafe gtk_css_provider_new() else {
            return
        }
        unsafe gtk_css_provider_load_from_data(provider, css, -1)
        unsafe gtk_style_context_add_provider_for_display(
            display, OpaquePointer(provider), UInt32(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        unsafe g_object_unref(provider)
    }

    private static let css = """
        .photo-cell { margin: 4px; }
        .cell-list { padding: 8px; }
        .page-footer { padding: 8px; }
        .inspector {
            background-color: rgba(20, 20, 24, .82); color: white; font-family: monospace; font-size: smaller;
            padding: 10px; border-radius: 8px;
        }
        """
}

/// The theme of the process. GTK 4.8 doesn't follow the desktop's color scheme.
enum Theme {
    private static let property = "gtk-application-prefer-dark-theme"

    static var isDark: Bool {
        get { unsafe gtk_settings_get_default().map { unsafe cgtk_get_flag(.init($0), property) != 0 } ?? false }
        set {
            if let settings = unsafe gtk_settings_get_default() {
                unsafe cgtk_set_flag(.init(settings), property, newValue ? 1 : 0)
            }
        }
    }
}
