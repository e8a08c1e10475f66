internal import GtkImageUI
internal import ImageCore
internal import ImageDecoding
internal import ImageLoaderKit
public import ImageLoading
internal import ImagePresenting
internal import ImageThumbHash
internal import PhotoFeedModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The image loader of the feed and its settings.
public struct FeedLoading {
    /// The loader.
    public let loader: ImageLoader
    /// The maximum size of the images in memory, in bytes.
    public let memoryByteLimit: Int
    /// Whether images are decoded at the size of their cells. If false, they are decoded at full size, for benchmarks.
    public var fitsImagesToCells = true
    let downloads = DownloadMonitor()
    let thumbnailSize = ThumbnailSize()
    /// The processors of each image.
    private static let processors: [any ImageProcessor] = [PackedPixels()]
    /// The decoder of animations. It keeps no idle memory, unlike that of the loader.
    private let decoder = ImageDecoders.makeDecoder(idleByteLimit: 0)

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - cacheDirectory: The folder of the disk cache.
    ///   - memoryByteLimit: The maximum size of the images in memory, in bytes.
    ///   - retries: The maximum number of retries of a failed transfer.
    public init(cacheDirectory: URL, memoryByteLimit: Int = 64_000_000, retries: Int = 2) {
        var defaults = ImageLoaderOptions(cacheDirectory: cacheDirectory)
        defaults.memoryByteLimit = memoryByteLimit
        defaults.retryPolicy.retries = retries
        defaults.observer = downloads
        self.memoryByteLimit = memoryByteLimit
        loader = defaults.makeLoader()
    }

    /// Returns the model of the feed at an origin, such as `http://host:port`. Returns nil if the origin is not a URL.
    func model(of origin: String) -> PhotoFeedModel? {
        guard let list = URL(string: origin)?.appending(path: "photos") else { return nil }
        let images = FeedImages(prefetcher: ImagePrefetcher(loader: loader)) { [self] photo in
            thumbnail(of: photo, thumbnailSize.pixels)
        }
        var options = PhotoFeedModel.Options()
        // The rows of one and a half screens of the grid.
        options.fetchDistance = 30
        return PhotoFeedModel(
            service: HTTPPhotoService(list: list, loader: loader), images: images, options: options)
    }

    func thumbnail(of photo: Photo, _ size: PixelSize) -> ImageRequest {
        var request = ImageRequest(
            url: photo.thumbnailUrl, target: fitsImagesToCells ? ImageTarget(size, mode: .fill) : nil,
            processors: Self.processors, priority: .high)
        if let thumbHash = photo.thumbHash { request.options.setPlaceholder(thumbHash) }
        return request
    }

    /// Returns the request for the full image, with the thumbnail as a preview.
    func full(_ photo: Photo, _ size: PixelSize) -> ImageRequest {
        let target = ImageTarget(size, mode: .fit)
        var request = ImageRequest(
            url: photo.url, target: target, processors: Self.processors, priority: .veryHigh)
        request.isProgressive = true
        request.lowQuality = [ImageRequest(url: photo.thumbnailUrl, target: target, processors: Self.processors)]
        return request
    }

    /// Loads the frames of an animated image from its original in the disk cache.
    func frames(of request: ImageRequest) async -> (any AnimationFrames)? {
        do {
            let original = try await loader.data(for: request).data
            return try decoder.animatedImage(from: original, target: request.target, byteLimit: 4 << 20)
        } catch {
            // The cell continues to show the first frame.
            return nil
        }
    }
}
