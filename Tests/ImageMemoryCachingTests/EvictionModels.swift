/// A simple model of a cache with one policy. It knows only keys and costs, and searches arrays linearly.
protocol EvictionModel {
    var totalCost: Int { get }
    /// Records a use. Returns whether the key is stored.
    mutating func use(_ key: Int) -> Bool
    /// Inserts a key that is not stored and costs at most the limit.
    mutating func insert(_ key: Int, cost: Int)
}

struct ModelEntry {
    var key: Int
    var cost: Int
    var uses = 0
}

extension [ModelEntry] {
    var totalCost: Int { reduce(0) { $0 + $1.cost } }
    func index(of key: Int) -> Int? { firstIndex { $0.key == key } }
}

struct LRUModel: EvictionModel {
    var limit: Int
    /// The least recently used key is first.
    private var entries: [ModelEntry] = []
    var totalCost: Int { entries.totalCost }

    init(limit: Int) { self.limit = limit }

    mutating func use(_ key: Int) -> Bool {
        guard let index = entries.index(of: key) else { return false }
        entries.append(entries.remove(at: index))
        return true
    }

    mutating func insert(_ key: Int, cost: Int) {
        while totalCost + cost > limit { entries.removeFirst() }
        entries.append(ModelEntry(key: key, cost: cost))
    }
}

struct S3FIFOModel: EvictionModel {
    var limit: Int
    /// The oldest key is first, as in the other models.
    private var small: [ModelEntry] = []
    private var main: [ModelEntry] = []
    private var ghosts: [ModelEntry] = []
    private var hasEvicted = false
    var totalCost: Int { small.totalCost + main.totalCost }
    private var smallLimit: Int { limit / 10 }

    init(limit: Int) { self.limit = limit }

    mutating func use(_ key: Int) -> Bool {
        if let index = small.index(of: key) {
            small[index].uses += 1
        } else if let index = main.index(of: key) {
            main[index].uses += 1
        } else {
            return false
        }
        return true
    }

    mutating func insert(_ key: Int, cost: Int) {
        if smallLimit > 0, cost > smallLimit, totalCost + cost > limit { return }
        let ghost = ghosts.index(of: key).map { ghosts.remove(at: $0) }
        while totalCost + cost > limit { evict() }
        let entry = ModelEntry(key: key, cost: cost)
        if ghost != nil {
            main.append(entry)
        } else if !hasEvicted && small.totalCost >= smallLimit {
            main.append(entry)
        } else {
            small.append(entry)
        }
    }

    private mutating func evict() {
        hasEvicted = true
        if main.totalCost > limit - smallLimit || small.isEmpty { evictFromMain() } else { evictFromSmall() }
    }

    private mutating func evictFromSmall() {
        guard !small.isEmpty else { return }
        var entry = small.removeFirst()
        if entry.uses >= 2 {
            entry.uses = 0
            main.append(entry)
            return evictFromSmall()
        }
        ghosts.append(entry)
        while ghosts.totalCost > limit * 9 / 10 { ghosts.removeFirst() }
    }

    private mutating func evictFromMain() {
        guard !main.isEmpty else { return }
        var entry = main.removeFirst()
        guard entry.uses > 0 else { return }
        entry.uses = min(entry.uses, 3) - 1
        main.append(entry)
        evictFromMain()
    }
}

struct LFUModel: EvictionModel {
    var limit: Int
    /// Among equals, the entry that has had its number of uses for the longest time is first.
    private var entries: [ModelEntry] = []
    var totalCost: Int { entries.totalCost }

    init(limit: Int) { self.limit = limit }

    mutating func use(_ key: Int) -> Bool {
        guard let index = entries.index(of: key) else { return false }
        var entry = entries.remove(at: index)
        entry.uses = min(entry.uses + 1, 255)
        entries.append(entry)
        return true
    }

    mutating func insert(_ key: Int, cost: Int) {
        while totalCost + cost > limit, let fewest = entries.map(\.uses).min() {
            entries.remove(at: entries.firstIndex { $0.uses == fewest } ?? 0)
        }
        entries.append(ModelEntry(key: key, cost: cost))
    }
}

/// Searches all entries for the lowest priority. Rounds values down to a quarter of a power of two, as the policy does.
///
/// Among equals, evicts the most expensive entry for its uses, then the least recently used one.
struct GDSFModel: EvictionModel {
    var limit: Int
    private var entries: [(entry: ModelEntry, value: Double, priority: Double)] = []
    private var age = 0.0
    var totalCost: Int { entries.map(\.entry).totalCost }

    init(limit: Int) { self.limit = limit }

    mutating func use(_ key: Int) -> Bool {
        guard let index = entries.firstIndex(where: { $0.entry.key == key }) else { return false }
        var entry = entries.remove(at: index).entry
        entry.uses += 1
        add(entry)
        return true
    }

    mutating func insert(_ key: Int, cost: Int) {
        let entry = ModelEntry(key: key, cost: cost, uses: 1)
        let priority = age + value(of: entry)
        while totalCost + cost > limit, let least = entries.map({ ($0.priority, $0.value) }).min(by: <) {
            if priority < least.0 { return age = max(age, priority) }
            entries.remove(at: entries.firstIndex { ($0.priority, $0.value) == least } ?? 0)
            age = max(age, least.0)
        }
        entries.append((entry, value(of: entry), priority))
    }

    private mutating func add(_ entry: ModelEntry) {
        entries.append((entry, value(of: entry), age + value(of: entry)))
    }

    private func value(of entry: ModelEntry) -> Double {
        let value = Double(entry.uses) * 8 / Double(entry.cost)
        var power = 1.0
        while power > value { power /= 2 }
        while power * 2 <= value { power *= 2 }
        return power * (1 + (value / power - 1) * 4).rounded(.down) / 4 + power * 3 / 4
    }
}
