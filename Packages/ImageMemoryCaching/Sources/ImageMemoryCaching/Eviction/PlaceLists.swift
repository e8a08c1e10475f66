/// Places in doubly linked lists, by index in one array: every operation is O(1) and moves no memory.
///
/// Each list is a circle through its end, so that a place leaves its list without knowing which one it is.
struct PlaceLists {
    private struct Link {
        var newer: Int32
        var older: Int32
    }

    /// By place.
    private var links: [Link] = []
    /// By list. In a link, -1 is the end of list 0, -2 that of list 1, and so on.
    private var ends: [Link]

    /// - Parameter count: how many lists there are to begin with; they are called 0, 1 and so on.
    init(count: Int) { ends = (0..<count).map(Self.emptyList) }

    /// Adds a list at the end of all, and says what it is called.
    mutating func addList() -> Int {
        ends.append(Self.emptyList(ends.count))
        return ends.count - 1
    }

    /// Puts a place that is in no list at the newest end of one.
    mutating func append(_ place: Int, to list: Int) {
        let index = Int32(truncatingIfNeeded: place)
        let older = ends[list].older
        links.set(Link(newer: Self.end(of: list), older: older), at: place)
        setNewer(of: older, index)
        ends[list].older = index
    }

    /// Takes a place out of its list.
    mutating func remove(_ place: Int) {
        let link = links[place]
        setOlder(of: link.newer, link.older)
        setNewer(of: link.older, link.newer)
    }

    /// Makes a place the newest of a list, whichever it was in.
    mutating func move(_ place: Int, to list: Int) {
        remove(place)
        append(place, to: list)
    }

    /// The place that has been in a list for longest.
    func oldest(in list: Int) -> Int? { Self.place(ends[list].newer) }

    /// The next place towards the newest end, or nil at the end.
    func newer(than place: Int) -> Int? { Self.place(links[place].newer) }

    /// Tells of the places that come 1, 2 and 3 after one towards the newest end, and fetches what is needed to go one further the next time.
    func foresee(from place: Int?, _ tell: (_ place: Int, _ distance: Int) -> Void) {
        guard var place else { return }
        for distance in 1...3 {
            guard let newer = newer(than: place) else { return }
            tell(newer, distance)
            place = newer
        }
        links.prefetch(place)
    }

    /// The same, and fetches what is known of the places.
    func foresee<Record>(from place: Int?, in records: [Record], _ tell: (_ place: Int, _ distance: Int) -> Void) {
        foresee(from: place) { place, distance in
            if distance == 3 { records.prefetch(place) }
            tell(place, distance)
        }
    }

    private mutating func setNewer(of index: Int32, _ newer: Int32) {
        if index >= 0 { links[Int(index)].newer = newer } else { ends[Int(~index)].newer = newer }
    }

    private mutating func setOlder(of index: Int32, _ older: Int32) {
        if index >= 0 { links[Int(index)].older = older } else { ends[Int(~index)].older = older }
    }

    private static func emptyList(_ list: Int) -> Link { Link(newer: end(of: list), older: end(of: list)) }
    private static func end(of list: Int) -> Int32 { ~Int32(truncatingIfNeeded: list) }
    private static func place(_ index: Int32) -> Int? { index < 0 ? nil : Int(index) }
}

extension Array {
    /// Puts what is known of a place where it belongs. Places before it that were never in use get the same.
    mutating func set(_ element: Element, at place: Int) {
        while count <= place { append(element) }
        self[place] = element
    }
}
