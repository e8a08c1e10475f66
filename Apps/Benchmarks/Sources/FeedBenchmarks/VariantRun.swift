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
    /// The time from the list of photos until the picture of the screen.
    private static let pictureTime = Duration.seconds(2)
    private static let cell = ImageTarget.fill(width: 300, height: 300)

    /// Counts the bytes of downloads.
    private final class Downloads: ImageLoaderObserver {
        let bytes = Mutex(0)

        func handle(_ event: ImageLoadEvent) {
            if case .downloadFinished(let count) = event.kind { bytes.withLock { $0 += count } }
        }
    }

    /// Loads photos, writes a picture of the screen, and prints the time and bytes as a line of JSON.
    ///
    /// - Parameters:
    ///   - feed: The URL of the list of photos.
    ///   - cache: The folder of the disk cache, without entries. The picture is the same path with `.png`.
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
        let shown = Screen(placeholders: photos.prefix(screen).map { $0.thumbHash?.image.bitmap })
        let placeholders = ContinuousClock.now - start
        async let picture: Void = draw(shown, at: start + pictureTime, to: cache + ".png")
        async let rest: Void = load(photos.dropFirst(screen), .low, loader) { _, _ in }
        try await load(photos.prefix(screen), .high, loader, show: shown.show)
        let screenTime = ContinuousClock.now - start
        _ = try await (rest, picture)
        let run = VariantRun(
            variants: usesVariants, images: photos.count, bytes: downloads.bytes.withLock { $0 } - before,
            placeholderSeconds: placeholders / .seconds(1), screenSeconds: screenTime / .seconds(1),
            seconds: (ContinuousClock.now - start) / .seconds(1))
        print(String(decoding: try JSONEncoder().encode(run), as: UTF8.self))
    }

    private static func draw(_ screen: Screen, at moment: ContinuousClock.Instant, to path: String) async throws {
        try await ContinuousClock().sleep(until: moment)
        try screen.picture().write(to: URL(filePath: path))
    }

    private static func load(
        _ photos: ArraySlice<Photo>, _ priority: RequestPriority, _ loader: ImageLoader,
        show: @escaping @Sendable (Bitmap, Int) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, photo) in photos.enumerated() {
                group.addTask {
                    let request = ImageRequest(url: photo.url, target: cell, priority: priority)
                    show(try await loader.image(for: request).bitmap, number)
                }
            }
            try await group.waitForAll()
        }
    }
}
