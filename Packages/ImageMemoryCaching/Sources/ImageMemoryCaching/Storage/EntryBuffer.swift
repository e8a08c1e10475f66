/// Keys and values by place, in memory that nobody else has. A place that is free holds nothing.
///
/// Memory of its own rather than an array of optionals, and entries that can't be copied, because otherwise a look copies the
/// stored key before it compares it: measured, more than half of a hit. Who calls this knows which places are in use.
@safe @usableFromInline
struct EntryBuffer<Key, Value>: ~Copyable {
    @usableFromInline
    struct Entry: ~Copyable {
        @usableFromInline let key: Key
        @usableFromInline let value: Value

        @inlinable
        init(key: Key, value: Value) {
            self.key = key
            self.value = value
        }

        @inlinable
        func isUnder(_ other: Key) -> Bool where Key: Equatable { key == other }
    }

    @usableFromInline var base: UnsafeMutablePointer<Entry>
    @usableFromInline var capacity = 0
    /// Which places are in use, as far as they ever were.
    @usableFromInline var isUsed: [Bool] = []

    @inlinable
    init() { unsafe base = Self.allocate(0) }

    @inlinable
    deinit {
        for place in isUsed.indices where isUsed[place] { unsafe (base + place).deinitialize(count: 1) }
        unsafe base.deallocate()
    }

    /// Whether a place is in use.
    @inlinable
    func holds(_ place: Int) -> Bool { place < isUsed.count && isUsed[place] }

    /// Whether the entry at a place in use has that key.
    @inlinable
    func isKey(_ key: Key, at place: Int) -> Bool where Key: Equatable { unsafe base[place].isUnder(key) }

    /// The value at a place in use.
    @inlinable
    func value(at place: Int) -> Value { unsafe base[place].value }

    /// Fills a free place; either one that was in use before or the next one.
    @inlinable
    mutating func put(_ entry: consuming Entry, at place: Int) {
        if place == capacity { grow() }
        if place == isUsed.count { isUsed.append(false) }
        precondition(!isUsed[place], "a place is filled twice")
        isUsed[place] = true
        unsafe (base + place).initialize(to: entry)
    }

    /// Empties a place in use.
    @inlinable
    mutating func take(_ place: Int) -> (key: Key, value: Value) {
        precondition(isUsed[place], "a place is emptied twice")
        isUsed[place] = false
        let entry = unsafe (base + place).move()
        return (entry.key, entry.value)
    }

    /// What is made of each entry.
    @inlinable
    func map<Result>(_ transform: (borrowing Entry) -> Result) -> [Result] {
        isUsed.indices.filter { isUsed[$0] }.map { unsafe transform(base[$0]) }
    }

    @inlinable
    mutating func grow() {
        let larger = max(16, capacity * 2)
        let older = unsafe base
        unsafe base = Self.allocate(larger)
        for place in isUsed.indices where isUsed[place] {
            unsafe (base + place).moveInitialize(from: older + place, count: 1)
        }
        unsafe older.deallocate()
        capacity = larger
    }

    /// On a line of the processor's cache, so that an entry of 64 bytes is in one.
    @inlinable
    static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
        let bytes = UnsafeMutableRawPointer.allocate(
            byteCount: capacity * MemoryLayout<Entry>.stride, alignment: 64)
        return unsafe bytes.bindMemory(to: Entry.self, capacity: capacity)
    }
}
