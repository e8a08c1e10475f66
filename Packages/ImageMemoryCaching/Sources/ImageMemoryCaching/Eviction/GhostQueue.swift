/// The hashes of keys that were evicted, in that order, within a budget of what they cost: a memory without values.
struct GhostQueue {
    private struct Ghost {
        var hash: UInt64
        var cost: Int
    }

    private var table = PlaceTable()
    private var queue = PlaceLists<Ghost>(count: 1)
    private var freePlaces: [Int] = []
    private var totalCost = 0

    /// Remembers a hash that is not here, and forgets the oldest ones beyond the limits.
    mutating func add(_ hash: UInt64, cost: Int, limits: CacheLimits) {
        guard cost <= limits.cost, limits.count > 0 else { return }
        while totalCost > limits.cost - cost || table.count >= limits.count, let oldest = queue.oldest(in: 0) {
            forget(oldest)
        }
        let place = freePlaces.popLast() ?? queue.placeCount
        queue.insert(Ghost(hash: hash, cost: cost), at: place, to: 0)
        table.insert(hash, place: place)
        totalCost += cost
    }

    /// Forgets a hash.
    /// - Returns: whether it was here.
    mutating func remove(_ hash: UInt64) -> Bool {
        guard let place = table.find(hash, { queue[$0].hash == hash }) else { return false }
        forget(place)
        return true
    }

    /// Says that a hash will be added or removed soon.
    func expect(_ hash: UInt64) { table.expect(hash) }

    /// Says that the oldest ones will be forgotten soon.
    func expectForgetting() {
        queue.foresee(from: queue.oldest(in: 0)) { place, distance in
            if distance == 1 { table.expect(queue[place].hash) }
        }
    }

    private mutating func forget(_ place: Int) {
        table.remove(queue[place].hash, place: place)
        queue.remove(place)
        freePlaces.append(place)
        totalCost -= queue[place].cost
    }
}
