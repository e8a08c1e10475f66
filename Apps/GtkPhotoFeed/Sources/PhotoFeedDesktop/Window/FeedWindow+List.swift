internal import CGtk
internal import GtkImageUI
internal import ImageCore
internal import ImageLoading
internal import ImagePresenting
internal import PhotoFeedModel

extension FeedWindow {
    static func makeList(
        _ layout: PhotoLayout, _ model: PhotoFeedModel, _ loading: FeedLoading, _ animations: CellAnimations
    ) -> CellList<PhotoCell> {
        CellList(layout.cells) {
            PhotoCell(layout, loading: loading, animations: animations) { [weak model] in model?.photo(at: $0) }
        }
    }

    static func makePrefetch(_ model: PhotoFeedModel, _ loading: FeedLoading) -> PrefetchController {
        PrefetchController(prefetcher: ImagePrefetcher(loader: loading.loader)) { [weak model] index in
            model?.photo(at: index).map { loading.thumbnail(of: $0, loading.thumbnailSize.pixels) }
        }
    }

    /// Has images loaded ahead as the cells will ask for them, from now on.
    func followThumbnailSize() {
        prefetch.reset()
        (loading.thumbnailSize.side, loading.thumbnailSize.scale) = (layout.side, window.scaleFactor)
    }

    /// Shows the photos in another layout, from the top.
    func setLayout(_ layout: PhotoLayout) {
        guard layout != self.layout else { return }
        self.layout = layout
        followThumbnailSize()
        feedPage.remove(list.widget)
        feedPage.remove(footer.widget)
        list = Self.makeList(layout, model, loading, animations)
        takeList()
    }

    /// Puts a new list into the window.
    func takeList() {
        list.widget.setExpands(horizontally: true, vertically: true)
        feedPage.append(list.widget)
        feedPage.append(footer.widget)
        list.count = model.photos.count
        list.onActivate = { [weak self] in self?.openImage(at: $0) }
        list.onScreenChange = { [weak self] in self?.screenChanged(to: $0) }
        list.onPull = { [weak self] in self?.refresh() }
    }

    private func screenChanged(to range: Range<Int>) {
        prefetch.update(visible: range, of: model.photos.count, at: monotonicTime())
        if let last = range.last { model.appeared(at: last) }
    }

    /// Appended photos leave the cells of the others as they are.
    func takePhotos(_ photos: [Photo]) {
        let isAppended = photos.count >= listed.count && (listed.count == 0 || listed.first == photos.first?.id)
        if isAppended { list.count = photos.count } else { list.reload(count: photos.count) }
        listed = (photos.count, photos.first?.id)
    }
}

extension PhotoFeedModel {
    func photo(at position: Int) -> Photo? { photos.indices.contains(position) ? photos[position] : nil }
}
