internal import GtkImageUI
internal import ImagePresenting
internal import PhotoFeedModel

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Sees that no cell on the screen waits for one off it: looks, after each frame, at which downloads wait and which have begun.
final class TurnCheck {
    /// Images that a cell on the screen waited for, in the queue of downloads, from one frame to the next.
    private(set) var waitCount = 0
    /// Images for cells off the screen whose download began meanwhile.
    private(set) var overtakenCount = 0
    private var waitedBefore: Set<URL> = []
    private var seenBefore: Set<URL> = []

    func check(_ window: FeedWindow) {
        let turns = window.loading.downloads.takeTurns()
        let seen = Set(window.list.onScreen.compactMap(\.cell.photo?.thumbnailUrl))
        let waiting = seen.intersection(turns.waiting)
        waitCount += waiting.subtracting(waitedBefore).count
        // What waits since the last frame was there when each of these began. Pages are not images.
        if !waiting.isDisjoint(with: waitedBefore) {
            overtakenCount += turns.begun.count {
                !seen.contains($0) && !seenBefore.contains($0) && $0.lastPathComponent != "photos"
            }
        }
        (waitedBefore, seenBefore) = (waiting, seen)
    }
}
