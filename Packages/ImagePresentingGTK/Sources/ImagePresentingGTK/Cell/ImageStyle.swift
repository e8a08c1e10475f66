#if GTK
internal import CLibGTK

/// The style sheet of this module. Its colors are derived from the text color, so that they suit light and dark themes.
enum ImageStyle {
    private static var isInstalled = false

    /// Installs the style sheet once per process. Call it after `gtk_init`.
    static func install() {
        guard !isInstalled, let display = unsafe gdk_display_get_default() else { return }
        isInstalled = true
        unsafe installStyle(css, on: display)
    }

    private static let css = """
        .image-view { background-color: alpha(currentColor, .07); }
        .image-zoom .image-view { background: none; }
        .image-placeholder, .image-failure { margin: 0; padding: 0; }
        .image-placeholder.busy {
            background-image: linear-gradient(100deg, alpha(currentColor, 0) 35%, alpha(currentColor, .09) 50%,
                alpha(currentColor, 0) 65%);
            background-size: 300% 100%;
            animation: image-shimmer 1.4s linear infinite;
        }
        @keyframes image-shimmer { from { background-position: 100% 0; } to { background-position: 0% 0; } }
        .image-failure label { font-size: smaller; }
        .image-progress trough, .image-progress progress { min-height: 4px; border-radius: 0; }
        """
}

private func installStyle(_ css: String, on display: OpaquePointer) {
    guard let provider = unsafe gtk_css_provider_new() else { return }
    unsafe gtk_css_provider_load_from_data(provider, css, -1)
    unsafe gtk_style_context_add_provider_for_display(
        display, OpaquePointer(provider), UInt32(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
    unsafe g_object_unref(provider)
}
#endif
