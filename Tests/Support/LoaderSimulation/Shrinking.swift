/// Finds a smaller workload that still breaks the same promise: drops as many events as possible, larger runs of them first
/// (Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002).
struct Shrinking {
    /// How many simulations it may take.
    var attempts = 2_000

    func shrunk(_ workload: Workload, breaking promise: Promise, bug: PlantedBug? = nil) -> Workload {
        var smallest = workload
        var left = attempts
        var length = max(1, workload.steps.count / 2)
        while true {
            var start = 0
            var shrank = false
            while start < smallest.steps.count, left > 0 {
                left -= 1
                var candidate = smallest
                candidate.steps.removeSubrange(start..<min(start + length, candidate.steps.count))
                if Simulation.failure(of: candidate, bug: bug)?.violation.promise == promise {
                    smallest = candidate
                    shrank = true
                } else {
                    start += length
                }
            }
            if left <= 0 || (length == 1 && !shrank) { return smallest }
            length = max(1, length / 2)
        }
    }
}

extension Simulation {
    /// How a simulation of this workload fails; nil when it does not.
    static func failure(of workload: Workload, bug: PlantedBug? = nil) -> Failure? {
        do throws(Failure) {
            try Simulation(workload, bug: bug).run()
            return nil
        } catch {
            return error
        }
    }
}
