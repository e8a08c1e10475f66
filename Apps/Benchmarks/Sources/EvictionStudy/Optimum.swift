/// Evicts the entry whose next access is latest or never: the upper bound of hits for a limit by count (L. A. Belady, A study
/// of replacement algorithms for a virtual-storage computer, IBM Systems Journal 5, 1966).
///
/// For a limit by bytes, this rule is only a good estimate. The true optimum is NP-hard.
public enum Optimum {
    public static func run(_ trace: Trace, _ capacity: Capacity) -> Outcome {
        var kept = Kept(capacity: capacity)
        let next = nextAccesses(trace)
        var index = -1
        return Simulation.count(trace) { access in
            index += 1
            return kept.ask(for: access, next: next[index])
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

    private struct Kept {
        let capacity: Capacity
        let whole: Int
        var space: Int
        /// The next access and the cost of each key.
        var entries: [Int: (next: Int, cost: Int)] = [:]
        /// The entries by next access, latest first. May contain outdated elements.
        var queue = LatestFirst()

        init(capacity: Capacity) {
            self.capacity = capacity
            switch capacity {
            case .entries(let whole), .bytes(let whole): self.whole = whole
            }
            space = whole
        }

        mutating func ask(for access: Trace.Access, next: Int) -> Bool {
            let isHit = entries[access.key] != nil
            if let entry = entries.removeValue(forKey: access.key) { space += entry.cost }
            let cost = capacity.cost(of: access)
            guard cost <= whole else { return isHit }
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
