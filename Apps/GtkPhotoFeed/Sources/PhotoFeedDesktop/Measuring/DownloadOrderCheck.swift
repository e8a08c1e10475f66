internal import GtkImageUI
internal import ImagePresenting
internal import PhotoFeedModel

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Checks after each frame that no download for a cell off the screen starts before a queued download for a cell on the
/// screen.
final class DownloadOrderCheck {
    /// The number of queued images that a cell on the screen waited for.
    private(set) var waitCount = 0
    /// The number of downloads for cells off the screen that started while a cell on the screen waited.
    private(set) var overtakenCount = 0
    private var previousWaiting: Set<URL> = []
    private var previousVisible: Set<URL> = []

    func check(_ window: FeedWindow) {
        let snapshot = window.loading.downloads.takeSnapshot()
        let visible = Set(window.list.onScreen.compactMap(\.cell.photo?.thumbnailUrl))
        let waiting = visible.intersection(snapshot.waiting)
        waitCount += waiting.subtracting(previousWaiting).count
        // A download that was queued in both frames was also queued when each of these downloads started. Ignores
        // pages.
        if !waiting.isDisjoint(with: previousWaiting) {
            overtakenCount += snapshot.started.count {
                !visible.contains($0) && !previousVisible.contains($0) && $0.lastPathComponent != "photos"
            }
        }
        (previousWaiting, previousVisible) = (waiting, visible)
    }
}
