/// What the folder holds, by the cache's best knowledge: each entry's size and when it was used last, in that order.
///
/// A pure value; every operation is O(1), but the beginning from a scan sorts once. The places of the names form a doubly
/// linked list by index in one array.
package struct RecencyIndex {
    /// One entry's file.
    package struct Record: Hashable, Sendable {
        package var name: EntryName
        package var byteCount: Int
        /// When it was used last, in nanoseconds since 1970.
        package var stamp: Int64

        package init(name: EntryName, byteCount: Int, stamp: Int64) {
            self.name = name
            self.byteCount = byteCount
            self.stamp = stamp
        }
    }

    private struct Node {
        var record: Record
        var newer: Int
        var older: Int
    }

    private static var nowhere: Int { -1 }

    private var places: [EntryName: Int] = [:]
    private var nodes: [Node] = []
    private var freePlaces: [Int] = []
    private var newestPlace = Self.nowhere
    private var oldestPlace = Self.nowhere

    /// The lengths of all files, in bytes.
    package private(set) var byteCount = 0

    /// An index of what a scan found, in any order. Names are not given twice.
    package init(_ records: [Record] = []) {
        places.reserveCapacity(records.count)
        nodes.reserveCapacity(records.count)
        for record in records.sorted(by: { $0.stamp < $1.stamp }) { insert(record) }
    }

    package var count: Int { places.count }
    package var oldest: Record? { record(at: oldestPlace) }
    package var newest: Record? { record(at: newestPlace) }

    package subscript(name: EntryName) -> Record? { places[name].map { nodes[$0].record } }

    /// Puts a record in as the most recently used, in place of an earlier one of that name.
    package mutating func insert(_ record: Record) {
        remove(record.name)
        let place = freePlaces.popLast() ?? nodes.count
        let node = Node(record: record, newer: Self.nowhere, older: Self.nowhere)
        if place == nodes.count { nodes.append(node) } else { nodes[place] = node }
        places[record.name] = place
        byteCount += record.byteCount
        linkAsNewest(place)
    }

    /// Makes an entry the most recently used; false when it is not known.
    @discardableResult
    package mutating func touch(_ name: EntryName, stamp: Int64) -> Bool {
        guard let place = places[name] else { return false }
        nodes[place].record.stamp = stamp
        if place != newestPlace {
            unlink(place)
            linkAsNewest(place)
        }
        return true
    }

    package mutating func remove(_ name: EntryName) {
        guard let place = places.removeValue(forKey: name) else { return }
        unlink(place)
        freePlaces.append(place)
        byteCount -= nodes[place].record.byteCount
    }

    private func record(at place: Int) -> Record? { place == Self.nowhere ? nil : nodes[place].record }

    private mutating func unlink(_ place: Int) {
        let node = nodes[place]
        if node.newer == Self.nowhere { newestPlace = node.older } else { nodes[node.newer].older = node.older }
        if node.older == Self.nowhere { oldestPlace = node.newer } else { nodes[node.older].newer = node.newer }
    }

    private mutating func linkAsNewest(_ place: Int) {
        nodes[place].newer = Self.nowhere
        nodes[place].older = newestPlace
        if newestPlace == Self.nowhere { oldestPlace = place } else { nodes[newestPlace].newer = place }
        newestPlace = place
    }
}
