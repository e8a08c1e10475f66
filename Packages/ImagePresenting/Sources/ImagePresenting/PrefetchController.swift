public import ImageCore
public import ImageLoading

/// Prefetches the images that a scrolling list is about to show, and cancels those on the far side after a reversal.
///
/// `PrefetchOptions` say how far ahead, and the `ImagePrefetcher` how many load concurrently.
@MainActor
public final class PrefetchController {
    private let prefetcher: ImagePrefetcher
    private let request: @MainActor (Int) -> ImageRequest?
    private var window: PrefetchWindow
    /// The requests that were started, and their keys then. The list may return a different request for an index later, and
    /// the loader another key.
    private var started: [Int: (request: ImageRequest, key: RequestKey)] = [:]
    /// The number of items for each request.
    private var uses: [RequestKey: Int] = [:]

    /// Creates a controller for one list.
    ///
    /// - Parameters:
    ///   - prefetcher: Loads the images ahead.
    ///   - options: How far to look ahead.
    ///   - request: Returns the request for the item at an index, or nil if it shows no image. Only called in `update`.
    public init(
        prefetcher: ImagePrefetcher, options: PrefetchOptions = PrefetchOptions(),
        request: @escaping @MainActor (Int) -> ImageRequest?
    ) {
        self.prefetcher = prefetcher
        self.request = request
        window = PrefetchWindow(options: options)
    }

    /// The items that are loaded or loading: the visible ones, and those ahead.
    var items: Range<Int> { window.items }

    /// Reports which items are visible.
    ///
    /// - Parameters:
    ///   - visible: The visible items. An empty range cancels everything.
    ///   - count: The number of items in the list.
    ///   - time: The time since any fixed moment. It must not decrease.
    public func update(visible: Range<Int>, of count: Int, at time: Duration) {
        let change = window.update(visible: visible, of: count, at: time)
        stop(change.cancels)
        let loads = change.loads.compactMap { index in request(index).map { (index, $0) } }
        for (index, request) in loads {
            let key = prefetcher.key(of: request)
            started[index] = (request, key)
            uses[key, default: 0] += 1
        }
        prefetcher.start(loads.map(\.1))
    }

    /// Cancels everything. Call it when the items of the list have changed.
    public func reset() { stop(window.reset()) }

    /// Cancels the requests of these items. If several items show the same image, its request continues while one of
    /// them is in the window.
    private func stop(_ indices: [Int]) {
        let unused = indices.compactMap { started.removeValue(forKey: $0) }.filter { _, key in
            guard let count = uses.removeValue(forKey: key), count > 1 else { return true }
            uses[key] = count - 1
            return false
        }
        // If all requests are finished, there is nothing to cancel.
        if prefetcher.count > 0 { prefetcher.stop(unused.map(\.request)) }
    }
}
