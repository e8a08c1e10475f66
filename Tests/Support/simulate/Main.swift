import LoaderSimulation

/// Runs workloads of the loader until so many steps of tasks have gone, from a seed on, and tells the first that fails.
@main
enum Main {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) }
        let steps = arguments.first.flatMap(\.self) ?? 1_000_000
        var seed = arguments.dropFirst().first.flatMap(\.self) ?? 1
        var (gone, workloads) = (0, 0)
        while gone < steps {
            gone += try Campaign().run(seed: seed)
            seed += 1
            workloads += 1
        }
        print("simulated \(gone) steps of \(workloads) workloads: every promise was kept")
    }
}
