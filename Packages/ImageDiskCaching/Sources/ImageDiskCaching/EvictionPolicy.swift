/// Decides which entry of a disk cache goes first when space is needed.
///
/// Entries are told by their slots: small numbers, used again after a removal. The cache calls under a lock of its own: an
/// implementation is quick, asks nobody and keeps its state to itself. Every method should be O(1).
public protocol DiskEvictionPolicy: Sendable {
    /// An entry came: stored, or found in the folder. Entries that were there before come in the order of their last use.
    mutating func insert(_ slot: Int, byteCount: Int)
    /// An entry was read.
    mutating func use(_ slot: Int)
    /// An entry has another slot from now on, and its turn stays what it was.
    mutating func move(_ slot: Int, to newSlot: Int)
    /// An entry has gone.
    mutating func remove(_ slot: Int)
    /// The entry to go next; nil when there is none. Asked again, without anything in between, it answers the same.
    mutating func victim() -> Int?
}

/// What was neither stored nor read for the longest time goes first.
public struct LeastRecentlyUsed: DiskEvictionPolicy {
    private var order = SlotList()

    public init() {}

    public mutating func insert(_ slot: Int, byteCount: Int) { order.append(slot) }

    public mutating func use(_ slot: Int) {
        order.remove(slot)
        order.append(slot)
    }

    public mutating func move(_ slot: Int, to newSlot: Int) { order.move(slot, to: newSlot) }

    public mutating func remove(_ slot: Int) { order.remove(slot) }

    public mutating func victim() -> Int? { order.first }
}

/// What was stored first goes first, read or not.
public struct FirstInFirstOut: DiskEvictionPolicy {
    private var order = SlotList()

    public init() {}

    public mutating func insert(_ slot: Int, byteCount: Int) { order.append(slot) }
    public mutating func use(_ slot: Int) {}
    public mutating func move(_ slot: Int, to newSlot: Int) { order.move(slot, to: newSlot) }
    public mutating func remove(_ slot: Int) { order.remove(slot) }
    public mutating func victim() -> Int? { order.first }
}

/// A doubly linked list of slots, by index in one array: 8 bytes a slot.
struct SlotList: Sendable {
    private struct Links {
        var next: Int32
        var previous: Int32
    }

    private static var nowhere: Int32 { -1 }

    private var links: [Links] = []
    private var head = Self.nowhere
    private var tail = Self.nowhere

    var first: Int? { head == Self.nowhere ? nil : Int(head) }

    /// Puts a slot that is not in the list at its end.
    mutating func append(_ slot: Int) {
        reach(slot)
        link(slot, Links(next: Self.nowhere, previous: tail))
    }

    /// Puts a slot that is not in the list where one is that is.
    mutating func move(_ slot: Int, to newSlot: Int) {
        reach(newSlot)
        link(newSlot, links[slot])
    }

    private mutating func reach(_ slot: Int) {
        guard slot >= links.count else { return }
        links.growByAQuarter()
        links.append(contentsOf: repeatElement(Links(next: -1, previous: -1), count: slot + 1 - links.count))
    }

    private mutating func link(_ slot: Int, _ link: Links) {
        links[slot] = link
        if link.previous == Self.nowhere { head = Int32(slot) } else { links[Int(link.previous)].next = Int32(slot) }
        if link.next == Self.nowhere { tail = Int32(slot) } else { links[Int(link.next)].previous = Int32(slot) }
    }

    /// Takes a slot out that is in the list.
    mutating func remove(_ slot: Int) {
        let link = links[slot]
        if link.previous == Self.nowhere { head = link.next } else { links[Int(link.previous)].next = link.next }
        if link.next == Self.nowhere { tail = link.previous } else { links[Int(link.next)].previous = link.previous }
    }
}

extension Array {
    /// Makes space for more when there is none left: a quarter, not the double that arrays grow by.
    mutating func growByAQuarter() {
        if count == capacity { reserveCapacity(count + count / 4 + 16) }
    }
}
