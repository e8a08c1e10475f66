import ImageTesting

/// A number that only increases, and that tests can await.
final class Counter: Sendable {
    private let watched = Watched(0)

    var count: Int { watched.value }

    func add(_ amount: Int) { watched.change { $0 += amount } }

    /// Waits until the number is at least `count`, or the task is cancelled.
    func reaches(_ count: Int) async { await watched.reaches { $0 >= count } }
}
