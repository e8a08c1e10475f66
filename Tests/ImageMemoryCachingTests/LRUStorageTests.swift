import ImageMemoryCaching
import ImageTesting
import Testing

@Suite("LRU storage")
struct LRUStorageTests {
    @Test("what was used least recently goes first, and a look counts as a use")
    func evictsLeastRecentlyUsed() {
        var storage = LRUStorage<String, Int>(costLimit: 3)
        for (key, value) in [("a", 1), ("b", 2), ("c", 3)] { #expect(storage.insert(value, cost: 1, for: key).isEmpty) }
        #expect(storage.value(for: "a") == 1)
        #expect(storage.insert(4, cost: 1, for: "d") == [2])
        #expect(storage.insert(5, cost: 2, for: "e") == [3, 1])
        #expect(storage.value(for: "d") == 4)
        #expect(storage.totalCost == 3)
        #expect(storage.count == 2)
    }

    @Test("a replaced value is handed out, and the new one counts alone")
    func replaces() {
        var storage = LRUStorage<String, Int>(costLimit: 10)
        _ = storage.insert(1, cost: 6, for: "a")
        #expect(storage.insert(2, cost: 9, for: "a") == [1])
        #expect(storage.totalCost == 9)
        #expect(storage.value(for: "a") == 2)
    }

    @Test("a cost above the limit is refused, evicts no neighbour, and takes the older value along")
    func refuses() {
        var storage = LRUStorage<String, Int>(costLimit: 10)
        _ = storage.insert(1, cost: 4, for: "a")
        _ = storage.insert(2, cost: 4, for: "b")
        #expect(storage.insert(3, cost: 11, for: "b") == [2])
        #expect(storage.value(for: "a") == 1)
        #expect(storage.value(for: "b") == nil)
    }

    @Test("a lowered limit evicts at once; a negative one counts as zero")
    func lowersLimit() {
        var storage = LRUStorage<Int, Int>(costLimit: 10)
        for number in 0..<10 { _ = storage.insert(number, cost: 1, for: number) }
        #expect(storage.setCostLimit(7) == [0, 1, 2])
        #expect(storage.trim(to: 5) == [3, 4])
        #expect(storage.costLimit == 7)
        #expect(storage.setCostLimit(-1).count == 5)
        #expect(storage.costLimit == 0)
        #expect(storage.totalCost == 0)
    }

    @Test("ten thousand random operations agree with a simple model", arguments: [1, 2, 3] as [UInt64])
    func agreesWithModel(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var storage = LRUStorage<Int, Int>(costLimit: 100)
        var model = Model(limit: 100)
        for step in 0..<10_000 {
            let key = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8: #expect(storage.value(for: key) == model.value(for: key))
            case 8..<16:
                let cost = Int.random(in: 0...30, using: &random)
                #expect(storage.insert(step, cost: cost, for: key) == model.insert(step, cost: cost, for: key))
            case 16..<18: #expect(storage.removeValue(for: key) == model.remove(key))
            case 18:
                let limit = Int.random(in: 20...120, using: &random)
                #expect(storage.setCostLimit(limit) == model.setLimit(limit))
            default:
                if step % 10 == 0 { #expect(Set(storage.removeAll()) == model.removeAll()) }
            }
            #expect(storage.totalCost == model.totalCost)
            #expect(storage.count == model.entries.count)
        }
    }
}

/// The same promises, written for plainness: an array, the least recently used first.
private struct Model {
    var limit: Int
    var entries: [(key: Int, value: Int, cost: Int)] = []

    init(limit: Int) { self.limit = limit }

    var totalCost: Int { entries.reduce(0) { $0 + $1.cost } }

    mutating func value(for key: Int) -> Int? {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
        entries.append(entries.remove(at: index))
        return entries.last?.value
    }

    mutating func insert(_ value: Int, cost: Int, for key: Int) -> [Int] {
        let older = remove(key).map { [$0] } ?? []
        if cost > limit { return older }
        entries.append((key, value, cost))
        return older + evict()
    }

    mutating func remove(_ key: Int) -> Int? {
        entries.firstIndex { $0.key == key }.map { entries.remove(at: $0).value }
    }

    mutating func setLimit(_ limit: Int) -> [Int] {
        self.limit = limit
        return evict()
    }

    mutating func removeAll() -> Set<Int> {
        defer { entries = [] }
        return Set(entries.map(\.value))
    }

    private mutating func evict() -> [Int] {
        var evicted: [Int] = []
        while totalCost > limit { evicted.append(entries.removeFirst().value) }
        return evicted
    }
}
