/// Places in doubly linked lists, by index in one array: every operation is O(1) and moves no memory.
///
/// Each list is a circle through a sentinel, so that a place leaves its list without knowing which one it is.
struct PlaceLists {
    private struct Link {
        var newer: Int32
        var older: Int32
    }

    /// The sentinels of the lists, then the places.
    private var links: [Link]
    private let listCount: Int

    /// - Parameter count: how many lists there are; they are called 0, 1 and so on.
    init(count: Int) {
        listCount = count
        links = (0..<Int32(count)).map { Link(newer: $0, older: $0) }
    }

    /// Puts a place that is in no list at the newest end of one.
    mutating func append(_ place: Int, to list: Int) {
        let index = place + listCount
        while links.count <= index { links.append(Link(newer: -1, older: -1)) }
        let older = links[list].older
        links[index] = Link(newer: Int32(truncatingIfNeeded: list), older: older)
        links[Int(older)].newer = Int32(truncatingIfNeeded: index)
        links[list].older = Int32(truncatingIfNeeded: index)
    }

    /// Takes a place out of its list.
    mutating func remove(_ place: Int) {
        let link = links[place + listCount]
        links[Int(link.newer)].older = link.older
        links[Int(link.older)].newer = link.newer
    }

    /// Makes a place the newest of a list, whichever it was in.
    mutating func move(_ place: Int, to list: Int) {
        remove(place)
        append(place, to: list)
    }

    /// The place that has been in a list for longest.
    func oldest(in list: Int) -> Int? { place(links[list].newer) }

    /// The next place towards the newest end, or nil at the end.
    func newer(than place: Int) -> Int? { self.place(links[place + listCount].newer) }

    private func place(_ index: Int32) -> Int? {
        let index = Int(index)
        return index < listCount ? nil : index - listCount
    }
}
