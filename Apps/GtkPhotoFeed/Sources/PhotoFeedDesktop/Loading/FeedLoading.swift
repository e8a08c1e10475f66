internal import GtkImageUI
internal import ImageCore
internal import ImageDecoding
public import ImageLoading
internal import ImageLoadingDefaults
internal import ImagePresenting
internal import PhotoFeedModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What the feed loads its pictures with.
public struct FeedLoading {
    public let loader: ImageLoader
    /// Bytes that the pictures in memory may have.
    public let memoryByteLimit: Int
    /// False decodes pictures as large as they are stored, to show what that costs.
    public var fitsPicturesToCells = true
    let downloads = DownloadCount()
    let thumbnailSize = ThumbnailSize()
    /// What is done with each picture after decoding.
    private static let processors: [any ImageProcessor] = [PackedPixels()]
    /// For animations; keeps no idle memory beside the loader's.
    private let decoder = ImageDecoders.makeDecoder(idleByteLimit: 0)

    /// - Parameters:
    ///   - cacheFolder: where originals are kept.
    ///   - retries: how often a failed transfer is tried again.
    public init(cacheFolder: URL, memoryByteLimit: Int = 64_000_000, retries: Int = 2) {
        var defaults = ImageLoaderDefaults(cacheFolder: cacheFolder)
        defaults.memoryByteLimit = memoryByteLimit
        defaults.retries = retries
        defaults.observer = downloads
        self.memoryByteLimit = memoryByteLimit
        loader = defaults.makeLoader()
    }

    /// The feed of an origin, `http://host:port`; nil when that is no URL.
    func model(of origin: String) -> PhotoFeedModel? {
        guard let list = URL(string: origin)?.appending(path: "photos") else { return nil }
        let pictures = FeedPictures(prefetcher: ImagePrefetcher(loader: loader)) { [self] photo in
            thumbnail(of: photo, thumbnailSize.pixels)
        }
        var options = PhotoFeedModel.Options()
        // A screen and a half of the grid.
        options.distance = 30
        return PhotoFeedModel(
            service: HTTPPhotoService(list: list, loader: loader), pictures: pictures, options: options)
    }

    func thumbnail(of photo: Photo, _ size: PixelSize) -> ImageRequest {
        ImageRequest(
            url: photo.thumbnailUrl, target: fitsPicturesToCells ? ImageTarget(size, mode: .fill) : nil,
            processors: Self.processors, priority: .high)
    }

    /// The whole picture, over its thumbnail until it has come.
    func full(_ photo: Photo, _ size: PixelSize) -> ImageRequest {
        let target = ImageTarget(size, mode: .fit)
        var request = ImageRequest(
            url: photo.url, target: target, processors: Self.processors, priority: .veryHigh)
        request.isProgressive = true
        request.lowQuality = [ImageRequest(url: photo.thumbnailUrl, target: target, processors: Self.processors)]
        return request
    }

    /// The frames of an animated picture, from its original on disk.
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
