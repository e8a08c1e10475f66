/// Selects the entry of a disk cache to evict next.
///
/// A policy identifies entries by slots, which are small numbers that are reused after a removal. The cache calls a
/// policy while it holds a lock. Methods must not call code outside of the policy, and should take O(1) time. Check your
/// own policy with `DiskEvictionPolicyContract`.
///
/// Promises:
/// - A copy has entries of its own. Use a structure, because a cache copies the policy of its options.
/// - A victim is an entry that was inserted and not removed. Slots are used in any order.
public protocol DiskEvictionPolicy: Sendable {
    /// Adds an entry that was stored or found in the folder. Existing entries are added in the order of their last use.
    mutating func insert(_ slot: Int, byteCount: Int)
    /// Records a hit on an entry.
    mutating func use(_ slot: Int)
    /// Changes the slot of an entry. Its position in the eviction order must not change.
    mutating func move(_ slot: Int, to newSlot: Int)
    /// Removes an entry.
    mutating func remove(_ slot: Int)
    /// Returns the entry to evict next, or nil if there is none. Repeated calls return the same entry.
    ///
    /// If it is nil or not an entry although there are entries, the cache evicts the one that was not used for the longest
    /// time.
    mutating func victim() -> Int?
}

/// Evicts the entry that was neither stored nor read for the longest time.
public struct LeastRecentlyUsed: DiskEvictionPolicy {
    private var order = SlotList()

    /// Creates a policy without entries.
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

/// Evicts the entry that was stored first, even if it was read since.
public struct FirstInFirstOut: DiskEvictionPolicy {
    private var order = SlotList()

    /// Creates a policy without entries.
    public init() {}

    public mutating func insert(_ slot: Int, byteCount: Int) { order.append(slot) }
    public mutating func use(_ slot: Int) {}
    public mutating func move(_ slot: Int, to newSlot: Int) { order.move(slot, to: newSlot) }
    public mutating func remove(_ slot: Int) { order.remove(slot) }
    public mutating func victim() -> Int? { order.first }
}

/// A doubly linked list of slots in one array. Takes 8 bytes for each slot.
struct SlotList: Sendable {
    private struct Links {
        var next: Int32
        var previous: Int32
    }

    private static var none: Int32 { -1 }

    private var links: [Links] = []
    private var head = Self.none
    private var tail = Self.none

    var first: Int? { head == Self.none ? nil : Int(head) }

    /// Appends a slot that is not in the list.
    mutating func append(_ slot: Int) {
        grow(toInclude: slot)
        link(slot, Links(next: Self.none, previous: tail))
    }

    /// Replaces a slot in the list with one that is not in it.
    mutating func move(_ slot: Int, to newSlot: Int) {
        grow(toInclude: newSlot)
        link(newSlot, links[slot])
    }

    private mutating func grow(toInclude slot: Int) {
        guard slot >= links.count else { return }
        links.growByAQuarter()
        links.append(contentsOf: repeatElement(Links(next: -1, previous: -1), count: slot + 1 - links.count))
    }

    private mutating func link(_ slot: Int, _ link: Links) {
        links[slot] = link
        if link.previous == Self.none { head = Int32(slot) } else { links[Int(link.previous)].next = Int32(slot) }
        if link.next == Self.none { tail = Int32(slot) } else { links[Int(link.next)].previous = Int32(slot) }
    }

    /// Removes a slot that is in the list.
    mutating func remove(_ slot: Int) {
        let link = links[slot]
        if link.previous == Self.none { head = link.next } else { links[Int(link.previous)].next = link.next }
        if link.next == Self.none { tail = link.previous } else { links[Int(link.next)].previous = link.previous }
    }
}

extension Array {
    /// Grows the capacity of a full array by a quarter. By default, the capacity doubles.
    mutating func growByAQuarter() {
        if count == capacity { reserveCapacity(count + count / 4 + 16) }
    }
}
