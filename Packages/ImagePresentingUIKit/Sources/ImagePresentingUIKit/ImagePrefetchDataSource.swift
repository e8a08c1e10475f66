#if canImport(UIKit)
    public import ImageCore
    public import ImageLoading
    public import UIKit

    /// Loads ahead what a collection view announces, and gives up what it takes back. A collection view holds its prefetch data source
    /// weakly: keep it.
    @MainActor
    public final class ImagePrefetchDataSource: NSObject, UICollectionViewDataSourcePrefetching {
        private let prefetcher: ImagePrefetcher
        private let request: @MainActor (IndexPath) -> ImageRequest?

        /// - Parameter request: what the item shows; nil for nothing.
        public init(prefetcher: ImagePrefetcher, request: @escaping @MainActor (IndexPath) -> ImageRequest?) {
            self.prefetcher = prefetcher
            self.request = request
            super.init()
        }

        public func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath]) {
            prefetcher.start(indexPaths.compactMap(request))
        }

        public func collectionView(
            _ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath]
        ) {
            prefetcher.stop(indexPaths.compactMap(request))
        }
    }
#endif
