/// Decides which entry of a disk cache goes first when room is needed.
///
/// Entries are told by their places: small numbers, used again after a removal. The cache calls under a lock of its own: an
/// implementation is quick, asks nobody and keeps its state to itself. Every method should be O(1).
public protocol DiskEvictionPolicy: Sendable {
    /// An entry came: stored, or found in the folder. Entries that were there before come in the order of their last use.
    mutating func insert(_ place: Int, byteCount: Int)
    /// An entry was read.
    mutating func use(_ place: Int)
    /// An entry has another place from now on, and its turn stays what it was.
    mutating func move(_ place: Int, to newPlace: Int)
    /// An entry has gone.
    mutating func remove(_ place: Int)
    /// The entry to go next; nil when there is none. Asked again, without anything in between, it answers the same.
    mutating func victim() -> Int?
}

/// What was neither stored nor read for the longest time goes first.
public struct LeastRecentlyUsed: DiskEvictionPolicy {
    private var order = PlaceList()

    public init() {}

    public mutating func insert(_ place: Int, byteCount: Int) { order.append(place) }

    public mutating func use(_ place: Int) {
        order.remove(place)
        order.append(place)
    }

    public mutating func move(_ place: Int, to newPlace: Int) { order.move(place, to: newPlace) }

    public mutating func remove(_ place: Int) { order.remove(place) }

    public mutating func victim() -> Int? { order.first }
}

/// What was stored first goes first, read or not.
public struct FirstInFirstOut: DiskEvictionPolicy {
    private var order = PlaceList()

    public init() {}

    public mutating func insert(_ place: Int, byteCount: Int) { order.append(place) }
    public mutating func use(_ place: Int) {}
    public mutating func move(_ place: Int, to newPlace: Int) { order.move(place, to: newPlace) }
    public mutating func remove(_ place: Int) { order.remove(place) }
    public mutating func victim() -> Int? { order.first }
}

/// A doubly linked list of places, by index in one array: 8 bytes a place.
struct PlaceList: Sendable {
    private struct Links {
        var next: Int32
        var previous: Int32
    }

    private static var nowhere: Int32 { -1 }

    private var links: [Links] = []
    private var head = Self.nowhere
    private var tail = Self.nowhere

    var first: Int? { head == Self.nowhere ? nil : Int(head) }

    /// Puts a place that is not in the list at its end.
    mutating func append(_ place: Int) {
        reach(place)
        link(place, Links(next: Self.nowhere, previous: tail))
    }

    /// Puts a place that is not in the list where one is that is.
    mutating func move(_ place: Int, to newPlace: Int) {
        reach(newPlace)
        link(newPlace, links[place])
    }

    private mutating func reach(_ place: Int) {
        guard place >= links.count else { return }
        links.growByAQuarter()
        links.append(contentsOf: repeatElement(Links(next: -1, previous: -1), count: place + 1 - links.count))
    }

    private mutating func link(_ place: Int, _ link: Links) {
        links[place] = link
        if link.previous == Self.nowhere { head = Int32(place) } else { links[Int(link.previous)].next = Int32(place) }
        if link.next == Self.nowhere { tail = Int32(place) } else { links[Int(link.next)].previous = Int32(place) }
    }

    /// Takes a place out that is in the list.
    mutating func remove(_ place: Int) {
        let link = links[place]
        if link.previous == Self.nowhere { head = link.next } else { links[Int(link.previous)].next = link.next }
        if link.next == Self.nowhere { tail = link.previous } else { links[Int(link.next)].previous = link.previous }
    }
}

extension Array {
    /// Makes room for more when there is none left: a quarter, not the double that arrays grow by.
    mutating func growByAQuarter() {
        if count == capacity { reserveCapacity(count + count / 4 + 16) }
    }
}
