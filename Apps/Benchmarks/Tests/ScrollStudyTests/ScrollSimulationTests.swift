import ScrollStudy
import Testing

@Suite("A list that is scrolled", .timeLimit(.minutes(10)))
@MainActor
struct ScrollSimulationTests {
    private func run(_ scenario: ScrollScenario, prefetches: Bool = true) -> ScrollOutcome {
        ScrollSimulation(scenario, prefetches: prefetches) { 0 }.run()
    }

    @Test("at 60 rows a second nearly every row has its image at once, and hardly any work is for nothing")
    func steady() {
        let outcome = run(.steady(rowCount: 1_000))
        #expect(outcome.meetsGoals && outcome.wastedTransferShare < 0.02, "\(outcome)")
        #expect(outcome.appearances == 1_000)
        // The first second is the cold start: nothing is there, and the list goes at once.
        #expect(outcome.atOnce > 1_000 - ScrollScenario.framesPerSecond, "\(outcome)")
        #expect(outcome.blank <= ScrollScenario.screen, "\(outcome)")
    }

    @Test("as people scroll, little work is for nothing, less than without a window, and nothing wrong is shown")
    func restless() {
        // The goals are for long lists: in a short one a single fling is a large part of all, and is in vain.
        let scenario = ScrollScenario.restless(rowCount: 4_000, seed: 1)
        let (outcome, plain) = (run(scenario), run(scenario, prefetches: false))
        #expect(outcome.meetsGoals, "\(outcome)")
        #expect(3 * outcome.atOnce > 2 * outcome.appearances, "\(outcome)")
        #expect(2 * outcome.wastedTransfers < plain.wastedTransfers, "\(outcome), \(plain)")
        #expect(2 * outcome.blank < plain.blank, "\(outcome), \(plain)")
        #expect(plain.wrong == 0, "\(plain)")
    }

    @Test("without a window of prefetches, no row has its image at once")
    func withoutWindow() {
        let outcome = run(.steady(rowCount: 300), prefetches: false)
        #expect(outcome.atOnce == 0 && outcome.wrong == 0, "\(outcome)")
    }

    @Test("the same scenario has the same outcome")
    func determinism() {
        let outcomes = [
            run(.restless(rowCount: 200, seed: 7)), run(.restless(rowCount: 200, seed: 7)),
            run(.restless(rowCount: 200, seed: 8)),
        ]
        #expect(outcomes[0] == outcomes[1])
        #expect(outcomes[0] != outcomes[2])
    }
}
