/// Greedy-dual-size-frequency: what has the lowest value per unit of cost goes first. The value is the number of uses times
/// what it takes to get the entry again; it ages because what comes or is used starts from the value of what went last.
///
/// Cherkasova, "Improving WWW proxies performance with greedy-dual-size-frequency caching policy", HP Labs 1998. In O(1), after
/// CAMP (Ghandeharizadeh et al., Middleware 2014): values per cost are rounded down to a fourth of a power of two, those of one
/// rounded value form a list that is in order by itself, and the lowest head of the lists is the victim. There are at most 256
/// lists, however many entries.
///
/// What comes in and would be the next to go is refused; the age rises all the same, so that it gets in when it is asked for
/// again soon. So does libCacheSim, which inserts first and evicts then.
struct GDSFOrder: EvictionOrder {
    private struct Entry {
        /// What it takes to get the entry again, per unit of cost: what one use is worth.
        var worth: Double
        /// The age when it was used last plus its value per cost, rounded.
        var priority = 0.0
        var uses: Float = 1
        var list: UInt8 = 0
    }

    private let networkWeight: Double
    private var lists = PlaceLists<Entry>(count: ValueClass.count)
    /// By list; infinity where there is none.
    private var headPriorities = [Double](repeating: .infinity, count: ValueClass.count)
    private var filled = BitSet256()
    /// The priority of what was evicted or refused last.
    private var age = 0.0
    /// What room is being made for, with the age when that began.
    private var incoming: (hash: UInt64, age: Double)?

    /// - Parameter networkWeight: how much more it takes to get an entry over the network than from disk.
    init(networkWeight: Double) { self.networkWeight = networkWeight }

    mutating func setLimits(_ limits: CacheLimits) {}

    mutating func insert(_ entry: EvictionCandidate, at place: Int) {
        let ageThen = incoming?.hash == entry.hash ? incoming?.age : nil
        incoming = nil
        enter(Entry(worth: worth(of: entry)), at: place, age: ageThen ?? age)
    }

    mutating func use(_ place: Int) {
        remove(place)
        var entry = lists[place]
        entry.uses += 1
        enter(entry, at: place, age: age)
    }

    mutating func remove(_ place: Int) {
        let list = Int(lists[place].list)
        let wasHead = lists.oldest(in: list) == place
        lists.remove(place)
        if wasHead { updateHead(of: list) }
    }

    mutating func victim(for candidate: EvictionCandidate?) -> Int? {
        guard let place = coldest else { return nil }
        let least = lists[place].priority
        if let candidate, let refused = refusal(of: candidate, below: least) {
            age = max(age, refused)
            return nil
        }
        age = max(age, least)
        return place
    }

    /// The priority with which a candidate would come in, if that is below the least of those who are here: then it would be the
    /// next to go.
    private mutating func refusal(of candidate: EvictionCandidate, below least: Double) -> Double? {
        let begun = incoming?.hash == candidate.hash ? incoming?.age ?? age : age
        let priority = begun + ValueClass(worth(of: candidate)).lowest
        incoming = priority < least ? nil : (candidate.hash, begun)
        return priority < least ? priority : nil
    }

    var coldest: Int? {
        var least = (priority: Double.infinity, list: 0)
        filled.forEach { list in
            if headPriorities[list] < least.priority { least = (headPriorities[list], list) }
        }
        return lists.oldest(in: least.list)
    }

    func foreseeVictims(for incoming: EvictionCandidate, _ tell: (_ place: Int, _ distance: Int) -> Void) {
        lists.foresee(from: coldest, tell)
    }

    private func worth(of candidate: EvictionCandidate) -> Double {
        (candidate.refetch == .network ? networkWeight : 1) / Double(max(1, candidate.cost))
    }

    private mutating func enter(_ entry: Entry, at place: Int, age: Double) {
        var entry = entry
        let value = ValueClass(Double(entry.uses) * entry.worth)
        (entry.list, entry.priority) = (UInt8(value.index), age + value.lowest)
        lists.insert(entry, at: place, to: value.index)
        if lists.oldest(in: value.index) == place { updateHead(of: value.index) }
    }

    private mutating func updateHead(of list: Int) {
        let head = lists.oldest(in: list)
        headPriorities[list] = head.map { lists[$0].priority } ?? .infinity
        filled.set(list, head != nil)
    }
}

/// A value rounded down to a fourth of a power of two: between 2^-44 and 2^20.
private struct ValueClass {
    static let count = 256
    /// The exponent and the upper two bits of the mantissa of 2^-44.
    private static let first = (1023 - 44) * 4

    let index: Int

    init(_ value: Double) {
        let bits = Int(truncatingIfNeeded: value.bitPattern >> 50)
        index = min(max(bits - Self.first, 0), Self.count - 1)
    }

    /// The lowest value of the class.
    var lowest: Double { Double(bitPattern: UInt64(index + Self.first) << 50) }
}

/// A set of numbers from 0 to 255.
private struct BitSet256 {
    private var words = [UInt64](repeating: 0, count: 4)

    mutating func set(_ number: Int, _ isIn: Bool) {
        let bit = UInt64(1) << UInt64(number & 63)
        if isIn { words[number >> 6] |= bit } else { words[number >> 6] &= ~bit }
    }

    func forEach(_ body: (Int) -> Void) {
        for index in words.indices {
            var word = words[index]
            while word != 0 {
                body(index << 6 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
    }
}
