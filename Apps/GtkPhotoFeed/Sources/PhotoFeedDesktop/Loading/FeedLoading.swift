internal import GtkImageUI
internal import ImageCore
internal import ImageDecoding
internal import ImageLoaderKit
public import ImageLoading
internal import ImagePresenting
internal import PhotoFeedModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What the feed loads its images with.
public struct FeedLoading {
    public let loader: ImageLoader
    /// Bytes that the images in memory may have.
    public let memoryByteLimit: Int
    /// False decodes images as large as they are stored, to show what that costs.
    public var fitsImagesToCells = true
    let downloads = DownloadCount()
    let thumbnailSize = ThumbnailSize()
    /// What is done with each image after decoding.
    private static let processors: [any ImageProcessor] = [PackedPixels()]
    /// For animations; keeps no idle memory beside the loader's.
    private let decoder = ImageDecoders.makeDecoder(idleByteLimit: 0)

    /// - Parameters:
    ///   - cacheDirectory: where originals are kept.
    ///   - retries: how often a failed transfer is tried again.
    public init(cacheDirectory: URL, memoryByteLimit: Int = 64_000_000, retries: Int = 2) {
        var defaults = ImageLoaderOptions(cacheDirectory: cacheDirectory)
        defaults.memoryByteLimit = memoryByteLimit
        defaults.retries = retries
        defaults.observer = downloads
        self.memoryByteLimit = memoryByteLimit
        loader = defaults.makeLoader()
    }

    /// The feed of an origin, `http://host:port`; nil when that is no URL.
    func model(of origin: String) -> PhotoFeedModel? {
        guard let list = URL(string: origin)?.appending(path: "photos") else { return nil }
        let images = FeedImages(prefetcher: ImagePrefetcher(loader: loader)) { [self] photo in
            thumbnail(of: photo, thumbnailSize.pixels)
        }
        var options = PhotoFeedModel.Options()
        // A screen and a half of the grid.
        options.distance = 30
        return PhotoFeedModel(
            service: HTTPPhotoService(list: list, loader: loader), images: images, options: options)
    }

    func thumbnail(of photo: Photo, _ size: PixelSize) -> ImageRequest {
        ImageRequest(
            url: photo.thumbnailUrl, target: fitsImagesToCells ? ImageTarget(size, mode: .fill) : nil,
            processors: Self.processors, priority: .high)
    }

    /// The whole image, over its thumbnail until it has come.
    func full(_ photo: Photo, _ size: PixelSize) -> ImageRequest {
        let target = ImageTarget(size, mode: .fit)
        var request = ImageRequest(
            url: photo.url, target: target, processors: Self.processors, priority: .veryHigh)
        request.isProgressive = true
        request.lowQuality = [ImageRequest(url: photo.thumbnailUrl, target: target, processors: Self.processors)]
        return request
    }

    /// The frames of an animated image, from its original on disk.
    func frames(of request: ImageRequest) async -> (any AnimationFrames)? {
        do {
            let original = try await loader.data(for: request).data
            return try decoder.animatedImage(from: original, target: request.target, byteLimit: 4 << 20)
        } catch {
            // Its first frame is shown, and stays.
            return nil
        }
    }
}
