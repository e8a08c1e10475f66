/// Queues of slots, each with the total cost and the number of its slots. Every operation takes O(1) time.
struct SlotQueues: Sendable {
    private struct Link {
        var queue = 0
        var cost = 0
        var newer: Int?
        var older: Int?
    }

    private struct Queue {
        var oldest: Int?
        var newest: Int?
        var fill = QueueFill()
    }

    private var links: [Link] = []
    private var queues: [Queue]

    /// Creates empty queues with the numbers 0 to `count - 1`.
    init(count: Int = 1) { queues = Array(repeating: Queue(), count: count) }

    /// Appends a slot that is in no queue to the newest end of a queue.
    mutating func append(_ slot: Int, cost: Int = 0, to queue: Int = 0) {
        links.set(Link(cost: cost), at: slot)
        connect(slot, to: queue)
    }

    mutating func remove(_ slot: Int) {
        let link = links[slot]
        queues[link.queue].fill.remove(link.cost)
        if let newer = link.newer { links[newer].older = link.older } else { queues[link.queue].newest = link.older }
        if let older = link.older { links[older].newer = link.newer } else { queues[link.queue].oldest = link.newer }
    }

    /// Makes a slot the newest of a queue.
    mutating func move(_ slot: Int, to queue: Int = 0) {
        remove(slot)
        connect(slot, to: queue)
    }

    func queue(of slot: Int) -> Int { links[slot].queue }
    func cost(of slot: Int) -> Int { links[slot].cost }
    func fill(of queue: Int = 0) -> QueueFill { queues[queue].fill }
    func oldest(in queue: Int = 0) -> Int? { queues[queue].oldest }

    private mutating func connect(_ slot: Int, to queue: Int) {
        let older = queues[queue].newest
        links[slot].queue = queue
        links[slot].newer = nil
        links[slot].older = older
        if let older { links[older].newer = slot } else { queues[queue].oldest = slot }
        queues[queue].newest = slot
        queues[queue].fill = queues[queue].fill.adding(links[slot].cost)
    }
}

/// The total cost and the number of the slots in a queue.
struct QueueFill: Sendable {
    private(set) var cost = 0
    private(set) var count = 0

    /// Returns the fill with another entry. A sum above `Int.max` counts as `Int.max`.
    func adding(_ cost: Int) -> QueueFill {
        let (sum, overflows) = self.cost.addingReportingOverflow(cost)
        return QueueFill(cost: overflows ? .max : sum, count: count + 1)
    }

    fileprivate mutating func remove(_ cost: Int) {
        self.cost -= cost
        count -= 1
    }

    func exceeds(_ limits: CacheLimits) -> Bool { cost > limits.cost || count > limits.count }
    func reaches(_ limits: CacheLimits) -> Bool { cost >= limits.cost || count >= limits.count }
}

extension Array {
    /// Sets the element of a slot. Slots before it that were never used get the same element.
    mutating func set(_ element: Element, at slot: Int) {
        while count <= slot { append(element) }
        self[slot] = element
    }
}
