import Synchronization

/// Keeps what a subject tells, and lets a rule wait for it without waiting for ever.
final class EventLog<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }
    var count: Int { elements.withLock { $0.count } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }

    /// False when so much has not come after very many turns of the other tasks: then it is taken to be lost.
    func reaches(_ count: Int) async -> Bool { await Patience.comesTrue { self.count >= count } }
}
