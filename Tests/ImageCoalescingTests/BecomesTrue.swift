import Testing

/// Lets other tasks run until the condition holds. Records an issue if it does not hold after very many turns.
func becomesTrue(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async {
    for _ in 0..<500_000 {
        if condition() { return }
        await Task.yield()
    }
    Issue.record("it never became true", sourceLocation: sourceLocation)
}
