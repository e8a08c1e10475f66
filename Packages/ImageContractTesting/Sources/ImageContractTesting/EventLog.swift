import Synchronization

/// Records the events of a subject. A rule can wait for them, but not forever.
final class EventLog<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }
    var count: Int { elements.withLock { $0.count } }

    func removeAll() { elements.withLock { $0 = [] } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }

    /// Waits for `count` events. Returns false if they have not arrived within the wait limit.
    func reaches(_ count: Int) async -> Bool { await WaitLimit.becomesTrue { self.count >= count } }
}
