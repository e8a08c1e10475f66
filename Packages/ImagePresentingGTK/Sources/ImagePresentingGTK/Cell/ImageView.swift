#if GTK
internal import CLibGTK
internal import ImageCore

/// A view that shows an image, a placeholder that shimmers during a load, or a failure with a button to try again. A
/// progress bar can be shown over it.
///
/// Images are shown alternately on two pages, so that one can fade into the next.
@MainActor @safe final class ImageView {
    /// The widget of the view.
    let widget = GtkWidgetRef.overlay()
    /// Called when the user presses the button to try again.
    var onRetry: () -> Void = {}

    let stack = GtkWidgetRef.stack()
    private let placeholder = GtkWidgetRef.box(GTK_ORIENTATION_VERTICAL)
    // Created on demand, because lists keep hundreds of views, and few of them need these.
    private var pages: [GtkWidgetRef] = []
    private var failure: FailurePage?
    private var progressBar: GtkWidgetRef?
    private var front = 0
    private var conversion: Task<Void, Never>?
    /// The visible content.
    private(set) var content = Content.placeholder
    private var shimmers = false
    private var isMarkedBusy = false
    /// The content of pages without an image. It has the size of an image, because otherwise GTK would lay out the
    /// whole list again.
    private let emptyPaintable: OpaquePointer?
    private let contentMode: ImageTarget.Mode

    /// Creates a view that shows the placeholder.
    ///
    /// - Parameters:
    ///   - width: The minimum width, in points.
    ///   - height: The minimum height, in points.
    ///   - contentMode: How an image with a different aspect ratio is shown.
    init(width: Int, height: Int, contentMode: ImageTarget.Mode = .fill) {
        ImageStyle.install()
        self.contentMode = contentMode
        unsafe emptyPaintable = unsafe gdk_paintable_new_empty(Int32(width), Int32(height))
        let base = GtkWidgetRef.box(GTK_ORIENTATION_VERTICAL)
        base.setMinimumSize(width: width, height: height)
        widget.setBase(base)
        widget.addStyle("image-view")
        placeholder.addStyle("image-placeholder")
        stack.addPage(placeholder, named: Page.placeholder)
        widget.addLayer(stack)
        widget.setRole(GTK_ACCESSIBLE_ROLE_IMG)
    }

    isolated deinit { unsafe g_object_unref(UnsafeMutableRawPointer(emptyPaintable)) }

    private func page(_ number: Int) -> GtkWidgetRef {
        while pages.count <= number {
            let page = GtkWidgetRef.image()
            // Assistive technologies see the view as the image.
            page.setRole(GTK_ACCESSIBLE_ROLE_PRESENTATION)
            unsafe gtk_picture_set_content_fit(
                page.opaque, contentMode == .fill ? GTK_CONTENT_FIT_COVER : GTK_CONTENT_FIT_CONTAIN)
            unsafe gtk_picture_set_can_shrink(page.opaque, 1)
            unsafe gtk_picture_set_paintable(page.opaque, emptyPaintable)
            stack.addPage(page, named: Page.image(pages.count))
            pages.append(page)
        }
        return pages[number]
    }

    private func failurePage() -> FailurePage {
        if let failure { return failure }
        let page = FailurePage()
        page.button.onSignal("clicked") { [weak self] in self?.onRetry() }
        stack.addPage(page.widget, named: Page.failure)
        failure = page
        return page
    }

    private func bar() -> GtkWidgetRef {
        if let progressBar { return progressBar }
        let bar = GtkWidgetRef.progressBar()
        bar.setAlignment(horizontal: GTK_ALIGN_FILL, vertical: GTK_ALIGN_END)
        bar.addStyle("image-progress")
        widget.addLayer(bar)
        progressBar = bar
        return bar
    }
}

private enum Page {
    static let placeholder = "placeholder"
    static let failure = "failure"

    static func image(_ number: Int) -> String { "image \(number)" }
}

