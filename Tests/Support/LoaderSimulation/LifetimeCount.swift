import Synchronization

/// The number of existing handlers.
final class LifetimeCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    fileprivate func add(_ number: Int) { count.withLock { $0 += number } }
}

/// An object that a handler retains, and that counts it.
final class LifetimeToken: Sendable {
    private let count: LifetimeCount

    init(_ count: LifetimeCount) {
        self.count = count
        count.add(1)
    }

    deinit { count.add(-1) }

    /// Does nothing. A closure that calls it retains the token.
    func keep() {}
}
