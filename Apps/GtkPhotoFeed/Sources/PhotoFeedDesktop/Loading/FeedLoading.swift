internal import ImageCore
internal import ImageLoaderKit
internal import ImageLoading
internal import ImagePresenting
internal import ImagePresentingGTK
internal import ImageThumbHash
internal import PhotoFeedModel

/// The image loader of the feed and its settings.
struct FeedLoading {
    let loader: ImageLoader
    /// The maximum size of the images in memory, in bytes.
    let memoryByteLimit: Int
    let downloads = DownloadMonitor()
    let thumbnailSize = ThumbnailSize()
    /// The color space of each image.
    private let color: OutputColor
    /// Whether cells show variants of the full images. The demo server makes them.
    private let usesVariants: Bool
    /// The processors of each image.
    private static let processors: [any ImageProcessor] = [PackedPixels()]

    /// - Parameters:
    ///   - observesMemory: Whether images leave memory under memory pressure.
    ///   - color: The color space of each image; nil for what GTK can show.
    ///   - usesVariants: Whether the demo server sends images in the size in which they are shown.
    ///   - isolates: Whether worker processes decode images, on Linux. The program must call `ImageWorker.runIfAsked`.
    init(
        cacheDirectory: URL, memoryByteLimit: Int = 64_000_000, observesMemory: Bool = true, retries: Int = 2,
        color: OutputColor? = nil, usesVariants: Bool = false, isolates: Bool = false
    ) {
        self.usesVariants = usesVariants
        self.color = color ?? (LoadingImageView.showsColorSpaces ? .automatic : .sRGB)
        var defaults = ImageLoaderOptions(cacheDirectory: cacheDirectory)
        defaults.memoryByteLimit = memoryByteLimit
        defaults.retryPolicy.maxRetries = retries
        defaults.observer = downloads
        if usesVariants { defaults.variants = .demo }
        #if os(Linux)
            if isolates { defaults.isolation = .workers(2) }
        #endif
        if !observesMemory { defaults.memoryPressureMonitor = nil }
        self.memoryByteLimit = memoryByteLimit
        loader = ImageLoader(defaults)
    }

    /// Returns the model of the feed at an origin, such as `http://host:port`. Returns nil if the origin is not a URL.
    func model(of origin: String) -> PhotoFeedModel? {
        guard let list = URL(string: origin)?.appending(path: "photos") else { return nil }
        let images = FeedImages(loader: loader) { [self] photo in
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
            url: usesVariants ? photo.url : photo.thumbnailUrl, target: ImageTarget(size, mode: .fill),
            processors: Self.processors, priority: .high)
        request.color = color
        if let thumbHash = photo.thumbHash { request.placeholder = .thumbHash(thumbHash) }
        return request
    }

    /// Returns the request for the image in its original size, which is not kept in memory.
    func original(_ photo: Photo) -> ImageRequest {
        var request = ImageRequest(url: photo.url, priority: .veryHigh, cachePolicy: .diskOnly)
        request.color = color
        return request
    }

    /// Returns the request for the full image, with the thumbnail as a preview.
    func full(_ photo: Photo, _ size: PixelSize) -> ImageRequest {
        let target = ImageTarget(size, mode: .fit)
        var request = ImageRequest(
            url: photo.url, target: target, processors: Self.processors, priority: .veryHigh)
        request.color = color
        request.isProgressive = true
        request.placeholder = photo.thumbHash.map { .thumbHash($0) }
        var lowQuality = ImageRequest(url: photo.thumbnailUrl, target: target, processors: Self.processors)
        lowQuality.color = color
        request.lowQuality = [lowQuality]
        return request
    }
}

/// The current size of the images in the feed's cells. Prefetched images must have this size to be used by the cells.
final class ThumbnailSize {
    /// The length of the sides, in points.
    var side = PhotoLayout.grid.side
    /// The number of pixels per point.
    var scale = 1

    var pixels: PixelSize { PixelSize(width: side * scale, height: side * scale) }
}
