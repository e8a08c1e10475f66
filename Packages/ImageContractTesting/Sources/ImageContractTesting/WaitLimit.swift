import ImageTesting

/// How long a rule waits for an event. It counts yields to other tasks, because rules don't read the time.
enum WaitLimit {
    /// The number of yields. It is high enough for a correct subject on a busy machine.
    ///
    /// A lower number is enough to show that a rule fails for a double that breaks it.
    @TaskLocal static var yields = 200_000

    /// Waits until a condition is true. Returns false if it is still false after `factor * yields` yields.
    static func becomesTrue(timesAsLong factor: Int = 1, _ condition: () -> Bool) async -> Bool {
        for _ in 0..<factor * yields {
            if condition() { return true }
            await Task.yield()
        }
        return false
    }
}

extension MessageLog {
    /// Waits for `count` messages. Returns false if they have not arrived within the wait limit.
    func reaches(_ count: Int) async -> Bool { await WaitLimit.becomesTrue { self.messages.count >= count } }
}
