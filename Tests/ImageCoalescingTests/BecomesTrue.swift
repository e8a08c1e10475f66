import Testing

/// Lets the other tasks go on until the condition holds; an issue when it does not after very many turns.
func becomesTrue(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async {
    for _ in 0..<500_000 {
        if condition() { return }
        await Task.yield()
    }
    Issue.record("it never became true", sourceLocation: sourceLocation)
}
