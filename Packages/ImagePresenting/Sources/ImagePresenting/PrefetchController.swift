public import ImageCore
public import ImageLoading

/// Loads what a scrolled list is about to show, and gives up what it has turned away from: a `PrefetchWindow` with its prefetcher.
///
/// At most `PrefetchWindow.Rules.maximumAhead` items beside the visible ones are on their way, and the prefetcher's own limit at once.
@MainActor
public final class PrefetchController {
    private let prefetcher: ImagePrefetcher
    private let request: @MainActor (Int) -> ImageRequest?
    private var window: PrefetchWindow
    /// What was started, as it was then: the list may say something else of an index later.
    private var started: [Int: ImageRequest] = [:]
    /// How many of them are of each image.
    private var uses: [ImageRequest: Int] = [:]

    /// - Parameter request: what the item at an index shows; nil for nothing. Called in `update` alone.
    public init(
        prefetcher: ImagePrefetcher, rules: PrefetchWindow.Rules = PrefetchWindow.Rules(),
        request: @escaping @MainActor (Int) -> ImageRequest?
    ) {
        self.prefetcher = prefetcher
        self.request = request
        window = PrefetchWindow(rules: rules)
    }

    /// The items that are loaded or loading: those visible, and those ahead.
    public var items: Range<Int> { window.items }

    /// Tells what is visible now.
    ///
    /// - Parameters:
    ///   - visible: the items on the screen; none stops everything.
    ///   - count: how many items the list has.
    ///   - time: since whatever moment, the same for all updates; never less than in the update before.
    public func update(visible: Range<Int>, of count: Int, at time: Duration) {
        let change = window.update(visible: visible, of: count, at: time)
        stop(change.cancels)
        let loads = change.loads.compactMap { index in request(index).map { (index, $0) } }
        for (index, request) in loads {
            started[index] = request
            uses[request, default: 0] += 1
        }
        prefetcher.start(loads.map(\.1))
    }

    /// Stops everything and forgets the list, when its items have become others.
    public func reset() { stop(window.reset()) }

    /// Two items may show the same image: it goes on while one of them is wanted.
    private func stop(_ indices: [Int]) {
        let unused = indices.compactMap { started.removeValue(forKey: $0) }.filter { request in
            guard let count = uses.removeValue(forKey: request), count > 1 else { return true }
            uses[request] = count - 1
            return false
        }
        // Nothing is left to be stopped where everything has come.
        if prefetcher.count > 0 { prefetcher.stop(unused) }
    }
}
