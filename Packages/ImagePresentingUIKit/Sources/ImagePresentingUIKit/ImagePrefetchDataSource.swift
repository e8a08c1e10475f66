#if canImport(UIKit)
    public import ImageCore
    public import ImageLoading
    import ImagePresenting
    public import UIKit

    /// Prefetches the images of a collection view.
    ///
    /// A collection view holds its prefetch data source weakly, so keep a reference.
    @MainActor
    public final class ImagePrefetchDataSource: NSObject, UICollectionViewDataSourcePrefetching {
        private let prefetches: PendingPrefetches<IndexPath>

        /// - Parameter request: Returns the request for an item, or nil if it shows no image.
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
    }
#endif
