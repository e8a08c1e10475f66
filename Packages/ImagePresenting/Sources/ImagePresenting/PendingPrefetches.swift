package import ImageCore
package import ImageLoading

/// Prefetches for toolkits that report which items of a list they are about to show, and cancel some of them.
@MainActor
package final class PendingPrefetches<Item: Hashable> {
    private let prefetcher: ImagePrefetcher
    private let request: @MainActor (Item) -> ImageRequest?
    /// The requests that were started. The list may return a different request for an item later.
    private var started: [Item: ImageRequest] = [:]

    /// - Parameter request: Returns the request for an item, or nil if it shows no image.
    package init(prefetcher: ImagePrefetcher, request: @escaping @MainActor (Item) -> ImageRequest?) {
        self.prefetcher = prefetcher
        self.request = request
    }

    /// Starts to load the images of these items.
    package func start(_ items: [Item]) {
        // Not all items are cancelled. When the prefetcher is idle, no requests need to be remembered.
        if prefetcher.count == 0 { started = [:] }
        let loads = items.compactMap { item in request(item).map { (item, $0) } }
        for (item, request) in loads { started[item] = request }
        prefetcher.start(loads.map(\.1))
    }

    /// Cancels the requests of these items, if they are not finished.
    package func cancel(_ items: [Item]) {
        prefetcher.stop(items.compactMap { started.removeValue(forKey: $0) })
    }
}
