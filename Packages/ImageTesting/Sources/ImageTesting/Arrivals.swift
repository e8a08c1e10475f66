/// A count that only grows, and that a test can wait for.
final class Arrivals: Sendable {
    private let watched = Watched(0)

    var count: Int { watched.value }

    /// Returns the new count.
    @discardableResult
    func add() -> Int {
        watched.change { count in
            count += 1
            return count
        }
    }

    /// Returns also when the task is cancelled.
    func reach(_ count: Int) async { await watched.reaches { $0 >= count } }
}
