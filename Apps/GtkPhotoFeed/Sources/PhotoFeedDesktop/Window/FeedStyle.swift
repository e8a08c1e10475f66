internal import CLibAdwaita
internal import ImagePresentingGTK

/// The style sheet of the window.
enum FeedStyle {
    private static var isInstalled = false

    static func install() {
        guard !isInstalled else { return }
        isInstalled = true
        adw_init()
        guard let display = unsafe gdk_display_get_default(), let provider = unsafe gtk_css_provider_new() else {
            return
        }
        unsafe gtk_css_provider_load_from_data(provider, css, -1)
        unsafe gtk_style_context_add_provider_for_display(
            display, OpaquePointer(provider), UInt32(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        unsafe g_object_unref(provider)
    }

    private static let css = """
        .photo-cell { margin: 2px; }
        .cell-list { padding: 4px; }
        .page-footer { padding: 8px; }
        """
}

/// The theme of the process, which follows the desktop's color scheme.
enum Theme {
    /// Whether the theme is dark whatever the desktop's color scheme is.
    static var isAlwaysDark = false {
        didSet {
            unsafe adw_style_manager_set_color_scheme(
                adw_style_manager_get_default(),
                isAlwaysDark ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_DEFAULT)
        }
    }
}
