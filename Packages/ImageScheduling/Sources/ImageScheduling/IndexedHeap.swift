/// A binary min-heap with access to each element. Changes take O(log n) time, and `first` takes O(1).
///
/// The order of elements with equal ranks is unspecified.
struct IndexedHeap<Element: Hashable & Sendable>: Sendable {
    private var entries: [Entry] = []
    private var positions: [Element: Int] = [:]

    private struct Entry: Sendable {
        var rank: UInt64
        var element: Element
    }

    var first: Element? { entries.first?.element }
    var firstRank: UInt64? { entries.first?.rank }

    /// Inserts an element, or changes its rank.
    mutating func set(_ element: Element, rank: UInt64) {
        guard let position = positions[element] else {
            entries.append(Entry(rank: rank, element: element))
            siftUp(from: entries.count - 1)
            return
        }
        entries[position].rank = rank
        sift(at: position)
    }

    /// Removes an element if it is in the heap.
    mutating func remove(_ element: Element) {
        guard let position = positions.removeValue(forKey: element) else { return }
        let last = entries.removeLast()
        guard position < entries.count else { return }
        entries[position] = last
        sift(at: position)
    }

    private mutating func sift(at position: Int) {
        if position > 0, entries[position].rank < entries[(position - 1) / 2].rank {
            siftUp(from: position)
        } else {
            siftDown(from: position)
        }
    }

    private mutating func siftUp(from start: Int) {
        let moving = entries[start]
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard moving.rank < entries[parent].rank else { break }
            put(entries[parent], at: position)
            position = parent
        }
        put(moving, at: position)
    }

    private mutating func siftDown(from start: Int) {
        let moving = entries[start]
        var position = start
        while let child = smallerChild(of: position), entries[child].rank < moving.rank {
            put(entries[child], at: position)
            position = child
        }
        put(moving, at: position)
    }

    private func smallerChild(of position: Int) -> Int? {
        let left = 2 * position + 1
        guard left < entries.count else { return nil }
        let right = left + 1
        return right < entries.count && entries[right].rank < entries[left].rank ? right : left
    }

    private mutating func put(_ entry: Entry, at position: Int) {
        entries[position] = entry
        positions[entry.element] = position
    }
}
