/// Doubly linked lists of slots. Every operation takes O(1) time.
struct SlotLists: Sendable {
    private struct Link {
        var list = 0
        var newer: Int?
        var older: Int?
    }

    private struct Ends {
        var oldest: Int?
        var newest: Int?
    }

    private var links: [Link] = []
    private var ends: [Ends]

    /// Creates empty lists with the numbers 0 to `count - 1`.
    init(count: Int = 1) { ends = Array(repeating: Ends(), count: count) }

    /// Adds an empty list and returns its number.
    mutating func addList() -> Int {
        ends.append(Ends())
        return ends.count - 1
    }

    /// Appends a slot that is in no list to the newest end of a list.
    mutating func append(_ slot: Int, to list: Int = 0) {
        links.set(Link(), at: slot)
        connect(slot, to: list)
    }

    mutating func remove(_ slot: Int) {
        let link = links[slot]
        if let newer = link.newer { links[newer].older = link.older } else { ends[link.list].newest = link.older }
        if let older = link.older { links[older].newer = link.newer } else { ends[link.list].oldest = link.newer }
    }

    /// Makes a slot the newest of a list.
    mutating func move(_ slot: Int, to list: Int = 0) {
        remove(slot)
        connect(slot, to: list)
    }

    /// Returns the list of a slot, or the one that it was removed from last.
    func list(of slot: Int) -> Int { links[slot].list }

    func oldest(in list: Int = 0) -> Int? { ends[list].oldest }

    /// Returns the next slot toward the newest end.
    func newer(than slot: Int) -> Int? { links[slot].newer }

    private mutating func connect(_ slot: Int, to list: Int) {
        let older = ends[list].newest
        links[slot] = Link(list: list, older: older)
        if let older { links[older].newer = slot } else { ends[list].oldest = slot }
        ends[list].newest = slot
    }
}

extension Array {
    /// Sets the element of a slot. Slots before it that were never used get the same element.
    mutating func set(_ element: Element, at slot: Int) {
        while count <= slot { append(element) }
        self[slot] = element
    }
}
