internal import CLibAdwaita
internal import ImagePresentingGTK

/// A panel beside the content, or over it if the window is narrow.
final class SidePanel {
    enum Page: String {
        /// Statistics of the loader.
        case statistics
        /// Details of a photo.
        case details
    }

    let widget = unsafe GtkWidgetRef(adw_flap_new())
    /// Called when the panel opens, closes or shows another page.
    var onChange: () -> Void = {}
    private let pages = GtkWidgetRef.stack()
    /// The width of the panel, in points.
    private static let width = 300

    init(content: GtkWidgetRef, statistics: GtkWidgetRef, details: GtkWidgetRef) {
        pages.addPage(statistics, named: Page.statistics.rawValue)
        pages.addPage(details, named: Page.details.rawValue)
        pages.setMinimumSize(width: Self.width, height: -1)
        pages.setExpands(horizontally: false, vertically: true)
        // Opaque, because it can be over the content.
        pages.addStyle("background")
        unsafe adw_flap_set_content(widget.opaque, content.pointer)
        unsafe adw_flap_set_flap(widget.opaque, pages.pointer)
        unsafe adw_flap_set_separator(widget.opaque, gtk_separator_new(GTK_ORIENTATION_VERTICAL))
        unsafe adw_flap_set_flap_position(widget.opaque, GTK_PACK_END)
        unsafe adw_flap_set_reveal_flap(widget.opaque, 0)
        // Otherwise it opens and closes when the width of the window changes.
        unsafe adw_flap_set_locked(widget.opaque, 1)
        // A swipe in the content pans a photo.
        unsafe adw_flap_set_swipe_to_open(widget.opaque, 0)
        widget.onSignal("notify::reveal-flap") { [weak self] in self?.onChange() }
    }

    var isOpen: Bool {
        get { unsafe adw_flap_get_reveal_flap(widget.opaque) != 0 }
        set { unsafe adw_flap_set_reveal_flap(widget.opaque, newValue ? 1 : 0) }
    }

    /// Whether an animation opens or closes the panel.
    var isMoving: Bool {
        let progress = unsafe adw_flap_get_reveal_progress(widget.opaque)
        return progress != (isOpen ? 1 : 0)
    }

    var page = Page.statistics {
        didSet {
            pages.showPage(page.rawValue)
            onChange()
        }
    }
}
