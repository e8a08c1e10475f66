import Synchronization

/// Counts the handlers that exist.
final class LifetimeCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    fileprivate func add(_ number: Int) { count.withLock { $0 += number } }
}

/// Exists as long as the handler that holds it.
final class LifetimeToken: Sendable {
    private let count: LifetimeCount

    init(_ count: LifetimeCount) {
        self.count = count
        count.add(1)
    }

    deinit { count.add(-1) }

    /// Does nothing. A closure that calls it holds the token.
    func keep() {}
}
