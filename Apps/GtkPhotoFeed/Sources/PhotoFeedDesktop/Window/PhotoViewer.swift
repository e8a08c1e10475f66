internal import ImageCore
internal import ImageLoading
internal import ImagePresenting
internal import ImagePresentingGTK
internal import PhotoFeedModel

/// A photo at the size of the window, which can be zoomed.
final class PhotoViewer {
    let widget = GtkWidgetRef.overlay()
    let image: ZoomableImageView
    /// Called with 1 or -1 when the user presses the buttons for the next or previous photo.
    var onStep: (Int) -> Void = { _ in }
    /// Called when the photo is loaded.
    var onLoad: () -> Void = {}
    private(set) var photo: Photo?
    private(set) var position: Int?

    private let loading: FeedLoading
    private let prefetcher: ImagePrefetcher
    private var neighbors: [Photo] = []
    private let previous = GtkWidgetRef.button(icon: "go-previous-symbolic").styled("circular", "osd")
    private let next = GtkWidgetRef.button(icon: "go-next-symbolic").styled("circular", "osd")
    /// Shown if only the preview is loaded. Without any image, the view has a button of its own.
    let retry = GtkWidgetRef.button("Not loaded in full. Try again").styled("osd", "pill")
    /// The share of the view by which a key pans.
    private static let panShare = 0.2

    init(loading: FeedLoading, clock: AnimationClock) {
        self.loading = loading
        prefetcher = ImagePrefetcher(loader: loading.loader, maxConcurrentRequests: 2)
        var options = ImageBinding.Options()
        options.transition = .crossDissolve(.milliseconds(180))
        image = ZoomableImageView(loader: loading.loader, options: options, clock: clock)
        image.widget.setExpands(horizontally: true, vertically: true)
        widget.setBase(image.widget)
        add(previous, "Previous photo (Page Up)", GTK_ALIGN_START) { [weak self] in self?.onStep(-1) }
        add(next, "Next photo (Page Down)", GTK_ALIGN_END) { [weak self] in self?.onStep(1) }
        addRetry()
        image.onChange = { [weak self] in self?.imageChanged() }
    }

    var offersRetry: Bool { retry.isVisible }

    private func addRetry() {
        retry.setMargins(24)
        retry.setAlignment(horizontal: GTK_ALIGN_CENTER, vertical: GTK_ALIGN_END)
        retry.isVisible = false
        retry.onSignal("clicked") { [weak self] in self?.image.retry() }
        widget.addLayer(retry)
    }

    private func add(_ button: GtkWidgetRef, _ hint: String, _ align: GtkAlign, _ action: @escaping () -> Void) {
        button.setHint(hint)
        button.setMargins(12)
        button.setAlignment(horizontal: align, vertical: GTK_ALIGN_CENTER)
        button.onSignal("clicked", action)
        widget.addLayer(button)
    }

    /// Shows a photo.
    ///
    /// - Parameters:
    ///   - photo: The photo.
    ///   - position: The position of the photo in the feed.
    ///   - photoAt: Returns the photo at another position, or nil.
    func show(_ photo: Photo, at position: Int, photoAt: (Int) -> Photo?) {
        self.photo = photo
        self.position = position
        let (before, after) = (photoAt(position - 1), photoAt(position + 1))
        previous.isVisible = before != nil
        next.isVisible = after != nil
        neighbors = [after, before].compactMap(\.self)
        prefetcher.stop()
        image.load(description: photo.title) { [loading] size in loading.full(photo, size) }
    }

    func close() {
        photo = nil
        position = nil
        neighbors = []
        prefetcher.stop()
        image.cancelLoading()
    }

    private func imageChanged() {
        let isIncomplete = image.appearance.phase.isFailure && [.preview, .previous].contains(image.appearance.kind)
        if isIncomplete != offersRetry { retry.isVisible = isIncomplete }
        guard image.appearance.kind == .final, !image.appearance.isAnimating else { return }
        // After the photo, so that they don't delay it.
        prefetcher.start(neighbors.map { loading.full($0, image.viewSize) })
        neighbors = []
        onLoad()
    }

    /// Handles a key for zooming or panning. Returns false for other keys.
    func pressed(_ key: String) -> Bool {
        let (x, y) = (Double(widget.width) * Self.panShare, Double(widget.height) * Self.panShare)
        switch key {
        case "plus", "equal", "KP_Add": image.zoom(by: 1.25)
        case "minus", "KP_Subtract": image.zoom(by: 0.8)
        case "0", "KP_0": image.zoomToFit()
        case "1", "KP_1": image.zoomToPixels()
        case "Left" where image.isZoomedIn: image.pan(horizontally: -x, vertically: 0)
        case "Right" where image.isZoomedIn: image.pan(horizontally: x, vertically: 0)
        case "Up" where image.isZoomedIn: image.pan(horizontally: 0, vertically: -y)
        case "Down" where image.isZoomedIn: image.pan(horizontally: 0, vertically: y)
        default: return false
        }
        return true
    }
}
