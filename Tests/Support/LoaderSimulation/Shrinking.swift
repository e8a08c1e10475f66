/// Finds a smaller workload that breaks the same promise. Removes as many events as possible, longer sequences first
/// (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002).
///
/// Fewer events give another schedule, which may not show the bug. So each smaller workload runs with several seeds.
struct Shrinking {
    /// The maximum number of attempted removals.
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
                if let smaller = smallest.without(start, length).first(where: { breaks(promise, $0, bug) }) {
                    smallest = smaller
                    shrank = true
                } else {
                    start += length
                }
            }
            if left <= 0 || (length == 1 && !shrank) { return smallest }
            length = max(1, length / 2)
        }
    }

    private func breaks(_ promise: Promise, _ workload: Workload, _ bug: PlantedBug?) -> Bool {
        Simulation.failure(of: workload, bug: bug)?.violation.promise == promise
    }
}

extension Workload {
    /// Returns the workload without some of its events, with several seeds.
    fileprivate func without(_ start: Int, _ length: Int) -> [Workload] {
        var smaller = self
        smaller.steps.removeSubrange(start..<min(start + length, steps.count))
        return (0..<UInt64(5)).map { Workload(seed: seed &+ $0, steps: smaller.steps) }
    }
}

extension Simulation {
    /// Returns the failure of a simulation of this workload, or nil.
    static func failure(of workload: Workload, bug: PlantedBug? = nil) -> Failure? {
        do throws(Failure) {
            try Simulation(workload, bug: bug).run()
            return nil
        } catch {
            return error
        }
    }
}
