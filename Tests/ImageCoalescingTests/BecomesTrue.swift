import Testing

/// Yields until the condition is true. Records an issue after many attempts.
func becomesTrue(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async {
    for _ in 0..<500_000 {
        if condition() { return }
        await Task.yield()
    }
    Issue.record("the condition never became true", sourceLocation: sourceLocation)
}
