/// Names one call of `value(for:)`, so that a `WaiterID` that waits twice is still two waiters.
///
/// An index into the tables of whoever waits, which is used again when its waiter has been answered, and how often it had been used.
struct JoinTicket: Hashable, Sendable {
    let index: UInt32
    let generation: UInt32

    init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    init(rawValue: UInt64) {
        self.init(index: UInt32(truncatingIfNeeded: rawValue), generation: UInt32(truncatingIfNeeded: rawValue >> 32))
    }

    var rawValue: UInt64 { UInt64(generation) << 32 | UInt64(index) }
}

/// What is kept for each ticket: a dictionary without hashing.
struct TicketTable<Element: Sendable>: Sendable {
    private struct Place: Sendable {
        var generation: UInt32 = 0
        var element: Element?
    }

    private var places: [Place] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(ticket: JoinTicket) -> Element? {
        get {
            let index = Int(ticket.index)
            guard index < places.count, places[index].generation == ticket.generation else { return nil }
            return places[index].element
        }
        set {
            let index = Int(ticket.index)
            while places.count <= index { places.append(Place()) }
            if places[index].element != nil { count -= 1 }
            if newValue != nil { count += 1 }
            places[index].generation = ticket.generation
            places[index].element = newValue
        }
    }

    mutating func remove(_ ticket: JoinTicket) -> Element? {
        let index = Int(ticket.index)
        guard index < places.count, places[index].generation == ticket.generation else { return nil }
        guard let element = places[index].element.take() else { return nil }
        count -= 1
        return element
    }
}

/// Gives out tickets, no two at a time with the same index.
struct TicketRoll: Sendable {
    private var returned: [JoinTicket] = []
    private var nextIndex: UInt32 = 0

    mutating func take() -> JoinTicket {
        if let ticket = returned.popLast() {
            return JoinTicket(index: ticket.index, generation: ticket.generation &+ 1)
        }
        nextIndex += 1
        return JoinTicket(index: nextIndex - 1, generation: 0)
    }

    /// The ticket is never used again, its index is.
    mutating func giveBack(_ ticket: JoinTicket) { returned.append(ticket) }
}
