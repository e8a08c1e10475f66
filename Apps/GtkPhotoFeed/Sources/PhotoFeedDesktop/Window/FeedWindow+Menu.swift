internal import CLibAdwaita
internal import ImageLoaderKit
internal import ImagePresentingGTK

// The menu of the window, and the windows that it opens.
extension FeedWindow {
    func addActions() {
        add("statistics") { [panel] in panel.isOpen.toggle() }
        add("shortcuts") { [weak self] in self?.showShortcuts() }
        add("about") { [weak self] in self?.showAbout() }
    }

    private func add(_ name: String, _ action: @escaping () -> Void) {
        guard let simple = unsafe g_simple_action_new(name, nil) else { return }
        unsafe GtkWidgetRef.onSignal("activate", of: UnsafeMutableRawPointer(simple), action)
        unsafe g_action_map_add_action(window.opaque, simple)
        unsafe g_object_unref(UnsafeMutableRawPointer(simple))
    }

    /// Shows all keys.
    func showShortcuts() {
        guard let builder = unsafe gtk_builder_new_from_string(Shortcuts.description, -1) else { return }
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(builder)) }
        guard let object = unsafe gtk_builder_get_object(builder, "shortcuts") else { return }
        let window = unsafe GtkWidgetRef(UnsafeMutableRawPointer(object).assumingMemoryBound(to: GtkWidget.self))
        present(window)
        shortcuts = window
    }

    private func showAbout() {
        let about = unsafe GtkWidgetRef(adw_about_window_new())
        unsafe adw_about_window_set_application_name(about.opaque, PhotoFeedApp.name)
        unsafe adw_about_window_set_application_icon(about.opaque, PhotoFeedApp.identifier)
        unsafe adw_about_window_set_version(about.opaque, ImageLoader.version)
        unsafe adw_about_window_set_comments(about.opaque, "A photo feed, loaded and shown by swift-image-loading")
        present(about)
    }

    private func present(_ other: GtkWidgetRef) {
        unsafe gtk_window_set_transient_for(other.cast(to: GtkWindow.self), window.cast(to: GtkWindow.self))
        unsafe gtk_window_present(other.cast(to: GtkWindow.self))
    }
}

/// The window with all keys, in the format of GtkBuilder.
private enum Shortcuts {
    private static let groups: [(title: String, keys: [(accelerator: String, title: String)])] = [
        (
            "Feed",
            [
                ("Left Right Up Down", "Move between photos"), ("Page_Up Page_Down", "Scroll"), ("Return", "Open"),
                ("F5 &lt;Control&gt;r", "Refresh"), ("&lt;Control&gt;1", "Grid"), ("&lt;Control&gt;2", "List"),
                ("F9 &lt;Control&gt;i", "Statistics"),
            ]
        ),
        (
            "Photo",
            [
                ("Page_Up Page_Down", "Previous or next photo"), ("plus minus", "Zoom"), ("0", "Whole photo"),
                ("1", "Original size"), ("Left Right Up Down", "Move the zoomed photo"),
                ("F9 &lt;Control&gt;i", "Details"), ("&lt;Control&gt;c", "Copy"), ("&lt;Control&gt;s", "Save"),
                ("Escape", "Back to the feed"),
            ]
        ),
        (
            "General",
            [
                ("F11", "Full screen"), ("F1 &lt;Control&gt;question", "Keyboard shortcuts"),
                ("&lt;Control&gt;w", "Close"),
            ]
        ),
    ]

    static var description: String {
        let groups = groups.map { group in
            let keys = group.keys.map { shortcut($0.accelerator, $0.title) }.joined()
            return child("GtkShortcutsGroup", "<property name='title'>\(group.title)</property>\(keys)")
        }
        let section = child("GtkShortcutsSection", "<property name='section-name'>all</property>\(groups.joined())")
        return "<interface><object class='GtkShortcutsWindow' id='shortcuts'><property name='modal'>1</property>"
            + "\(section)</object></interface>"
    }

    private static func shortcut(_ accelerator: String, _ title: String) -> String {
        child(
            "GtkShortcutsShortcut",
            "<property name='accelerator'>\(accelerator)</property><property name='title'>\(title)</property>")
    }

    private static func child(_ kind: String, _ contents: String) -> String {
        "<child><object class='\(kind)'>\(contents)</object></child>"
    }
}
