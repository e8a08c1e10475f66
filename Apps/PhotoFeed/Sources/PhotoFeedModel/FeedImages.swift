public import ImageCore
public import ImageLoading

/// Loads the images of pages that have come, ahead of need: of each page the first image before the rest.
@MainActor
public final class FeedImages {
    private let prefetcher: ImagePrefetcher
    private let request: @MainActor (Photo) -> ImageRequest
    /// The pages whose first image has not come yet.
    private(set) var waiting: [Int: Task<Void, Never>] = [:]
    private var pageCount = 0

    /// - Parameter request: what a row shows of a photo.
    public init(prefetcher: ImagePrefetcher, request: @escaping @MainActor (Photo) -> ImageRequest) {
        self.prefetcher = prefetcher
        self.request = request
    }

    deinit { for task in waiting.values { task.cancel() } }

    func came(_ photos: [Photo], isFirstPage: Bool) {
        if isFirstPage { stop() }
        guard !photos.isEmpty else { return }
        let (requests, page) = (photos.map(request), pageCount)
        pageCount += 1
        waiting[page] = Task { [weak self, prefetcher] in
            // One that fails is shown as such by its row.
            _ = try? await prefetcher.loadFirst(of: requests)
            self?.waiting[page] = nil
        }
    }

    private func stop() {
        for task in waiting.values { task.cancel() }
        waiting = [:]
        prefetcher.stop()
    }
}
