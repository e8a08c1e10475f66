internal import ImageLoading
internal import ImagePresenting
internal import ImagePresentingGTK
internal import PhotoFeedModel

/// The layout of the photos.
enum PhotoLayout: String, CaseIterable {
    case grid, list

    /// The side of the square that shows the image, in points.
    var side: Int { self == .grid ? 160 : 96 }

    var cells: CellListLayout { self == .grid ? .grid(columns: 2...24) : .list }
}

/// A photo of the feed with its caption.
final class PhotoCell: RecycledCell {
    let widget: GtkWidgetRef
    let image: LoadingImageView
    let caption: GtkWidgetRef
    /// The second line of text, only in lists.
    private var detail: GtkWidgetRef?
    private let loading: FeedLoading
    private let photoAt: (Int) -> Photo?
    private(set) var photo: Photo?

    init(
        _ layout: PhotoLayout, loading: FeedLoading, clock: AnimationClock, photoAt: @escaping (Int) -> Photo?
    ) {
        self.loading = loading
        self.photoAt = photoAt
        image = LoadingImageView(
            loader: loading.loader, width: layout.side, height: layout.side, clock: clock)
        widget =
            layout == .grid
            ? .box(GTK_ORIENTATION_VERTICAL, spacing: 6) : .box(GTK_ORIENTATION_HORIZONTAL, spacing: 12)
        caption = .inscription(characters: layout == .grid ? 18 : 40, alignment: layout == .grid ? 0.5 : 0)
        widget.addStyle("photo-cell")
        widget.append(image.widget)
        image.widget.setAlignment(horizontal: GTK_ALIGN_CENTER, vertical: GTK_ALIGN_CENTER)
        layout == .grid ? widget.append(caption) : addTexts()
    }

    private func addTexts() {
        let texts = GtkWidgetRef.box(GTK_ORIENTATION_VERTICAL, spacing: 2)
        let detail = GtkWidgetRef.inscription(characters: 40, alignment: 0)
        detail.addStyle("dim-label")
        texts.append(caption)
        texts.append(detail)
        texts.setAlignment(horizontal: GTK_ALIGN_FILL, vertical: GTK_ALIGN_CENTER)
        texts.setExpands(horizontally: true, vertically: false)
        widget.append(texts)
        self.detail = detail
    }

    func bind(to position: Int) {
        guard let photo = photoAt(position) else { return unbind() }
        self.photo = photo
        caption.inscribedText = photo.title
        detail?.inscribedText = "Album \(photo.albumId), image \(photo.id)"
        // The item of the list, which gets the keyboard's focus.
        if let item = unsafe gtk_widget_get_parent(widget.pointer) {
            unsafe cgtk_set_accessible_label(item, photo.title)
        }
        image.load(description: photo.title) { [loading] size in loading.thumbnail(of: photo, size) }
    }

    func unbind() {
        photo = nil
        image.cancelLoading()
    }

    func setOnScreen(_ isOnScreen: Bool) { image.setOnScreen(isOnScreen) }
}
