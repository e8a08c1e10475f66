internal import CGtk
internal import GtkImageUI
internal import ImageLoading
internal import ImagePresenting
internal import PhotoFeedModel

/// How photos are shown side by side.
enum PhotoLayout: String, CaseIterable {
    case grid, list

    /// Of the square that shows the picture, in points.
    var side: Int { self == .grid ? 160 : 96 }

    var cells: CellListLayout { self == .grid ? .grid(columns: 2...8) : .list }
}

/// A photo of the feed with its caption.
final class PhotoCell: RecycledCell {
    let widget: Widget
    let picture: GtkImageCell
    let caption = Widget.label("")
    /// Lists have one.
    private var detail: Widget?
    private let layout: PhotoLayout
    private let loading: FeedLoading
    private let photoAt: (Int) -> Photo?
    private(set) var photo: Photo?

    init(
        _ layout: PhotoLayout, loading: FeedLoading, animations: CellAnimations, photoAt: @escaping (Int) -> Photo?
    ) {
        (self.layout, self.loading, self.photoAt) = (layout, loading, photoAt)
        picture = GtkImageCell(
            loader: loading.loader, width: layout.side, height: layout.side, animations: animations)
        widget = .box(layout == .grid ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL, spacing: 6)
        widget.addStyle("photo-cell")
        widget.append(picture.view.widget)
        picture.view.widget.setAlignment(horizontal: GTK_ALIGN_CENTER, vertical: GTK_ALIGN_CENTER)
        addTexts(layout)
    }

    private func addTexts(_ layout: PhotoLayout) {
        caption.setLines(1)
        let texts = Widget.box(GTK_ORIENTATION_VERTICAL, spacing: 2)
        texts.addStyle("photo-texts")
        texts.append(caption)
        switch layout {
        case .grid: caption.setMaximumWidth(characters: 18)
        case .list:
            let detail = Widget.label("")
            detail.setLines(1)
            detail.addStyle("dim-label")
            for label in [caption, detail] {
                label.setAlignment(horizontal: GTK_ALIGN_START, vertical: GTK_ALIGN_CENTER)
            }
            texts.append(detail)
            self.detail = detail
            texts.setAlignment(horizontal: GTK_ALIGN_START, vertical: GTK_ALIGN_CENTER)
        }
        widget.append(texts)
    }

    func bind(to position: Int) {
        guard let photo = photoAt(position) else { return unbind() }
        self.photo = photo
        caption.text = photo.title
        detail?.text = "Album \(photo.albumId), picture \(photo.id)"
        picture.bind(photo.title) { [loading] size in loading.thumbnail(of: photo, size) }
    }

    func unbind() {
        photo = nil
        picture.unbind()
    }

    func setOnScreen(_ isOnScreen: Bool) { picture.setOnScreen(isOnScreen) }
}
