public import ImageCore
public import ImageLoading

/// Prefetches the images of loaded pages. Loads the first image of each page before the others.
@MainActor
public final class FeedImages {
    private let prefetcher: ImagePrefetcher
    private let request: @MainActor (Photo) -> ImageRequest
    /// The tasks that wait for the first image of a page, by the number of the page.
    private(set) var firstImageTasks: [Int: Task<Void, Never>] = [:]
    private var pageCount = 0

    /// Creates a prefetcher of pages.
    ///
    /// - Parameters:
    ///   - prefetcher: Loads the images.
    ///   - request: Returns the request that a row uses to show a photo.
    public init(prefetcher: ImagePrefetcher, request: @escaping @MainActor (Photo) -> ImageRequest) {
        self.prefetcher = prefetcher
        self.request = request
    }

    deinit { for task in firstImageTasks.values { task.cancel() } }

    func prefetch(_ photos: [Photo], isFirstPage: Bool) {
        if isFirstPage { stop() }
        guard !photos.isEmpty else { return }
        let (requests, page) = (photos.map(request), pageCount)
        pageCount += 1
        firstImageTasks[page] = Task { [weak self, prefetcher] in
            // The row shows the error if an image fails.
            _ = try? await prefetcher.loadFirst(of: requests)
            self?.firstImageTasks[page] = nil
        }
    }

    private func stop() {
        for task in firstImageTasks.values { task.cancel() }
        firstImageTasks = [:]
        prefetcher.stop()
    }
}
