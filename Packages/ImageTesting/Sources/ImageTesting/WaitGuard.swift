/// Ends the process if a test waits for an event that doesn't happen, and says what the test waited for.
///
/// Otherwise the test would hang until its time limit, without a word.
enum WaitGuard {
    /// The limit in turns of a second. Busy threads delay the next turn as they delay the event, so a wait on a busy machine
    /// lasts longer.
    ///
    /// Tests of this type need no time.
    @TaskLocal static var turns = 30

    /// Limits a wait until the returned task is cancelled.
    ///
    /// - Parameter state: Returns what has happened instead.
    static func start(
        _ file: StaticString, _ line: UInt, _ state: @escaping @Sendable () -> String
    ) -> Task<Void, any Error> {
        Task.detached { [turns] in
            for _ in 0..<turns { try await Task.sleep(for: .seconds(1)) }
            preconditionFailure("\(file):\(line): waited \(turns) s, and the state is still \(state().prefix(1_000))")
        }
    }
}

/// Yields to other tasks until a condition is true, or until the task is cancelled. Ends the process after 30 seconds.
func becomesTrue(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
    _ condition: () throws -> Bool
) async rethrows {
    let limit = WaitGuard.start(file, line) { "that the condition is false" }
    defer { limit.cancel() }
    while try !condition(), !Task.isCancelled { await Task.yield() }
}
