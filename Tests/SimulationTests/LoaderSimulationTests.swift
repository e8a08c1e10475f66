import LoaderSimulation
import Testing

@Suite("Simulation of the loader")
struct LoaderSimulationTests {
    @Test("the loader keeps its promises under random schedules", arguments: UInt64(1)...10)
    func promises(seed: UInt64) throws {
        #expect(try Campaign().run(seed: seed) > 100)
    }

    @Test("a seed always gives the same schedule")
    func determinism() throws {
        let runs = try [11, 11, 12].map { (seed: UInt64) in
            let simulation = Simulation(Workload(seed: seed, events: 100))
            try simulation.run()
            return simulation.fingerprint
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0] != runs[2])
    }

    @Test(
        "each planted bug is found, and its workload shrinks to a few events", arguments: PlantedBug.allCases)
    func plantedBug(_ bug: PlantedBug) throws {
        let finding = try #require(throws: Campaign.Finding.self) {
            for seed in 1...UInt64(20) { _ = try Campaign(bug: bug).run(seed: seed) }
        }
        #expect(bug.promises.contains(finding.failure.violation.promise), "\(finding)")
        #expect(finding.smallestFailure?.violation.promise == finding.failure.violation.promise, "\(finding)")
        #expect(finding.smallest.steps.count <= 12, "\(finding)")
    }
}
