/// Keys and values, found by key or by *index*, a small number that the owner gives to each.
///
/// Open addressing with linear probing in memory that nobody else has, at most five eighths full. A byte of each hash stands apart from
/// the entries, so that a search touches one entry as a rule: more than half of what a hit costs among many entries is waiting for
/// memory. Entries can't be copied, because otherwise a look copies the stored key before it compares it. Who calls this knows which
/// indices are in use.
@safe @usableFromInline
struct EntryTable<Key: Hashable, Value>: ~Copyable {
    @usableFromInline
    struct Entry: ~Copyable {
        @usableFromInline let key: Key
        @usableFromInline let value: Value
        /// The upper half, which says where the search for it begins.
        @usableFromInline let hash: UInt32
        @usableFromInline let index: UInt32

        @inlinable
        init(key: Key, value: Value, hash: UInt64, index: Int) {
            self.key = key
            self.value = value
            self.hash = UInt32(truncatingIfNeeded: hash >> 32)
            self.index = UInt32(index)
        }

        @inlinable
        func isUnder(_ other: Key, _ otherHash: UInt32) -> Bool { hash == otherHash && key == other }
    }

    /// In `slots`, for an index that is not in use.
    @inlinable static var none: UInt32 { .max }

    @usableFromInline var base: UnsafeMutablePointer<Entry>
    /// By slot: 0 where there is no entry, else seven bits of its hash below a bit that is set.
    @usableFromInline var tags: [UInt8] = []
    /// By index, as far as indices ever were in use.
    @usableFromInline var slots: [UInt32] = []
    @usableFromInline var count = 0

    @inlinable
    init() { unsafe base = Self.allocate(0) }

    @inlinable
    deinit {
        for slot in tags.indices where tags[slot] != 0 { unsafe (base + slot).deinitialize(count: 1) }
        unsafe base.deallocate()
    }

    /// The slot of the entry under a key: good until something is inserted or taken.
    @inlinable
    func slot(of key: Key, hash: UInt64) -> Int? {
        guard count > 0 else { return nil }
        let (tag, upper) = (Self.tag(hash), UInt32(truncatingIfNeeded: hash >> 32))
        var slot = home(upper)
        while tags[slot] != 0 {
            if tags[slot] == tag, unsafe base[slot].isUnder(key, upper) { return slot }
            slot = (slot + 1) & mask
        }
        return nil
    }

    @inlinable
    func index(at slot: Int) -> Int { unsafe Int(base[slot].index) }

    @inlinable
    func value(at slot: Int) -> Value { unsafe base[slot].value }

    /// The value of an index in use.
    @inlinable
    func value(of index: Int) -> Value { value(at: Int(slots[index])) }

    /// Whether an index is in use.
    @inlinable
    func holds(_ index: Int) -> Bool { index < slots.count && slots[index] != Self.none }

    /// Adds a value under a key that is not here, and under a free index.
    @inlinable
    mutating func insert(_ key: Key, _ value: Value, at index: Int, hash: UInt64) {
        precondition(!holds(index), "an index is used twice")
        if (count + 1) * 8 > tags.count * 5 { grow() }
        let entry = Entry(key: key, value: value, hash: hash, index: index)
        let slot = vacancy(from: entry.hash)
        tags[slot] = Self.tag(hash)
        while slots.count <= index { slots.append(Self.none) }
        slots[index] = UInt32(slot)
        unsafe (base + slot).initialize(to: entry)
        count += 1
    }

    /// Removes the entry of an index in use.
    @inlinable
    mutating func take(_ index: Int) -> (key: Key, value: Value) {
        precondition(holds(index), "there is no entry to take")
        let slot = Int(slots[index])
        slots[index] = Self.none
        let entry = unsafe (base + slot).move()
        close(slot)
        count -= 1
        return (entry.key, entry.value)
    }

    /// Says that a key with this hash will be inserted soon.
    @inlinable
    func expectInsertion(of key: Key, hash: UInt64) {
        guard !tags.isEmpty else { return }
        expectChange(of: home(UInt32(truncatingIfNeeded: hash >> 32)))
        unsafe withUnsafePointer(to: key) { unsafe TableMemory.prefetchObject(of: $0) }
    }

    /// Says that the entry of an index in use will be taken after so many others: 3, 2 and 1 of them, because each step needs what the
    /// one before has fetched.
    @inlinable
    func expectTaking(_ index: Int, _ distance: Int) {
        guard distance < 3 else { return slots.prefetch(index) }
        guard holds(index) else { return }
        let slot = Int(slots[index])
        if distance == 2 {
            expectChange(of: slot)
        } else {
            unsafe TableMemory.prefetchObject(of: UnsafePointer(base + slot))
        }
    }

    /// Fetches a slot and the one after it, which a search or a removal mostly looks at as well.
    @inlinable
    func expectChange(of slot: Int) {
        tags.prefetch(slot)
        unsafe TableMemory.prefetch(base + slot)
        unsafe TableMemory.prefetch(base + slot + 1)
    }

    /// What is made of each entry.
    @inlinable
    func map<Result>(_ transform: (borrowing Entry) -> Result) -> [Result] {
        slots.compactMap { $0 == Self.none ? nil : unsafe transform(base[Int($0)]) }
    }

    /// Empties a slot and moves back what would not be found any more across the hole.
    @inlinable
    mutating func close(_ slot: Int) {
        var hole = slot
        var next = (hole + 1) & mask
        while tags[next] != 0 {
            if unsafe (next &- home(base[next].hash)) & mask >= (next &- hole) & mask {
                move(next, to: hole)
                hole = next
            }
            next = (next + 1) & mask
        }
        tags[hole] = 0
    }

    @inlinable
    mutating func move(_ slot: Int, to hole: Int) {
        unsafe (base + hole).moveInitialize(from: base + slot, count: 1)
        tags[hole] = tags[slot]
        unsafe slots[Int(base[hole].index)] = UInt32(hole)
    }

    @inlinable
    mutating func grow() {
        let (older, olderTags) = unsafe (base, tags)
        unsafe base = Self.allocate(max(16, olderTags.count * 2))
        tags = [UInt8](repeating: 0, count: max(16, olderTags.count * 2))
        for olderSlot in olderTags.indices where olderTags[olderSlot] != 0 {
            let slot = unsafe vacancy(from: older[olderSlot].hash)
            unsafe (base + slot).moveInitialize(from: older + olderSlot, count: 1)
            tags[slot] = olderTags[olderSlot]
            unsafe slots[Int(base[slot].index)] = UInt32(slot)
        }
        unsafe older.deallocate()
    }

    /// The slot for a hash that is not here.
    @inlinable
    func vacancy(from hash: UInt32) -> Int {
        var slot = home(hash)
        while tags[slot] != 0 { slot = (slot + 1) & mask }
        return slot
    }

    @inlinable var mask: Int { tags.count - 1 }

    @inlinable
    func home(_ hash: UInt32) -> Int { Int(hash) & mask }

    /// Bits that the home does not depend on.
    @inlinable
    static func tag(_ hash: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 24) | 0x80 }

    @inlinable
    static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
        let memory = unsafe TableMemory.allocate(
            byteCount: capacity * MemoryLayout<Entry>.stride, alignment: MemoryLayout<Entry>.alignment)
        return unsafe memory.bindMemory(to: Entry.self, capacity: capacity)
    }
}
