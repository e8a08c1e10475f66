internal import ImagePresentingGTK

/// The title bar of the window, with buttons for back, refresh, layout, theme and inspector.
final class FeedBar {
    let widget = GtkWidgetRef.headerBar()
    var onBack: () -> Void = {}
    var onRefresh: () -> Void = {}
    var onLayout: (PhotoLayout) -> Void = { _ in }
    var onDark: (Bool) -> Void = { _ in }
    var onInspect: (Bool) -> Void = { _ in }

    private let back = GtkWidgetRef.button(icon: "go-previous-symbolic")
    private let refresh = GtkWidgetRef.button(icon: "view-refresh-symbolic")
    private let list = GtkWidgetRef.toggle(icon: "view-list-symbolic")
    private let dark = GtkWidgetRef.toggle(icon: "weather-clear-night-symbolic")
    private let inspect = GtkWidgetRef.toggle(icon: "dialog-information-symbolic")

    init() {
        back.setHint("Back to the feed (Escape)")
        refresh.setHint("Refresh (F5)")
        list.setHint("List or grid (Control 1, Control 2)")
        dark.setHint("Dark theme (Control D)")
        inspect.setHint("Inspector (Control I)")
        back.isVisible = false
        for start in [back, refresh] { unsafe gtk_header_bar_pack_start(widget.opaque, start.pointer) }
        for end in [inspect, dark, list] { unsafe gtk_header_bar_pack_end(widget.opaque, end.pointer) }
        connect()
    }

    private func connect() {
        back.onSignal("clicked") { [weak self] in self?.onBack() }
        refresh.onSignal("clicked") { [weak self] in self?.onRefresh() }
        list.onSignal("toggled") { [weak self] in
            guard let self else { return }
            onLayout(list.isDown ? .list : .grid)
        }
        dark.onSignal("toggled") { [weak self] in
            guard let self else { return }
            onDark(dark.isDown)
        }
        inspect.onSignal("toggled") { [weak self] in
            guard let self else { return }
            onInspect(inspect.isDown)
        }
    }

    var showsBack: Bool {
        get { back.isVisible }
        set { back.isVisible = newValue }
    }

    func choose(_ layout: PhotoLayout) { list.isDown = layout == .list }

    func toggleDark() { dark.isDown.toggle() }

    func toggleInspector() { inspect.isDown.toggle() }
}

// Methods of toggle buttons.
extension GtkWidgetRef {
    fileprivate var isDown: Bool {
        get { unsafe gtk_toggle_button_get_active(cast(to: GtkToggleButton.self)) != 0 }
        set { unsafe gtk_toggle_button_set_active(cast(to: GtkToggleButton.self), newValue ? 1 : 0) }
    }
}
