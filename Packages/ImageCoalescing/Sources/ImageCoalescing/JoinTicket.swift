/// Names an element of a table: an index, which is used again when the element is gone, and how often it had been used.
protocol TableName: Hashable, Sendable {
    var index: UInt32 { get }
    var generation: UInt32 { get }

    init(index: UInt32, generation: UInt32)
}

/// Names one who waits for one piece of work.
struct JoinTicket: TableName {
    let index: UInt32
    let generation: UInt32
}

/// Names one piece of shared work.
struct JobID: TableName {
    let index: UInt32
    let generation: UInt32
}

/// What is kept under names: a dictionary without hashing, whose elements are changed where they lie.
struct TicketTable<Name: TableName, Element: Sendable>: Sendable {
    private struct Place: Sendable {
        var generation: UInt32 = 0
        var element: Element?
    }

    private var places: [Place] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Of all elements, in the order of their places.
    var names: [Name] {
        places.indices.filter { places[$0].element != nil }
            .map { Name(index: UInt32($0), generation: places[$0].generation) }
    }

    subscript(name: Name) -> Element? {
        get {
            let index = Int(name.index)
            guard index < places.count, places[index].generation == name.generation else { return nil }
            return places[index].element
        }
        set {
            let index = Int(name.index)
            while places.count <= index { places.append(Place()) }
            if places[index].element != nil { count -= 1 }
            if newValue != nil { count += 1 }
            places[index].generation = name.generation
            places[index].element = newValue
        }
    }

    func contains(_ name: Name) -> Bool {
        let index = Int(name.index)
        return index < places.count && places[index].generation == name.generation && places[index].element != nil
    }

    /// Looks at an element where it lies: copies would cost more than the look.
    func with<Answer>(_ name: Name, _ look: (borrowing Element?) -> Answer?) -> Answer? {
        let index = Int(name.index)
        guard index < places.count, places[index].generation == name.generation else { return nil }
        return look(places[index].element)
    }

    /// Changes an element, which must not be taken away by that. Nothing happens when there is none.
    @discardableResult
    mutating func change<Answer>(_ name: Name, _ event: (inout Element?) -> Answer?) -> Answer? {
        let index = Int(name.index)
        guard index < places.count, places[index].generation == name.generation else { return nil }
        return event(&places[index].element)
    }

    mutating func remove(_ name: Name) -> Element? {
        let index = Int(name.index)
        guard index < places.count, places[index].generation == name.generation else { return nil }
        guard let element = places[index].element.take() else { return nil }
        count -= 1
        return element
    }
}

/// Gives out names, no two at a time with the same index.
struct TicketRoll<Name: TableName>: Sendable {
    private var returned: [Name] = []
    private var nextIndex: UInt32 = 0

    mutating func take() -> Name {
        if let name = returned.popLast() { return Name(index: name.index, generation: name.generation &+ 1) }
        nextIndex += 1
        return Name(index: nextIndex - 1, generation: 0)
    }

    /// The name is never used again, its index is.
    mutating func giveBack(_ name: Name) { returned.append(name) }
}
