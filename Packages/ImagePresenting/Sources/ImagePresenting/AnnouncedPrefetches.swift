public import ImageCore
public import ImageLoading

/// For toolkits that announce by themselves which items of a list they are about to show, and take some of them back.
@MainActor
public final class AnnouncedPrefetches<Item: Hashable> {
    private let prefetcher: ImagePrefetcher
    private let request: @MainActor (Item) -> ImageRequest?
    /// What was started, as it was then: the list may say something else of an item later.
    private var started: [Item: ImageRequest] = [:]

    /// - Parameter request: what the item shows; nil for nothing. Called when it is announced.
    public init(prefetcher: ImagePrefetcher, request: @escaping @MainActor (Item) -> ImageRequest?) {
        self.prefetcher = prefetcher
        self.request = request
    }

    /// Loads these ahead.
    public func announced(_ items: [Item]) {
        // Not all are taken back: once everything has come, nothing is left to be remembered.
        if prefetcher.count == 0 { started = [:] }
        let loads = items.compactMap { item in request(item).map { (item, $0) } }
        for (item, request) in loads { started[item] = request }
        prefetcher.start(loads.map(\.1))
    }

    /// Gives these up, as far as they have not come.
    public func takenBack(_ items: [Item]) {
        prefetcher.stop(items.compactMap { started.removeValue(forKey: $0) })
    }
}
