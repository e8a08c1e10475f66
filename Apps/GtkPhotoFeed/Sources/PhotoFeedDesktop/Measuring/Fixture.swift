internal import GtkImageUI
internal import ImageLoading
internal import ImagePresenting
internal import PhotoFeedModel

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A window on a feed of its own, with an origin that behaves as it is told: for screenshots and measurements.
final class Fixture {
    let origin: OriginProcess
    let loading: FeedLoading
    let model: PhotoFeedModel
    let window: FeedWindow
    private let folder: URL?

    /// - Parameters:
    ///   - options: FeedServer's.
    ///   - folder: the cache's, which stays; nil takes one that goes with the fixture.
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
        guard let model = loading.model(of: origin.address) else { throw PhotoFeedApp.Failure.noFeed(origin.address) }
        self.model = model
        window = FeedWindow(model, loading: loading)
    }

    static func temporaryFolder() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "photo-feed-\(UUID().uuidString)")
    }

    /// Closes everything and removes what was stored. The origin goes on if it was given.
    func close() {
        window.close()
        loading.loader.invalidate()
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// The cells on the screen.
    var cells: [PhotoCell] { window.list.onScreen.map(\.cell) }

    /// Runs the program until a condition holds; false when that takes longer than a minute.
    @discardableResult
    func waits(_ isDone: () -> Bool) -> Bool { GtkMainLoop.run(upTo: 60, until: isDone) }

    /// Runs the program for so long.
    func runs(for duration: Duration) {
        let end = monotonicTime() + duration
        _ = GtkMainLoop.run(upTo: 60) { monotonicTime() >= end }
    }

    /// Whether each cell on the screen shows its image, and nothing fades any more.
    var isSettled: Bool {
        !cells.isEmpty
            && cells.allSatisfy { $0.image.view.face == .image && !$0.image.view.isCrossfading }
    }

    /// What the list and its cells are doing.
    var description: String {
        "\(model.photos.count) photos, \(model.viewState), \(model.paginationState); "
            + cells.map { "\($0.image.appearance.phase)" }.joined(separator: ", ")
    }
}
