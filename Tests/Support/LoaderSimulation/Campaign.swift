/// Runs simulations. If one fails, finds the smallest workload that breaks the same promise.
package struct Campaign {
    package struct Finding: Error, CustomStringConvertible {
        package var seed: UInt64
        package var failure: Simulation.Failure
        package var smallest: Workload
        package var smallestFailure: Simulation.Failure?

        package var description: String {
            let events = smallest.steps.map { "    \($0.event); then \($0.stepsAfter) steps" }
            return """
                seed \(seed) \(failure)
                the smallest workload found, which \(smallestFailure.map { "fails \($0)" } ?? "no longer fails"):
                \(events.joined(separator: "\n"))
                """
        }
    }

    /// The number of events of each workload.
    private let events: Int
    private let bug: PlantedBug?

    package init(events: Int = 150, bug: PlantedBug? = nil) {
        self.events = events
        self.bug = bug
    }

    /// Runs one simulation and returns the number of its steps.
    package func run(seed: UInt64) throws(Finding) -> Int {
        let workload = Workload(seed: seed, events: events)
        let simulation = Simulation(workload, bug: bug)
        do throws(Simulation.Failure) {
            try simulation.run()
            return simulation.stepCount
        } catch {
            let smallest = Shrinking().shrunk(workload, breaking: error.violation.promise, bug: bug)
            let again = Simulation.failure(of: smallest, bug: bug)
            throw Finding(seed: seed, failure: error, smallest: smallest, smallestFailure: again)
        }
    }
}
