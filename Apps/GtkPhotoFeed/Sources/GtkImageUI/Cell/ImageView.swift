internal import CGtk
internal import ImageCore

/// An image on the screen, or what stands in its place: a placeholder that shimmers while something is on its way, a failure with a button
/// to try again; and a bar for loads that take long.
///
/// Two pages take turns in showing images, so that one can fade over into the next.
@MainActor @safe public final class ImageView {
    public let widget = Widget.overlay()
    /// Called when the user asks for another try.
    public var onRetry: () -> Void = {}

    let stack = Widget.stack()
    private let placeholder = Widget.box(GTK_ORIENTATION_VERTICAL)
    // What follows is made when it is needed: lists keep hundreds of these, of which few fade, fail or take long.
    private var pages: [Widget] = []
    private var failure: FailurePage?
    private var progressBar: Widget?
    private var front = 0
    private var painting: Task<Void, Never>?
    /// What is to be seen now.
    public private(set) var face = Face.placeholder
    private var shimmers = false
    private var toldBusy = false
    /// What they hold otherwise: nothing of the size of an image, because another size would have GTK lay out the whole list again.
    private let nothing: OpaquePointer?
    private let fit: ImageFit

    /// - Parameters:
    ///   - width, height: the least size, in points.
    ///   - fit: how an image of other proportions is shown.
    public init(width: Int, height: Int, fit: ImageFit = .cover) {
        ImageStyle.install()
        self.fit = fit
        unsafe nothing = unsafe gdk_paintable_new_empty(Int32(width), Int32(height))
        let base = Widget.box(GTK_ORIENTATION_VERTICAL)
        base.setMinimumSize(width: width, height: height)
        widget.setBase(base)
        widget.addStyle("image-view")
        placeholder.addStyle("image-placeholder")
        stack.addPage(placeholder, named: Page.placeholder)
        widget.addLayer(stack)
        widget.setRole(GTK_ACCESSIBLE_ROLE_IMG)
    }

    isolated deinit { unsafe g_object_unref(UnsafeMutableRawPointer(nothing)) }

    private func page(_ number: Int) -> Widget {
        while pages.count <= number {
            let page = Widget.image()
            unsafe gtk_picture_set_content_fit(page.opaque, fit.value)
            unsafe gtk_picture_set_can_shrink(page.opaque, 1)
            unsafe gtk_picture_set_paintable(page.opaque, nothing)
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

    private func bar() -> Widget {
        if let progressBar { return progressBar }
        let bar = Widget.progressBar()
        bar.setAlignment(horizontal: GTK_ALIGN_FILL, vertical: GTK_ALIGN_END)
        bar.addStyle("image-progress")
        widget.addLayer(bar)
        progressBar = bar
        return bar
    }
}

/// How an image is shown in a frame of other proportions.
public enum ImageFit {
    /// The frame is covered, and what is beyond it cut.
    case cover
    /// The whole image is seen.
    case contain

    fileprivate var value: GtkContentFit {
        switch self {
        case .cover: GTK_CONTENT_FIT_COVER
        case .contain: GTK_CONTENT_FIT_CONTAIN
        }
    }
}

private enum Page {
    static let placeholder = "placeholder"
    static let failure = "failure"

    static func image(_ number: Int) -> String { "image \(number)" }
}

extension ImageView {
    /// What is to be seen.
    public enum Face: Equatable {
        case placeholder, image, failure
    }

    /// Whether one page is fading over into another now.
    public var isCrossfading: Bool { stack.isCrossfading }

    /// - Parameter isBusy: something is on its way. The placeholder shimmers, and assistive technology is told.
    public func showPlaceholder(isBusy: Bool) {
        // Pages are changed for what shimmers alone: an empty page looks the same as a placeholder at rest, and lists go that way with each cell.
        if isBusy || face == .failure { stack.showPage(Page.placeholder) }
        if isBusy != shimmers { isBusy ? placeholder.addStyle("busy") : placeholder.removeStyle("busy") }
        shimmers = isBusy
        dropImages()
        face = .placeholder
        setBusy(isBusy)
    }

    /// - Parameters:
    ///   - milliseconds: for how long what was seen before fades over into it; 0 for a change at once.
    ///   - isBrief: another one follows soon, as in an animation.
    public func show(_ texture: Texture, crossfadingFor milliseconds: Int = 0, isBrief: Bool = false) {
        if milliseconds > 0, stack.visiblePage == Page.image(front) { front = 1 - front }
        unsafe gtk_picture_set_paintable(page(front).opaque, texture.pointer)
        face = .image
        stack.showPage(Page.image(front), crossfadingFor: milliseconds)
        painting?.cancel()
        painting = !isBrief && widget.isPaintedByProcessor ? prepare(texture, for: page(front)) : nil
    }

    /// Puts the image into the form that costs least to paint in every frame, and in place of the texture.
    private func prepare(_ texture: Texture, for page: Widget) -> Task<Void, Never> {
        Task { [bitmap = texture.bitmap] in
            let pixels = await PaintedImage.arranged(bitmap)
            guard !Task.isCancelled, let painted = PaintedImage(pixels, bitmap.size) else { return }
            unsafe gtk_picture_set_paintable(page.opaque, painted.pointer)
        }
    }

    /// - Parameter text: for people.
    public func showFailure(_ text: String) {
        failurePage().text.text = text
        stack.showPage(Page.failure)
        dropImages()
        face = .failure
        setBusy(false)
    }

    /// - Parameter fraction: from 0 to 1; nil hides the bar.
    public func showProgress(_ fraction: Double?) {
        guard let fraction else {
            if showsProgress { progressBar?.isVisible = false }
            return
        }
        let bar = bar()
        if !bar.isVisible { bar.isVisible = true }
        unsafe gtk_progress_bar_set_fraction(bar.opaque, fraction)
    }

    /// Tells assistive technology whether what is shown is going to change.
    public func setBusy(_ isBusy: Bool) {
        guard isBusy != toldBusy else { return }
        toldBusy = isBusy
        widget.setBusy(isBusy)
    }

    /// What the image shows, for those who don't see it.
    public func setDescription(_ text: String) { widget.setAccessibleLabel(text) }

    /// Whether a bar tells how far the load is.
    public var showsProgress: Bool { progressBar?.isVisible ?? false }

    /// As if the user had pressed the button, with the keyboard. False when it can't be pressed.
    public func pressRetry() -> Bool {
        guard let button = failure?.button else { return false }
        return unsafe gtk_widget_activate(button.pointer) != 0
    }

    private func dropImages() {
        guard face == .image else { return }
        painting?.cancel()
        for page in pages { unsafe gtk_picture_set_paintable(page.opaque, nothing) }
    }
}
