/// How long a rule waits for what should come before it takes it to be lost: in turns of the other tasks, as no rule asks for the time.
package enum Patience {
    /// So many that a subject which keeps the promise is not taken for a broken one on a busy machine. Less is enough to see that a rule
    /// bites a double which never keeps it.
    @TaskLocal package static var turns = 200_000

    /// False when it has not come true after so many turns, or so many times as many: then it is taken to never do.
    static func comesTrue(timesAsLong factor: Int = 1, _ condition: () -> Bool) async -> Bool {
        for _ in 0..<factor * turns {
            if condition() { return true }
            await Task.yield()
        }
        return false
    }
}
