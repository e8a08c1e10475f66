/// Evicts the entry whose next access is furthest in the future, which maximizes the hits for a limit by count.
///
/// This is Belady's MIN (L. A. Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems
/// Journal 5, 1966). For a limit by bytes, the result is only a good estimate, because the true optimum is NP-hard.
public enum Optimum {
    /// Returns the hit ratios of the optimum for a trace at a capacity.
    public static func run(_ trace: Trace, _ capacity: Capacity) -> Outcome {
        var kept = Entries(capacity: capacity)
        let next = nextAccesses(trace)
        var index = -1
        return Simulation.count(trace) { access in
            index += 1
            return kept.access(access, next: next[index])
        }
    }

    /// Returns, for each access, the index of the next access to the same key.
    private static func nextAccesses(_ trace: Trace) -> [Int] {
        var next = [Int](repeating: .max, count: trace.accesses.count)
        var latest: [Int: Int] = [:]
        for (index, access) in trace.accesses.enumerated().reversed() {
            next[index] = latest[access.key] ?? .max
            latest[access.key] = index
        }
        return next
    }

    /// The simulated cache.
    private struct Entries {
        let capacity: Capacity
        let limit: Int
        var space: Int
        /// The next access and the cost of each key.
        var entries: [Int: (next: Int, cost: Int)] = [:]
        /// The entries by next access, latest first. May contain outdated elements.
        var queue = LatestFirst()

        init(capacity: Capacity) {
            self.capacity = capacity
            switch capacity {
            case .entries(let limit), .bytes(let limit): self.limit = limit
            }
            space = limit
        }

        /// Returns whether the access is a hit.
        mutating func access(_ access: Trace.Access, next: Int) -> Bool {
            let isHit = entries[access.key] != nil
            if let entry = entries.removeValue(forKey: access.key) { space += entry.cost }
            let cost = capacity.cost(of: access)
            guard cost <= limit else { return isHit }
            makeSpace(for: cost)
            entries[access.key] = (next, cost)
            queue.insert(next, key: access.key)
            space -= cost
            return isHit
        }

        private mutating func makeSpace(for cost: Int) {
            while space < cost, let latest = queue.removeFirst() {
                guard let entry = entries[latest.key], entry.next == latest.next else { continue }
                entries[latest.key] = nil
                space += entry.cost
            }
        }
    }
}

/// A binary heap with the latest next access on top.
private struct LatestFirst {
    private var heap: [(next: Int, key: Int)] = []

    mutating func insert(_ next: Int, key: Int) {
        heap.append((next, key))
        var child = heap.count - 1
        while child > 0, heap[(child - 1) / 2].next < heap[child].next {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeFirst() -> (next: Int, key: Int)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if heap.isEmpty { return first }
        heap[0] = last
        var parent = 0
        while let child = latestChild(of: parent), heap[child].next > heap[parent].next {
            heap.swapAt(parent, child)
            parent = child
        }
        return first
    }

    private func latestChild(of parent: Int) -> Int? {
        let (left, right) = (2 * parent + 1, 2 * parent + 2)
        guard left < heap.count else { return nil }
        return right < heap.count && heap[right].next > heap[left].next ? right : left
    }
}
