import ImageTesting

/// A number that only grows and can be waited for.
final class Counter: Sendable {
    private let watched = Watched(0)

    var count: Int { watched.value }

    func add(_ amount: Int) { watched.change { $0 += amount } }

    /// Returns also when the task is cancelled.
    func reaches(_ count: Int) async { await watched.reaches { $0 >= count } }
}
