internal import ImageCore
internal import ImageLoaderKit
internal import ImageLoading
internal import ImageThumbHash
internal import PhotoFeedModel
internal import Synchronization

/// The bytes and the time of the photos of a feed, as they are or as variants.
struct VariantRun: Encodable {
    var variants: Bool
    var images: Int
    var bytes: Int
    /// The time from the list of photos until each cell of the first screen shows the placeholder of the list.
    var placeholderSeconds: Double
    /// The time from the list of photos until the first screen is complete.
    var screenSeconds: Double
    var seconds: Double

    /// The number of photos of the first screen.
    private static let screen = 12
    private static let cell = ImageTarget.fill(width: 300, height: 300)

    /// Counts the bytes of downloads.
    private final class Downloads: ImageLoaderObserver {
        let bytes = Mutex(0)

        func handle(_ event: ImageLoadEvent) {
            if case .downloadFinished(let count) = event.kind { bytes.withLock { $0 += count } }
        }
    }

    /// Loads photos, and prints the time and bytes as a line of JSON.
    ///
    /// - Parameters:
    ///   - feed: The URL of the list of photos.
    ///   - cache: The folder of the disk cache, without entries.
    static func measure(_ feed: String, _ cache: String, usesVariants: Bool) async throws {
        guard let list = URL(string: feed) else { throw FeedRun.Failure.invalidURL }
        let downloads = Downloads()
        let loader = ImageLoader(cacheDirectory: URL(filePath: cache)) { options in
            options.observer = downloads
            // The server draws images, which takes long at first.
            options.transferOptions = TransferOptions(connectTimeout: .seconds(600), stallTimeout: .seconds(600))
            if usesVariants { options.variants = .demo }
        }
        let data = try await loader.data(for: ImageRequest(url: list)).data
        let photos = try JSONDecoder().decode([Photo].self, from: data)
        let before = downloads.bytes.withLock { $0 }
        let start = ContinuousClock.now
        for photo in photos.prefix(screen) { _ = photo.thumbHash?.image }
        let placeholders = ContinuousClock.now - start
        async let rest: Void = load(photos.dropFirst(screen), .low, loader)
        try await load(photos.prefix(screen), .high, loader)
        let screenTime = ContinuousClock.now - start
        try await rest
        let run = VariantRun(
            variants: usesVariants, images: photos.count, bytes: downloads.bytes.withLock { $0 } - before,
            placeholderSeconds: placeholders / .seconds(1), screenSeconds: screenTime / .seconds(1),
            seconds: (ContinuousClock.now - start) / .seconds(1))
        print(String(decoding: try JSONEncoder().encode(run), as: UTF8.self))
    }

    private static func load(_ photos: ArraySlice<Photo>, _ priority: RequestPriority, _ loader: ImageLoader)
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for photo in photos {
                group.addTask {
                    _ = try await loader.image(for: ImageRequest(url: photo.url, target: cell, priority: priority))
                }
            }
            try await group.waitForAll()
        }
    }
}
