import ScrollStudy
import Testing

@Suite("Scroll simulation", .timeLimit(.minutes(10)))
@MainActor
struct ScrollSimulationTests {
    private func run(_ scenario: ScrollScenario, prefetches: Bool = true) -> ScrollOutcome {
        ScrollSimulation(scenario, prefetches: prefetches).run()
    }

    @Test("at 60 rows per second, nearly all rows have their image in the first frame, and little work is wasted")
    func steady() {
        let outcome = run(.steady(rowCount: 1_000))
        #expect(outcome.meetsGoals && outcome.wastedTransferShare < 0.02, "\(outcome)")
        #expect(outcome.appearances == 1_000)
        // The first second is a cold start, in which nothing is cached.
        #expect(outcome.atOnce > 1_000 - ScrollScenario.framesPerSecond, "\(outcome)")
        #expect(outcome.blank <= ScrollScenario.screen, "\(outcome)")
    }

    @Test("natural scrolling wastes little work, less than without prefetching, and never shows a wrong image")
    func natural() {
        // The goals apply to long lists. In a short list, a single fling wastes a large share of the work.
        let scenario = ScrollScenario.natural(rowCount: 4_000, seed: 1)
        let (outcome, plain) = (run(scenario), run(scenario, prefetches: false))
        #expect(outcome.meetsGoals, "\(outcome)")
        #expect(3 * outcome.atOnce > 2 * outcome.appearances, "\(outcome)")
        #expect(2 * outcome.wastedTransfers < plain.wastedTransfers, "\(outcome), \(plain)")
        #expect(2 * outcome.blank < plain.blank, "\(outcome), \(plain)")
        #expect(plain.wrong == 0, "\(plain)")
    }

    @Test("the same scenario has the same outcome")
    func determinism() {
        let outcomes = [
            run(.natural(rowCount: 200, seed: 7)), run(.natural(rowCount: 200, seed: 7)),
            run(.natural(rowCount: 200, seed: 8)),
        ]
        #expect(outcomes[0] == outcomes[1])
        #expect(outcomes[0] != outcomes[2])
    }
}
