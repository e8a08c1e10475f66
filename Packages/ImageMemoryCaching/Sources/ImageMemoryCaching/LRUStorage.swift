/// Values under keys, each with a cost, within a limit: what was used least recently goes first.
///
/// A dictionary finds the place of a key; the places form a doubly linked list by index in one array, so that getting,
/// putting, evicting and removing are each O(1) and allocate nothing once the array has grown. A pure value: whoever shares
/// one guards it with a lock. Operations hand removed values to the caller, who decides where they are deallocated.
package struct LRUStorage<Key: Hashable, Value> {
    private struct Node {
        var key: Key
        var value: Value
        var cost: Int
    }

    /// Neighbours of a place: towards what was used more recently, and less recently.
    private struct Link {
        var newer: Int
        var older: Int
    }

    private static var nowhere: Int { -1 }

    private var places: [Key: Int] = [:]
    private var nodes: [Node?] = []
    private var links: [Link] = []
    private var freePlaces: [Int] = []
    private var newest = Self.nowhere
    private var oldest = Self.nowhere

    /// The sum of the costs of what is kept. Never above `costLimit`.
    package private(set) var totalCost = 0
    /// What the costs may sum up to. Not negative.
    package private(set) var costLimit: Int

    package init(costLimit: Int) { self.costLimit = max(0, costLimit) }

    /// How many values are kept.
    package var count: Int { places.count }

    /// The value under `key`, which becomes the most recently used.
    package mutating func value(for key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        if place != newest {
            unlink(place)
            linkAsNewest(place)
        }
        return nodes[place]?.value
    }

    /// Puts a value under a key and evicts what no longer fits.
    ///
    /// A cost above the limit is refused and evicts nothing, but the older value under the key goes: it is out of date.
    /// - Parameter cost: not negative.
    /// - Returns: the values that are no longer kept.
    package mutating func insert(_ value: Value, cost: Int, for key: Key) -> [Value] {
        precondition(cost >= 0, "a cost is not negative: \(cost)")
        var removed: [Value] = []
        if let older = removeValue(for: key) { removed.append(older) }
        guard cost <= costLimit else { return removed }
        evict(until: costLimit - cost, into: &removed)
        add(Node(key: key, value: value, cost: cost))
        return removed
    }

    package mutating func removeValue(for key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        return remove(at: place)
    }

    /// Forgets everything, and gives the memory of the bookkeeping back as well.
    package mutating func removeAll() -> [Value] {
        let removed = nodes.compactMap { $0?.value }
        self = LRUStorage(costLimit: costLimit)
        return removed
    }

    /// Sets the limit and evicts at once what no longer fits.
    package mutating func setCostLimit(_ limit: Int) -> [Value] {
        costLimit = max(0, limit)
        return trim(to: costLimit)
    }

    /// Evicts the least recently used until the costs sum up to `cost` at most. The limit stays.
    package mutating func trim(to cost: Int) -> [Value] {
        var removed: [Value] = []
        evict(until: max(0, cost), into: &removed)
        return removed
    }

    private mutating func evict(until allowed: Int, into removed: inout [Value]) {
        while totalCost > allowed, let value = remove(at: oldest) { removed.append(value) }
    }

    private mutating func add(_ node: Node) {
        let place: Int
        if let free = freePlaces.popLast() {
            place = free
            nodes[place] = node
        } else {
            place = nodes.count
            nodes.append(node)
            links.append(Link(newer: Self.nowhere, older: Self.nowhere))
        }
        places[node.key] = place
        totalCost += node.cost
        linkAsNewest(place)
    }

    private mutating func remove(at place: Int) -> Value? {
        guard place != Self.nowhere, let node = nodes[place] else { return nil }
        unlink(place)
        nodes[place] = nil
        freePlaces.append(place)
        places.removeValue(forKey: node.key)
        totalCost -= node.cost
        return node.value
    }

    private mutating func unlink(_ place: Int) {
        let link = links[place]
        if link.newer == Self.nowhere { newest = link.older } else { links[link.newer].older = link.older }
        if link.older == Self.nowhere { oldest = link.newer } else { links[link.older].newer = link.newer }
    }

    private mutating func linkAsNewest(_ place: Int) {
        links[place] = Link(newer: Self.nowhere, older: newest)
        if newest == Self.nowhere { oldest = place } else { links[newest].newer = place }
        newest = place
    }
}
