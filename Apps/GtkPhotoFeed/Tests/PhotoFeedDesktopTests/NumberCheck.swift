import FeedOrigin
import ImagePresenting
import PhotoFeedModel

@testable import ImagePresentingGTK
@testable import PhotoFeedDesktop

/// Checks that each cell on the screen shows the image that it is bound to. Reads the numbers that FeedServer draws on
/// images from what GTK draws.
@MainActor final class NumberCheck {
    /// The ids of the photos whose images were read.
    private(set) var ids: Set<Int> = []
    /// The number of cells that showed a wrong image or none with a number, or were bound to a wrong photo.
    private(set) var wrongCount = 0
    private var lastChecked: [ObjectIdentifier: ShownImage] = [:]

    /// The image of a cell at the last check. It is not read again if it hasn't changed.
    private struct ShownImage: Hashable {
        var identity: UInt
        var number: UInt64
        var id: Int
    }

    func check(_ window: FeedWindow) {
        for (position, cell) in window.list.onScreen {
            if cell.photo?.id != window.model.photo(at: position)?.id { wrongCount += 1 }
            // Placeholders have no number.
            guard cell.image.appearance.kind == .final, let id = cell.photo?.id,
                let identity = cell.image.view.shownImageID
            else { continue }
            let shown = ShownImage(identity: identity, number: cell.image.appearance.imageVersion, id: id)
            if lastChecked.updateValue(shown, forKey: ObjectIdentifier(cell)) != shown { read(cell, id) }
        }
    }

    private func read(_ cell: PhotoCell, _ id: Int) {
        guard let bitmap = cell.image.view.shownBitmap else { return }
        ids.insert(id)
        if NumberMark.number(in: bitmap) != id % NumberMark.limit { wrongCount += 1 }
    }
}