extension ImageView {
    /// The content of a view.
    enum Content: Equatable {
        /// A placeholder without an image.
        case placeholder
        /// An image.
        case image
        /// An error message and a button to try again.
        case failure
    }

    /// Whether a crossfade between pages is in progress.
    var isCrossfading: Bool { stack.isCrossfading }

    /// Shows the placeholder.
    ///
    /// - Parameter isBusy: Whether an image is loading. If so, the placeholder shimmers, and assistive technologies are
    ///   notified.
    func showPlaceholder(isBusy: Bool) {
        // Only a shimmering placeholder needs its page. An empty page looks the same as a static placeholder, and lists
        // avoid the change of pages for each cell.
        if isBusy || content == .failure { stack.showPage(Page.placeholder) }
        if isBusy != shimmers { isBusy ? placeholder.addStyle("busy") : placeholder.removeStyle("busy") }
        shimmers = isBusy
        removeImages()
        content = .placeholder
        setBusy(isBusy)
    }

    /// Shows an image.
    ///
    /// - Parameters:
    ///   - texture: The image.
    ///   - milliseconds: The duration of the crossfade, in milliseconds. 0 means no crossfade.
    ///   - isBrief: Whether another image follows soon, as in an animation.
    func show(_ texture: Texture, crossfadingFor milliseconds: Int = 0, isBrief: Bool = false) {
        if milliseconds > 0, stack.visiblePage == Page.image(front) { front = 1 - front }
        let usesCairo = widget.usesCairoRenderer
        let prepared = usesCairo ? texture.bitmap.preparedForCairo : nil
        let painted = prepared.flatMap(CairoImage.init)
        unsafe gtk_picture_set_paintable(page(front).opaque, painted?.pointer ?? texture.pointer)
        content = .image
        stack.showPage(Page.image(front), crossfadingFor: milliseconds)
        conversion?.cancel()
        conversion = !isBrief && usesCairo && painted == nil ? convert(texture, for: page(front)) : nil
    }

    /// Converts the image to the format that is cheapest to paint, and replaces the texture with it.
    private func convert(_ texture: Texture, for page: GtkWidgetRef) -> Task<Void, Never> {
        Task { [bitmap = texture.bitmap] in
            let pixels = await CairoPixels.converted(bitmap)
            guard !Task.isCancelled, let painted = pixels.flatMap(CairoImage.init) else { return }
            unsafe gtk_picture_set_paintable(page.opaque, painted.pointer)
        }
    }

    /// Shows an error message and a button to try again.
    func showFailure(_ text: String) {
        failurePage().text.text = text
        stack.showPage(Page.failure)
        removeImages()
        content = .failure
        setBusy(false)
    }

    /// Shows or hides the progress bar.
    ///
    /// - Parameter fraction: The progress from 0 to 1, or `nil` to hide the bar.
    func showProgress(_ fraction: Double?) {
        guard let fraction else {
            if showsProgress { progressBar?.isVisible = false }
            return
        }
        let bar = bar()
        if !bar.isVisible { bar.isVisible = true }
        unsafe gtk_progress_bar_set_fraction(bar.opaque, fraction)
    }

    /// Tells assistive technologies whether the content is about to change.
    func setBusy(_ isBusy: Bool) {
        guard isBusy != isMarkedBusy else { return }
        isMarkedBusy = isBusy
        widget.setBusy(isBusy)
    }

    /// Sets the accessible description of the image.
    func setDescription(_ text: String) { widget.setAccessibleLabel(text) }

    /// Whether the progress bar is visible.
    var showsProgress: Bool { progressBar?.isVisible ?? false }

    /// Presses the button to try again, as with the keyboard. Returns false if it can't be pressed.
    func pressRetry() -> Bool {
        guard let button = failure?.button else { return false }
        return unsafe gtk_widget_activate(button.pointer) != 0
    }

    private func removeImages() {
        guard content == .image else { return }
        conversion?.cancel()
        for page in pages { unsafe gtk_picture_set_paintable(page.opaque, emptyPaintable) }
    }
}
#endif
