internal import FeedOrigin
internal import ImageLoading
internal import ImagePresenting
internal import ImagePresentingGTK
internal import PhotoFeedModel

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A feed window with its own server and caches, for screenshots and tests. It ignores the machine's memory pressure.
final class Fixture {
    let origin: DemoOrigin
    let loading: FeedLoading
    let model: PhotoFeedModel
    let window: FeedWindow
    private let folder: URL?

    /// Creates the window without opening it.
    ///
    /// - Parameters:
    ///   - origin: The server.
    ///   - cacheDirectory: The folder of the disk cache, which is not removed, or `nil` for a temporary folder.
    ///   - memoryByteLimit: The maximum size of the images in memory, in bytes.
    init(_ origin: DemoOrigin, cacheDirectory: URL? = nil, memoryByteLimit: Int = 64_000_000) throws {
        self.origin = origin
        let own = cacheDirectory == nil ? Self.temporaryFolder() : nil
        folder = own
        loading = FeedLoading(
            cacheDirectory: cacheDirectory ?? own ?? Self.temporaryFolder(), memoryByteLimit: memoryByteLimit,
            observesMemory: false, retries: 0)
        guard let model = loading.model(of: origin.address) else {
            throw PhotoFeedApp.Failure.invalidFeed(origin.address)
        }
        self.model = model
        window = FeedWindow(model, loading: loading)
    }

    static func temporaryFolder() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "photo-feed-\(UUID().uuidString)")
    }

    /// Closes the window, stops the server and removes the temporary folder.
    func close() {
        window.close()
        origin.stop()
        loading.loader.shutDown()
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// The cells on the screen.
    var cells: [PhotoCell] { window.list.onScreen.map(\.cell) }

    /// Runs the main loop until a condition is true. Returns false after five minutes.
    @discardableResult
    func waitUntil(_ isDone: () -> Bool) -> Bool { GtkMainLoop.run(upTo: .seconds(300), until: isDone) }

    /// Runs the main loop for a duration.
    func run(for duration: Duration) {
        let end = ContinuousClock.now + duration
        _ = GtkMainLoop.run(upTo: .seconds(60)) { ContinuousClock.now >= end }
    }

    /// Whether the list is laid out, and each cell on the screen shows its image without a crossfade in progress. If a
    /// photo is open, whether it is shown so.
    var isSettled: Bool {
        if window.viewer.position != nil {
            return window.viewer.image.appearance.kind == .final && !window.viewer.image.isCrossfading
        }
        return isFeedSettled
    }

    private var isFeedSettled: Bool {
        isLaidOut && cells.allSatisfy { $0.image.appearance.kind == .final && !$0.image.isCrossfading }
    }

    /// Whether the rows reach the end of the screen or of the list. New rows are on the screen only after a layout.
    private var isLaidOut: Bool {
        guard let last = window.list.onScreen.last else { return false }
        return last.position == window.list.count - 1 || window.list.offset < window.list.largestOffset
    }
}
