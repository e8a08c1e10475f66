import ImageCore

/// The tickets of each waiter: most have one. Kept only from when somebody first asks for them, since few waiters' priorities change, and
/// each entry would cost every waiter its part.
struct WaiterIndex: Sendable {
    /// Of the others, who have several.
    private var more: [WaiterID: [JoinTicket]] = [:]
    private var tickets: [WaiterID: JoinTicket]?

    /// One that is not kept yet.
    init() {}

    init(_ all: [(JoinTicket, WaiterID)]) {
        tickets = [:]
        for (ticket, waiter) in all { add(ticket, of: waiter) }
    }

    var isKept: Bool { tickets != nil }
    var isEmpty: Bool { more.isEmpty && tickets?.isEmpty ?? true }

    /// The waiter's last; the others are in `earlier`.
    func last(of waiter: WaiterID) -> JoinTicket? { tickets?[waiter] }

    func earlier(of waiter: WaiterID) -> [JoinTicket] { more.isEmpty ? [] : more[waiter] ?? [] }

    mutating func add(_ ticket: JoinTicket, of waiter: WaiterID) {
        guard isKept, let earlier = tickets?.updateValue(ticket, forKey: waiter) else { return }
        more[waiter, default: []].append(earlier)
    }

    mutating func remove(_ ticket: JoinTicket, of waiter: WaiterID) {
        guard isKept else { return }
        if tickets?[waiter] == ticket {
            tickets?[waiter] = more.isEmpty ? nil : more[waiter]?.popLast()
        } else {
            more[waiter]?.removeAll { $0 == ticket }
        }
        if !more.isEmpty, more[waiter]?.isEmpty == true { more[waiter] = nil }
    }
}
