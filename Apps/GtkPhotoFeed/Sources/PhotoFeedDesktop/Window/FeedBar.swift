internal import CLibAdwaita
internal import ImagePresentingGTK
internal import PhotoFeedModel

/// The title bar of the window, with the buttons of the feed or of the open photo.
final class FeedBar {
    let widget = GtkWidgetRef.headerBar()
    var onBack: () -> Void = {}
    var onRefresh: () -> Void = {}
    var onLayout: (PhotoLayout) -> Void = { _ in }
    var onDetails: (Bool) -> Void = { _ in }
    var onCopy: () -> Void = {}
    var onSave: () -> Void = {}

    private let title = unsafe GtkWidgetRef(adw_window_title_new(PhotoFeedApp.name, nil))
    private let back = GtkWidgetRef.button(icon: "go-previous-symbolic")
    private let refresh = GtkWidgetRef.button(icon: "view-refresh-symbolic")
    private let list = GtkWidgetRef.toggle(icon: "view-list-symbolic")
    private let copy = GtkWidgetRef.button(icon: "edit-copy-symbolic")
    private let save = GtkWidgetRef.button(icon: "document-save-symbolic")
    private let details = GtkWidgetRef.toggle(icon: "sidebar-show-right-symbolic")
    private let menu = GtkWidgetRef.menuButton([
        "Statistics": "win.statistics", "Keyboard Shortcuts": "win.shortcuts",
        "About \(PhotoFeedApp.name)": "win.about",
    ])

    init() {
        back.setHint("Back to the feed (Escape)")
        refresh.setHint("Refresh (F5)")
        list.setHint("List (Control 2)")
        copy.setHint("Copy the photo (Control C)")
        save.setHint("Save the photo (Control S)")
        details.setHint("Details (F9)")
        menu.setHint("Menu (F10)")
        unsafe adw_header_bar_set_title_widget(widget.opaque, title.pointer)
        for start in [back, refresh] { unsafe adw_header_bar_pack_start(widget.opaque, start.pointer) }
        for end in [menu, list, details, save, copy] { unsafe adw_header_bar_pack_end(widget.opaque, end.pointer) }
        connect()
        show(nil)
    }

    private func connect() {
        back.onSignal("clicked") { [weak self] in self?.onBack() }
        refresh.onSignal("clicked") { [weak self] in self?.onRefresh() }
        copy.onSignal("clicked") { [weak self] in self?.onCopy() }
        save.onSignal("clicked") { [weak self] in self?.onSave() }
        list.onSignal("toggled") { [weak self] in
            guard let self else { return }
            onLayout(list.isDown ? .list : .grid)
        }
        details.onSignal("toggled") { [weak self] in
            guard let self else { return }
            onDetails(details.isDown)
        }
    }

    /// Shows the title and the buttons of a photo, or with nil those of the feed.
    func show(_ photo: Photo?) {
        unsafe adw_window_title_set_title(title.opaque, photo?.title ?? PhotoFeedApp.name)
        for button in [back, copy, save, details] { button.isVisible = photo != nil }
        for button in [refresh, list, menu] { button.isVisible = photo == nil }
    }

    /// Whether the button of the details is pressed.
    var showsDetails: Bool {
        get { details.isDown }
        set { details.isDown = newValue }
    }

    func choose(_ layout: PhotoLayout) { list.isDown = layout == .list }
}

extension GtkWidgetRef {
    /// Whether a toggle button is pressed.
    fileprivate var isDown: Bool {
        get { unsafe gtk_toggle_button_get_active(cast(to: GtkToggleButton.self)) != 0 }
        set { unsafe gtk_toggle_button_set_active(cast(to: GtkToggleButton.self), newValue ? 1 : 0) }
    }

    /// Creates the button of a window's main menu, which F10 opens.
    ///
    /// - Parameter items: The titles and the names of the actions.
    fileprivate static func menuButton(_ items: KeyValuePairs<String, String>) -> GtkWidgetRef {
        let button = unsafe GtkWidgetRef(gtk_menu_button_new())
        let menu = unsafe g_menu_new()
        for (title, action) in items { unsafe g_menu_append(menu, title, action) }
        unsafe gtk_menu_button_set_icon_name(button.opaque, "open-menu-symbolic")
        let model = unsafe UnsafeMutableRawPointer(menu)?.assumingMemoryBound(to: GMenuModel.self)
        unsafe gtk_menu_button_set_menu_model(button.opaque, model)
        unsafe gtk_menu_button_set_primary(button.opaque, 1)
        unsafe g_object_unref(UnsafeMutableRawPointer(menu))
        return button
    }
}
