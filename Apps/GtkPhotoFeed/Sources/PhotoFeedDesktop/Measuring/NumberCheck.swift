internal import FeedOrigin
internal import GtkImageUI
internal import ImagePresenting
internal import PhotoFeedModel

/// Sees that each cell on the screen shows the image that it is bound to: reads the number that FeedServer has drawn into each from what
/// GTK draws.
final class NumberCheck {
    /// Images that were read.
    private(set) var readCount = 0
    /// Cells that showed another image than theirs, or were bound to another photo than the list has at their place.
    private(set) var wrongCount = 0
    /// Images in which no number was found.
    private(set) var unreadableCount = 0
    private var known: [ObjectIdentifier: Seen] = [:]

    /// What a cell showed when it was last looked at; there is no need to read the same again.
    private struct Seen: Hashable {
        var name: UInt
        var number: UInt64
        var id: Int
    }

    func check(_ window: FeedWindow) {
        for (position, cell) in window.list.onScreen {
            if cell.photo?.id != window.model.photo(at: position)?.id { wrongCount += 1 }
            guard let id = cell.photo?.id, let name = cell.image.view.shownName else { continue }
            let seen = Seen(name: name, number: cell.image.appearance.imageNumber, id: id)
            if known.updateValue(seen, forKey: ObjectIdentifier(cell)) != seen { read(cell, id) }
        }
    }

    private func read(_ cell: PhotoCell, _ id: Int) {
        guard let bitmap = cell.image.view.shownBitmap else { return }
        readCount += 1
        switch NumberMark.number(in: bitmap) {
        case nil: unreadableCount += 1
        case id % NumberMark.limit: break
        default: wrongCount += 1
        }
    }
}
