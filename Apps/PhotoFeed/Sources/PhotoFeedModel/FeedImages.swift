public import ImageCore
import ImageLoading

/// Prefetches the images of loaded pages. Loads the first image of each page before the others.
@MainActor
public final class FeedImages {
    private let loader: any ImageLoaderProtocol
    private let prefetcher: ImagePrefetcher
    private let request: @MainActor (Photo) -> ImageRequest
    /// The tasks that wait for the first image of a page, by the number of the page.
    private(set) var firstImageTasks: [Int: Task<Void, Never>] = [:]
    private var pageCount = 0

    /// Creates a prefetcher of pages.
    ///
    /// - Parameters:
    ///   - loader: Loads the images.
    ///   - request: Returns the request that a row uses to show a photo.
    public init(loader: any ImageLoaderProtocol, request: @escaping @MainActor (Photo) -> ImageRequest) {
        self.loader = loader
        prefetcher = ImagePrefetcher(loader: loader)
        self.request = request
    }

    deinit { for task in firstImageTasks.values { task.cancel() } }

    func prefetch(_ photos: [Photo], isFirstPage: Bool) {
        if isFirstPage { stop() }
        let (requests, page) = (photos.map(request), pageCount)
        guard let first = requests.first else { return }
        pageCount += 1
        firstImageTasks[page] = Task { [weak self, loader, prefetcher] in
            // The row shows the error if an image fails.
            _ = try? await loader.image(for: first)
            if !Task.isCancelled { prefetcher.start(Array(requests.dropFirst())) }
            self?.firstImageTasks[page] = nil
        }
    }

    private func stop() {
        for task in firstImageTasks.values { task.cancel() }
        firstImageTasks = [:]
        prefetcher.stop()
    }
}
