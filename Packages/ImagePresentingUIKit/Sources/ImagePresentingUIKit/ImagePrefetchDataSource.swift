#if canImport(UIKit)
    public import ImageCore
    public import ImageLoading
    import ImagePresenting
    public import UIKit

    /// Loads ahead what a collection view announces, and gives up what it takes back. A collection view holds its prefetch data source
    /// weakly: keep it.
    @MainActor
    public final class ImagePrefetchDataSource: NSObject, UICollectionViewDataSourcePrefetching {
        private let prefetches: AnnouncedPrefetches<IndexPath>

        /// - Parameter request: what the item shows; nil for nothing.
        public init(prefetcher: ImagePrefetcher, request: @escaping @MainActor (IndexPath) -> ImageRequest?) {
            prefetches = AnnouncedPrefetches(prefetcher: prefetcher, request: request)
        }

        public func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath]) {
            prefetches.announced(indexPaths)
        }

        public func collectionView(
            _ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath]
        ) {
            prefetches.takenBack(indexPaths)
        }
    }
#endif
