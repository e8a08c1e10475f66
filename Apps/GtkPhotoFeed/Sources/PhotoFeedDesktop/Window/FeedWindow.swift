internal import ImageCore
internal import ImageLoading
internal import ImagePresenting
internal import ImagePresentingGTK
internal import Observation
internal import PhotoFeedModel

/// The window of the feed: a grid or list of photos, a full image, failures with retry buttons, and the inspector.
final class FeedWindow {
    enum Page {
        static let loading = "loading"
        static let failure = "failure"
        static let feed = "feed"
        static let image = "image"
    }

    let model: PhotoFeedModel
    let loading: FeedLoading
    let window = unsafe GtkWidgetRef(gtk_window_new())
    /// Called after each frame.
    var onFrame: () -> Void = {}
    private var meter = FrameMeter()
    let bar = FeedBar()
    let pages = GtkWidgetRef.stack()
    let full: FullImage
    let inspector: Inspector
    let animations: WindowClock
    let prefetch: PrefetchController
    let feedPage = GtkWidgetRef.box(GTK_ORIENTATION_VERTICAL)
    let footer = PageFooter()
    var list: CellList<PhotoCell>
    var layout = PhotoLayout.grid
    /// The number of photos and the id of the first one in the list.
    var shownPhotos: (count: Int, first: Int?) = (0, nil)
    private let failureText = GtkWidgetRef.label("")

    /// Creates a window without showing it.
    init(_ model: PhotoFeedModel, loading: FeedLoading) {
        self.model = model
        self.loading = loading
        FeedStyle.install()
        animations = WindowClock(window)
        full = FullImage(loading: loading, clock: animations.clock)
        inspector = Inspector(loading)
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
        unsafe gtk_window_set_default_size(window.cast(to: GtkWindow.self), Int32(width), Int32(height))
        unsafe gtk_window_present(window.cast(to: GtkWindow.self))
        load()
    }

    /// Closes the window.
    func close() {
        full.close()
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
        let overlay = GtkWidgetRef.overlay()
        unsafe gtk_window_set_titlebar(window.cast(to: GtkWindow.self), bar.widget.pointer)
        unsafe gtk_window_set_title(window.cast(to: GtkWindow.self), "Photos")
        unsafe gtk_window_set_child(window.cast(to: GtkWindow.self), overlay.pointer)
        pages.addPage(waitingPage(), named: Page.loading)
        pages.addPage(failurePage(), named: Page.failure)
        pages.addPage(feedPage, named: Page.feed)
        pages.addPage(full.widget, named: Page.image)
        overlay.setBase(pages)
        overlay.addLayer(inspector.widget)
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
        let box = GtkWidgetRef.box(GTK_ORIENTATION_VERTICAL, spacing: 12)
        box.setAlignment(horizontal: GTK_ALIGN_CENTER, vertical: GTK_ALIGN_CENTER)
        let button = GtkWidgetRef.button("Try again")
        button.onSignal("clicked") { [weak self] in self?.load() }
        box.append(.icon("network-error-symbolic"))
        box.append(failureText)
        box.append(button)
        return box
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
        switch model.viewState {
        case .idle, .loading: if shownPhotos.count == 0 { pages.showPage(Page.loading) }
        case .error(let failure):
            failureText.text = "The feed could not be loaded: \(failure)"
            pages.showPage(Page.failure)
        case .loaded: if full.position == nil { pages.showPage(Page.feed) }
        }
    }
}
