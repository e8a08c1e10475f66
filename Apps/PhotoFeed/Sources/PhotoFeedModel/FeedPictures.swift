public import ImageCore
public import ImageLoading

/// Loads the pictures of pages that have come, ahead of need: of each page the first picture before the rest.
@MainActor
public final class FeedPictures {
    private let prefetcher: ImagePrefetcher
    private let request: @MainActor (Photo) -> ImageRequest
    private var tasks: [Task<Void, Never>] = []

    /// - Parameter request: what a row shows of a photo.
    public init(prefetcher: ImagePrefetcher, request: @escaping @MainActor (Photo) -> ImageRequest) {
        self.prefetcher = prefetcher
        self.request = request
    }

    deinit { for task in tasks { task.cancel() } }

    func came(_ photos: [Photo], isFirstPage: Bool) {
        if isFirstPage { stop() }
        let requests = photos.map(request)
        // One that fails is shown as such by its row.
        tasks.append(Task { [prefetcher] in _ = try? await prefetcher.loadFirst(of: requests) })
    }

    private func stop() {
        for task in tasks { task.cancel() }
        tasks = []
        prefetcher.stop()
    }
}
