internal import ImageCore
internal import ImageLoading
internal import ImagePresenting
internal import ImagePresentingGTK
internal import PhotoFeedModel

extension FeedWindow {
    static func makeList(
        _ layout: PhotoLayout, _ model: PhotoFeedModel, _ loading: FeedLoading, _ clock: AnimationClock
    ) -> CellList<PhotoCell> {
        CellList(layout.cells) {
            PhotoCell(layout, loading: loading, clock: clock) { [weak model] in model?.photo(at: $0) }
        }
    }

    static func makePrefetch(_ model: PhotoFeedModel, _ loading: FeedLoading) -> PrefetchController {
        PrefetchController(prefetcher: ImagePrefetcher(loader: loading.loader)) { [weak model] index in
            model?.photo(at: index).map { loading.thumbnail(of: $0, loading.thumbnailSize.pixels) }
        }
    }

    /// Prefetches images at the current size of the cells.
    func followThumbnailSize() {
        prefetch.reset()
        loading.thumbnailSize.side = layout.side
        loading.thumbnailSize.scale = window.pixelsPerPoint
    }

    /// Changes the layout and scrolls to the top.
    func setLayout(_ layout: PhotoLayout) {
        guard layout != self.layout else { return }
        self.layout = layout
        followThumbnailSize()
        feedPage.remove(list.widget)
        feedPage.remove(footer.widget)
        list = Self.makeList(layout, model, loading, animations.clock)
        installList()
    }

    /// Adds a new list to the window.
    func installList() {
        list.widget.setExpands(horizontally: true, vertically: true)
        list.setDescription("Photos")
        feedPage.append(list.widget)
        feedPage.append(footer.widget)
        list.count = model.photos.count
        list.onActivate = { [weak self] in self?.openImage(at: $0) }
        list.prefetch = prefetch
        list.onScreenChange = { [model] in if let last = $0.last { model.appeared(at: last) } }
        list.focus(0)
        list.onPull = { [weak self] in self?.refresh() }
    }

    /// Updates the list. If photos were only appended, the cells of the others are not rebound.
    func showPhotos(_ photos: [Photo]) {
        let isAppended = photos.starts(with: shownPhotos)
        if isAppended { list.count = photos.count } else { list.reload(count: photos.count) }
        // Arrow keys and Page Down reach the photos at once.
        if !isAppended || shownPhotos.isEmpty, viewer.position == nil { list.focus(0) }
        shownPhotos = photos
    }
}

extension PhotoFeedModel {
    func photo(at position: Int) -> Photo? { photos.indices.contains(position) ? photos[position] : nil }
}
