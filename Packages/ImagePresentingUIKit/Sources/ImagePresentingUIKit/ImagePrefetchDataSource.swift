#if canImport(UIKit) && !os(watchOS)
    public import ImageCore
    public import ImageLoading
    import ImagePresenting
    public import UIKit

    /// Prefetches the images of a collection view or a table view.
    ///
    /// The views hold their prefetch data source weakly, so keep a reference.
    @MainActor
    public final class ImagePrefetchDataSource: NSObject, UICollectionViewDataSourcePrefetching,
        UITableViewDataSourcePrefetching
    {
        private let prefetches: PendingPrefetches<IndexPath>

        /// Creates a data source for one collection view or table view.
        ///
        /// - Parameters:
        ///   - prefetcher: Loads the images ahead.
        ///   - request: Returns the request for an item, or nil if it shows no image. Give it the target that the cell
        ///     will have.
        public init(prefetcher: ImagePrefetcher, request: @escaping @MainActor (IndexPath) -> ImageRequest?) {
            prefetches = PendingPrefetches(prefetcher: prefetcher, request: request)
        }

        /// Starts to load the images of these items.
        public func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath]) {
            prefetches.start(indexPaths)
        }

        /// Cancels the requests of these items.
        public func collectionView(
            _ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath]
        ) {
            prefetches.cancel(indexPaths)
        }

        /// Starts to load the images of these rows.
        public func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath]) {
            prefetches.start(indexPaths)
        }

        /// Cancels the requests of these rows.
        public func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath]) {
            prefetches.cancel(indexPaths)
        }
    }
#endif
