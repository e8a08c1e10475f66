import ImageMemoryCaching
import Synchronization
import Testing

/// An order that evicts the least recently used entry, with one defect.
struct BrokenOrder: EvictionOrder {
    /// The raw value is the rule that it breaks.
    enum Defect: String, CaseIterable {
        case keepsLast = "there is no victim if there are no entries"
        case sparesUsed = "there is a victim as long as there are entries, and each entry is evicted once"
        case keepsRemoved = "a removed entry is never evicted"
        case removesLate = "an entry at a slot that was used before is a new entry"
        case staysEmpty = "a policy whose entries are all gone accepts new ones"
        case ignoresFree = "entries of any cost are evicted, from zero to the largest number"
        case duplicatesUsed = "the victim is an entry after any sequence of events"
        case clearsAtZero = "the limits can change at any time, from zero to unlimited"
        case choosesIncoming = "a victim for an incoming entry is an entry, whether the new one is inserted or not"
        case addsCosts = "the costs of an incoming entry and of the others may exceed the largest number"
        case refusesAll = "an entry like the others is not refused forever"
        case sharesEntries = "the orders of a policy are independent"
    }

    let defect: Defect?
    /// The least recently used slot is first.
    private var slots: [Int] = []
    private var used: Set<Int> = []
    private var removed: Set<Int> = []
    private var last: Int?
    private var eventCount = 0
    private var totalCost = 0

    init(_ defect: Defect?) { self.defect = defect }

    static func policy(_ defect: Defect?) -> EvictionPolicy {
        if defect == .sharesEntries { return SharedOrder.policy }
        return EvictionPolicy(name: "broken") { BrokenOrder(defect) }
    }

    mutating func setLimits(_ limits: CacheLimits) {
        if defect == .clearsAtZero, limits.cost == 0 { slots = [] }
    }

    mutating func insert(_ entry: EvictionCandidate, at slot: Int) {
        eventCount += 1
        totalCost &+= entry.cost
        if defect == .ignoresFree && entry.cost == 0 || defect == .staysEmpty && last != nil { return }
        removed.remove(slot)
        slots.append(slot)
    }

    mutating func use(_ slot: Int) {
        eventCount += 1
        used.insert(slot)
        guard slots.contains(slot) else { return }
        if defect != .duplicatesUsed || eventCount < 1_000 { removeFirst(slot) }
        slots.append(slot)
    }

    mutating func remove(_ slot: Int) {
        used.remove(slot)
        switch defect {
        case .keepsRemoved where slots.first != slot: return
        case .removesLate where slots.first != slot: removed.insert(slot)
        default: removeFirst(slot)
        }
        if slots.isEmpty { last = slot }
    }

    private mutating func removeFirst(_ slot: Int) {
        if let index = slots.firstIndex(of: slot) { slots.remove(at: index) }
    }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        let waiting = slots.filter { !removed.contains($0) }
        return switch defect {
        case .refusesAll where incoming != nil: nil
        case .choosesIncoming where incoming != nil: slots.max().map { $0 + 1 }
        // Without the overflow operator it would end the process.
        case .addsCosts where totalCost &+ (incoming?.cost ?? 0) < 0: -1
        case .sparesUsed: waiting.first { !used.contains($0) }
        case .keepsLast: waiting.first ?? last
        default: waiting.first
        }
    }
}

/// An order that shares its entries with the other orders of its policy.
private final class SharedOrder: EvictionOrder {
    private let order = Mutex(BrokenOrder(nil))

    static var policy: EvictionPolicy {
        let order = SharedOrder()
        return EvictionPolicy(name: "shared") { order }
    }

    func setLimits(_ limits: CacheLimits) {}
    func insert(_ entry: EvictionCandidate, at slot: Int) { order.withLock { $0.insert(entry, at: slot) } }
    func use(_ slot: Int) { order.withLock { $0.use(slot) } }
    func remove(_ slot: Int) { order.withLock { $0.remove(slot) } }
    func victim(for incoming: EvictionCandidate?) -> Int? { order.withLock { $0.victim(for: incoming) } }
}
