internal import CLibAdwaita
internal import ImageCore
internal import ImageLoading
internal import ImagePresenting
internal import ImagePresentingGTK
internal import Observation
internal import PhotoFeedModel

/// The window of the feed: a grid or list of photos, a photo in large, failures with retry buttons, and a side panel with
/// statistics or details.
final class FeedWindow {
    enum Page {
        static let loading = "loading"
        static let failure = "failure"
        static let feed = "feed"
        static let image = "image"
    }

    let model: PhotoFeedModel
    let loading: FeedLoading
    let window: GtkWidgetRef
    /// Called after each frame.
    var onFrame: () -> Void = {}
    private var meter = FrameMeter()
    let bar = FeedBar()
    let pages = GtkWidgetRef.stack()
    let viewer: PhotoViewer
    let inspector: Inspector
    let details = PropertyList(title: "Details")
    let panel: SidePanel
    let toasts: GtkWidgetRef
    let animations: WindowClock
    let prefetch: PrefetchController
    let feedPage = GtkWidgetRef.box(GTK_ORIENTATION_VERTICAL)
    let footer = PageFooter()
    var list: CellList<PhotoCell>
    var layout = PhotoLayout.grid
    /// The photos in the list.
    var shownPhotos: [Photo] = []
    private let failure = GtkWidgetRef.statusPage(icon: "network-error-symbolic", title: "No Photos")
    /// The window with all keys that was shown last.
    var shortcuts: GtkWidgetRef?
    private var shownRefreshFailure = false

    /// The size to which the window can shrink, in points.
    private static let minimumSize = (width: 300, height: 300)

    /// Creates a window without showing it.
    init(_ model: PhotoFeedModel, loading: FeedLoading) {
        self.model = model
        self.loading = loading
        FeedStyle.install()
        window = unsafe GtkWidgetRef(adw_application_window_new(nil))
        animations = WindowClock(window)
        viewer = PhotoViewer(loading: loading, clock: animations.clock)
        inspector = Inspector(loading)
        panel = SidePanel(content: pages, statistics: inspector.list.widget, details: details.widget)
        toasts = .toastOverlay(panel.widget)
        list = Self.makeList(.grid, model, loading, animations.clock)
        prefetch = Self.makePrefetch(model, loading)
        addPages()
        connect()
        followThumbnailSize()
        installList()
        observe()
    }

    /// Shows the window, with a size in points, and loads the feed.
    func open(width: Int = 940, height: Int = 760) {
        resize(width: width, height: height)
        present()
        load()
    }

    /// Changes the size of the window, in points.
    func resize(width: Int, height: Int) {
        unsafe gtk_window_set_default_size(window.cast(to: GtkWindow.self), Int32(width), Int32(height))
    }

    /// The name of the visible page.
    var shownPage: String {
        unsafe gtk_stack_get_visible_child_name(pages.opaque).map { unsafe String(cString: $0) } ?? ""
    }

    /// Raises the window above others.
    func present() { unsafe gtk_window_present(window.cast(to: GtkWindow.self)) }

    /// Closes the window.
    func close() {
        viewer.close()
        unsafe gtk_window_destroy(window.cast(to: GtkWindow.self))
    }

    /// Calls a handler when the window is closed. GTK destroys it only when this object is released, too.
    func onClose(_ action: @escaping () -> Void) { window.onSignal("unmap", action) }

    func load() { model.load() }

    func frameEnded() {
        if let duration = meter.frameEnded() { inspector.record(duration) }
        onFrame()
    }

    func refresh() { Task { [model] in await model.refresh() } }

    private func addPages() {
        let content = GtkWidgetRef.box(GTK_ORIENTATION_VERTICAL)
        content.append(bar.widget)
        content.append(toasts)
        panel.widget.setExpands(horizontally: true, vertically: true)
        unsafe adw_application_window_set_content(window.cast(to: AdwApplicationWindow.self), content.pointer)
        unsafe gtk_window_set_title(window.cast(to: GtkWindow.self), PhotoFeedApp.name)
        window.setMinimumSize(width: Self.minimumSize.width, height: Self.minimumSize.height)
        pages.addPage(waitingPage(), named: Page.loading)
        pages.addPage(failurePage(), named: Page.failure)
        pages.addPage(feedPage, named: Page.feed)
        pages.addPage(viewer.widget, named: Page.image)
    }

    private func waitingPage() -> GtkWidgetRef {
        let spinner = GtkWidgetRef.spinner()
        unsafe gtk_spinner_start(spinner.opaque)
        spinner.setMinimumSize(width: 48, height: 48)
        spinner.setAlignment(horizontal: GTK_ALIGN_CENTER, vertical: GTK_ALIGN_CENTER)
        spinner.setAccessibleLabel("Loading the feed")
        return spinner
    }

    private func failurePage() -> GtkWidgetRef {
        let button = GtkWidgetRef.button("Try again").styled("pill", "suggested-action")
        button.setAlignment(horizontal: GTK_ALIGN_CENTER, vertical: GTK_ALIGN_CENTER)
        button.onSignal("clicked") { [weak self] in self?.load() }
        unsafe adw_status_page_set_child(failure.opaque, button.pointer)
        return failure
    }

    // MARK: The model

    private func observe() {
        withObservationTracking {
            modelChanged()
        } onChange: { [weak self] in
            Task { @MainActor in self?.observe() }
        }
    }

    private func modelChanged() {
        showPhotos(model.photos)
        footer.show(model.paginationState)
        showRefreshFailure(model.refreshFailure)
        switch model.viewState {
        case .idle, .loading: if shownPhotos.isEmpty { pages.showPage(Page.loading) }
        case .error(let error):
            unsafe adw_status_page_set_description(failure.opaque, escaped(error.displayText))
            pages.showPage(Page.failure)
        case .loaded: if viewer.position == nil { pages.showPage(Page.feed) }
        }
    }

    private func showRefreshFailure(_ failure: PhotoServiceFailure?) {
        if let failure, !shownRefreshFailure { toasts.showToast("Not refreshed. \(failure.displayText)") }
        shownRefreshFailure = failure != nil
    }
}

extension PhotoServiceFailure {
    /// What the user can do something about.
    fileprivate var displayText: String {
        switch self {
        case .loading(.offline): "You are offline, and the feed is not stored on this computer."
        case .loading(.network): "The server can't be reached."
        case .loading(.httpStatus(let status, _)): "The server answers with the error \(status)."
        case .loading, .malformed: "The feed can't be read. \(self)"
        }
    }
}
