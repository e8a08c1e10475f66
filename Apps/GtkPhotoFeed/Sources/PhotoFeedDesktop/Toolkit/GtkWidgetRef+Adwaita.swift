internal import CLibAdwaita
internal import ImagePresentingGTK

// Widgets of libadwaita.
extension GtkWidgetRef {
    /// Creates a title bar for the top of a window.
    static func headerBar() -> GtkWidgetRef { unsafe GtkWidgetRef(adw_header_bar_new()) }

    /// Creates a page that tells why there is no content.
    static func statusPage(icon: String, title: String) -> GtkWidgetRef {
        let page = unsafe GtkWidgetRef(adw_status_page_new())
        unsafe adw_status_page_set_icon_name(page.opaque, icon)
        unsafe adw_status_page_set_title(page.opaque, title)
        return page
    }

    /// Creates a container for notes that disappear by themselves.
    static func toastOverlay(_ child: GtkWidgetRef) -> GtkWidgetRef {
        let overlay = unsafe GtkWidgetRef(adw_toast_overlay_new())
        unsafe adw_toast_overlay_set_child(overlay.opaque, child.pointer)
        return overlay
    }

    /// Shows a note in a toast overlay for a few seconds.
    func showToast(_ text: String) {
        let toast = unsafe adw_toast_new("")
        // A title is markup.
        unsafe adw_toast_set_title(toast, escaped(text))
        unsafe adw_toast_overlay_add_toast(opaque, toast)
    }

    /// Adds a class of the theme to a widget and returns it.
    func styled(_ names: String...) -> GtkWidgetRef {
        for name in names { addStyle(name) }
        return self
    }
}

/// Returns text as markup of Pango.
func escaped(_ text: String) -> String {
    guard let markup = unsafe g_markup_escape_text(text, -1) else { return "" }
    defer { unsafe g_free(markup) }
    return unsafe String(cString: markup)
}
