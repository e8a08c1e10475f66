/// A counter that a test can await. It never decreases.
final class AwaitableCounter: Sendable {
    private let watched = Watched(0)

    var count: Int { watched.value }

    /// Increments the count and returns it.
    @discardableResult
    func add() -> Int {
        watched.change { count in
            count += 1
            return count
        }
    }

    /// Waits until the count is at least `count`, or until the task is cancelled.
    func reach(_ count: Int) async { await watched.reaches { $0 >= count } }
}
