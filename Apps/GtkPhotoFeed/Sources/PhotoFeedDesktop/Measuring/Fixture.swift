internal import GtkImageUI
internal import ImageLoading
internal import ImagePresenting
internal import PhotoFeedModel

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A feed window with its own server process and caches, for screenshots, measurements and tests.
final class Fixture {
    let origin: OriginProcess
    let loading: FeedLoading
    let model: PhotoFeedModel
    let window: FeedWindow
    private let folder: URL?

    /// Creates the window without opening it.
    ///
    /// - Parameters:
    ///   - options: The options of FeedServer.
    ///   - running: A running server, or `nil` to start one.
    ///   - cacheDirectory: The folder of the disk cache, which is not removed, or `nil` for a temporary folder.
    ///   - memoryByteLimit: The maximum size of the images in memory, in bytes.
    ///   - fitsImagesToCells: Whether images are decoded at the size of their cells.
    init(
        _ options: [String], origin running: OriginProcess? = nil, cacheDirectory: URL? = nil,
        memoryByteLimit: Int = 64_000_000,
        fitsImagesToCells: Bool = true
    ) throws {
        origin = try running ?? OriginProcess(OriginProcess.program, options: options)
        let own = cacheDirectory == nil ? Self.temporaryFolder() : nil
        folder = own
        var loading = FeedLoading(
            cacheDirectory: cacheDirectory ?? own ?? Self.temporaryFolder(), memoryByteLimit: memoryByteLimit,
            retries: 0)
        loading.fitsImagesToCells = fitsImagesToCells
        self.loading = loading
        guard let model = loading.model(of: origin.address) else {
            throw PhotoFeedApp.Failure.invalidFeed(origin.address)
        }
        self.model = model
        window = FeedWindow(model, loading: loading)
    }

    static func temporaryFolder() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "photo-feed-\(UUID().uuidString)")
    }

    /// Closes the window and removes the temporary folder. Doesn't stop the server.
    func close() {
        window.close()
        loading.loader.invalidate()
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// The cells on the screen.
    var cells: [PhotoCell] { window.list.onScreen.map(\.cell) }

    /// Runs the main loop until a condition is true. Returns false after a minute.
    @discardableResult
    func waitUntil(_ isDone: () -> Bool) -> Bool { GtkMainLoop.run(upTo: 60, until: isDone) }

    /// Runs the main loop for a duration.
    func run(for duration: Duration) {
        let end = monotonicTime() + duration
        _ = GtkMainLoop.run(upTo: 60) { monotonicTime() >= end }
    }

    /// Whether each cell on the screen shows its image, without a crossfade in progress.
    var isSettled: Bool {
        !cells.isEmpty
            && cells.allSatisfy { $0.image.appearance.kind == .final && !$0.image.view.isCrossfading }
    }

    /// The states of the list and its cells, for error messages.
    var description: String {
        "\(model.photos.count) photos, \(model.viewState), \(model.paginationState); "
            + cells.map { "\($0.image.appearance.phase)" }.joined(separator: ", ")
    }
}
