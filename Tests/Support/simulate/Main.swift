import LoaderSimulation

/// Simulates the loader with consecutive seeds, for at least the given number of steps. Stops at the first violation.
///
/// Arguments: the minimum number of steps (by default a million) and the first seed (by default 1).
@main
enum Main {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) }
        let steps = arguments.first.flatMap(\.self) ?? 1_000_000
        var seed = arguments.dropFirst().first.flatMap(\.self) ?? 1
        var (stepCount, workloadCount) = (0, 0)
        while stepCount < steps {
            stepCount += try Campaign().run(seed: seed)
            seed += 1
            workloadCount += 1
        }
        print("simulated \(stepCount) steps of \(workloadCount) workloads: no violations")
    }
}
