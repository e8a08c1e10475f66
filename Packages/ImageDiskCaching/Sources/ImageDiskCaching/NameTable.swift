/// Finds the slot of a record by its name. An open hash table with linear probing, at most three quarters full.
///
/// It stores no names: callers pass the records, indexed by slot.
struct NameTable: Sendable {
    private struct Bucket {
        static let empty = Bucket(slot: -1, tag: 0)

        /// The slot of a record, or -1 if the bucket is empty.
        var slot: Int32
        /// Bits of the name's hash. If the tag differs, the record needn't be read.
        var tag: UInt32

        var isEmpty: Bool { slot < 0 }
    }

    private var buckets: [Bucket]
    private var count = 0

    /// - Parameter capacity: The number of records that fit without growing.
    init(capacity: Int) {
        var size = 16
        while size * 3 < capacity * 4 { size *= 2 }
        buckets = Array(repeating: .empty, count: size)
    }

    func slot(of name: EntryName, among records: [EntryIndex.Record]) -> Int? {
        bucket(of: name, records).map { Int(buckets[$0].slot) }
    }

    /// Inserts the slot of a record. Its name must not be in the table.
    mutating func insert(_ slot: Int, among records: [EntryIndex.Record]) {
        if (count + 1) * 4 > buckets.count * 3 { enlarge(records) }
        enter(Int32(slot), records)
        count += 1
    }

    /// Changes the slot of a record.
    mutating func move(_ old: Int, to slot: Int, among records: [EntryIndex.Record]) {
        if let bucket = bucket(of: records[old].name, records) { buckets[bucket].slot = Int32(slot) }
    }

    /// Removes a name and returns its slot.
    mutating func remove(_ name: EntryName, among records: [EntryIndex.Record]) -> Int? {
        guard let bucket = bucket(of: name, records) else { return nil }
        let slot = Int(buckets[bucket].slot)
        vacate(bucket, records)
        count -= 1
        return slot
    }

    /// Returns the bucket at which the search for a name starts.
    private func home(of name: EntryName) -> Int { Int(truncatingIfNeeded: name.hash) & (buckets.count - 1) }

    private func tag(of name: EntryName) -> UInt32 { UInt32(truncatingIfNeeded: name.hash >> 32) }

    private func bucket(of name: EntryName, _ records: [EntryIndex.Record]) -> Int? {
        let tag = tag(of: name)
        var bucket = home(of: name)
        while !buckets[bucket].isEmpty {
            if buckets[bucket].tag == tag, records[Int(buckets[bucket].slot)].name == name { return bucket }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return nil
    }

    private mutating func enter(_ slot: Int32, _ records: [EntryIndex.Record]) {
        let name = records[Int(slot)].name
        var bucket = home(of: name)
        while !buckets[bucket].isEmpty { bucket = (bucket + 1) & (buckets.count - 1) }
        buckets[bucket] = Bucket(slot: slot, tag: tag(of: name))
    }

    /// Empties a bucket, and moves following entries to earlier buckets if their search would now end too early.
    private mutating func vacate(_ bucket: Int, _ records: [EntryIndex.Record]) {
        var hole = bucket
        var next = (hole + 1) & (buckets.count - 1)
        while !buckets[next].isEmpty {
            let distance = (next - home(of: records[Int(buckets[next].slot)].name)) & (buckets.count - 1)
            if distance >= (next - hole) & (buckets.count - 1) {
                buckets[hole] = buckets[next]
                hole = next
            }
            next = (next + 1) & (buckets.count - 1)
        }
        buckets[hole] = .empty
    }

    private mutating func enlarge(_ records: [EntryIndex.Record]) {
        let older = buckets.filter { !$0.isEmpty }
        buckets = Array(repeating: .empty, count: buckets.count * 2)
        for bucket in older { enter(bucket.slot, records) }
    }
}
