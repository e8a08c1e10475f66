/// The tickets of one job in the order in which they joined; joining and leaving cost O(1) on average.
struct JoinOrder: Sendable {
    /// Nil where one left.
    private var places: [JoinTicket?] = []
    private var positions: [JoinTicket: Int] = [:]

    var isEmpty: Bool { positions.isEmpty }
    var count: Int { positions.count }
    var tickets: [JoinTicket] { places.compactMap(\.self) }

    mutating func append(_ ticket: JoinTicket) {
        positions[ticket] = places.count
        places.append(ticket)
    }

    mutating func remove(_ ticket: JoinTicket) {
        guard let position = positions.removeValue(forKey: ticket) else { return }
        places[position] = nil
        if places.count > 16, positions.count * 2 < places.count { closeGaps() }
    }

    private mutating func closeGaps() {
        let tickets = tickets
        places = tickets
        for (position, ticket) in tickets.enumerated() { positions[ticket] = position }
    }
}
