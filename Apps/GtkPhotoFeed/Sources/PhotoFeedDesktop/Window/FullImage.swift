internal import ImageCore
internal import ImagePresenting
internal import ImagePresentingGTK
internal import PhotoFeedModel

/// A photo at the size of the window.
final class FullImage {
    let widget = GtkWidgetRef.box(GTK_ORIENTATION_VERTICAL)
    private(set) var cell: LoadingImageView?
    private(set) var position: Int?
    private let caption = GtkWidgetRef.label("")
    private let loading: FeedLoading
    private let clock: AnimationClock

    init(loading: FeedLoading, clock: AnimationClock) {
        self.loading = loading
        self.clock = clock
        widget.addStyle("full-image")
        caption.setMargins(10)
        caption.setLines(1)
    }

    /// Shows a photo.
    ///
    /// - Parameters:
    ///   - photo: The photo.
    ///   - position: The position of the photo in the feed.
    ///   - width: The available width, in points.
    ///   - height: The available height, in points.
    func show(_ photo: Photo, at position: Int, width: Int, height: Int) {
        close()
        self.position = position
        var options = ImageBinding.Options()
        options.transition = .crossDissolve(.milliseconds(180))
        let cell = LoadingImageView(
            loader: loading.loader, width: width, height: height, fit: .contain, shrinks: true, options: options,
            clock: clock)
        self.cell = cell
        cell.widget.setExpands(horizontally: true, vertically: true)
        widget.append(cell.widget)
        caption.text = photo.title
        widget.append(caption)
        cell.load(description: photo.title) { [loading] size in loading.full(photo, size) }
    }

    func close() {
        guard let cell else { return }
        cell.cancelLoading()
        widget.remove(cell.widget)
        widget.remove(caption)
        (self.cell, position) = (nil, nil)
    }
}
