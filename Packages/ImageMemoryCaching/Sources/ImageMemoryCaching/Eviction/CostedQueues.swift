/// Queues of slots, each with the total cost and the number of its slots.
struct CostedQueues: Sendable {
    private var lists: SlotLists
    private var costs: [Int] = []
    private var fills: [QueueFill]

    /// Creates empty queues with the numbers 0 to `count - 1`.
    init(count: Int = 1) {
        lists = SlotLists(count: count)
        fills = Array(repeating: QueueFill(), count: count)
    }

    mutating func append(_ slot: Int, cost: Int, to queue: Int = 0) {
        costs.set(cost, at: slot)
        fills[queue].add(cost)
        lists.append(slot, to: queue)
    }

    mutating func remove(_ slot: Int) {
        fills[queue(of: slot)].remove(costs[slot])
        lists.remove(slot)
    }

    /// Makes a slot the newest of a queue.
    mutating func move(_ slot: Int, to queue: Int) {
        remove(slot)
        append(slot, cost: costs[slot], to: queue)
    }

    func queue(of slot: Int) -> Int { lists.list(of: slot) }
    func cost(of slot: Int) -> Int { costs[slot] }
    func fill(of queue: Int) -> QueueFill { fills[queue] }
    func oldest(in queue: Int = 0) -> Int? { lists.oldest(in: queue) }
}

/// The total cost and the number of the slots in a queue.
struct QueueFill: Sendable {
    private(set) var cost = 0
    private(set) var count = 0

    mutating func add(_ cost: Int) {
        let (sum, overflows) = self.cost.addingReportingOverflow(cost)
        self.cost = overflows ? .max : sum
        count += 1
    }

    /// Returns the fill with another entry. A sum above `Int.max` counts as `Int.max`.
    func adding(_ cost: Int) -> QueueFill {
        var fill = self
        fill.cost = .max - cost < self.cost ? .max : self.cost + cost
        fill.count += 1
        return fill
    }

    mutating func remove(_ cost: Int) {
        self.cost -= cost
        count -= 1
    }

    func exceeds(_ limits: CacheLimits) -> Bool { cost > limits.cost || count > limits.count }
    func reaches(_ limits: CacheLimits) -> Bool { cost >= limits.cost || count >= limits.count }
}

extension CacheLimits {
    /// Returns a share of the cost and of the count, rounded down. Unlimited stays unlimited.
    func share(_ share: Double) -> CacheLimits {
        func part(of limit: Int) -> Int {
            let part = Double(limit) * share
            return limit == .max || part >= Double(limit) ? limit : Int(part)
        }
        return CacheLimits(cost: part(of: cost), count: part(of: count))
    }

    /// Returns the difference to limits that are not higher. Unlimited stays unlimited.
    func subtracting(_ other: CacheLimits) -> CacheLimits {
        CacheLimits(
            cost: cost == .max ? .max : cost - other.cost, count: count == .max ? .max : count - other.count)
    }
}
