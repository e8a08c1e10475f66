/// Places in doubly linked lists, each with what is known of it, by index in one array: every operation is O(1) and moves no memory.
///
/// Each list is a circle through its end, so that a place leaves its list without knowing which one it is. Links and record of a place lie
/// side by side: whoever follows the links has the records at hand.
struct PlaceLists<Record: Sendable>: Sendable {
    private struct Node {
        var link: Link
        var record: Record
    }

    private struct Link {
        var newer: Int32
        var older: Int32
    }

    /// By place.
    private var nodes: [Node] = []
    /// By list. In a link, -1 is the end of list 0, -2 that of list 1, and so on.
    private var ends: [Link]

    /// - Parameter count: how many lists there are to begin with; they are called 0, 1 and so on.
    init(count: Int) { ends = (0..<count).map(Self.emptyList) }

    /// Above all places that are or were in a list.
    var placeCount: Int { nodes.count }

    /// What is known of a place.
    subscript(place: Int) -> Record {
        get { nodes[place].record }
        set { nodes[place].record = newValue }
    }

    /// Adds a list at the end of all, and says what it is called.
    mutating func addList() -> Int {
        ends.append(Self.emptyList(ends.count))
        return ends.count - 1
    }

    /// Puts a place that is in no list at the newest end of one.
    mutating func insert(_ record: Record, at place: Int, to list: Int) {
        nodes.set(Node(link: Self.emptyList(list), record: record), at: place)
        append(place, to: list)
    }

    /// Takes a place out of its list.
    mutating func remove(_ place: Int) {
        let link = nodes[place].link
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
    func newer(than place: Int) -> Int? { Self.place(nodes[place].link.newer) }

    /// Tells of the places that come 1, 2 and 3 after one towards the newest end, and fetches what is needed to go one further the next time.
    func foresee(from place: Int?, _ tell: (_ place: Int, _ distance: Int) -> Void) {
        guard var place else { return }
        for distance in 1...3 {
            guard let newer = newer(than: place) else { return }
            tell(newer, distance)
            place = newer
        }
        nodes.prefetch(place)
    }

    private mutating func append(_ place: Int, to list: Int) {
        let index = Int32(truncatingIfNeeded: place)
        let older = ends[list].older
        nodes[place].link = Link(newer: Self.end(of: list), older: older)
        setNewer(of: older, index)
        ends[list].older = index
    }

    private mutating func setNewer(of index: Int32, _ newer: Int32) {
        if index >= 0 { nodes[Int(index)].link.newer = newer } else { ends[Int(~index)].newer = newer }
    }

    private mutating func setOlder(of index: Int32, _ older: Int32) {
        if index >= 0 { nodes[Int(index)].link.older = older } else { ends[Int(~index)].older = older }
    }

    private static func emptyList(_ list: Int) -> Link { Link(newer: end(of: list), older: end(of: list)) }
    private static func end(of list: Int) -> Int32 { ~Int32(truncatingIfNeeded: list) }
    private static func place(_ index: Int32) -> Int? { index < 0 ? nil : Int(index) }
}

extension PlaceLists<Void> {
    /// Puts a place that is in no list at the newest end of one.
    mutating func insert(_ place: Int, to list: Int) { insert((), at: place, to: list) }
}

extension Array {
    /// Puts what is known of a place where it belongs. Places before it that were never in use get the same.
    mutating func set(_ element: Element, at place: Int) {
        while count <= place { append(element) }
        self[place] = element
    }
}
