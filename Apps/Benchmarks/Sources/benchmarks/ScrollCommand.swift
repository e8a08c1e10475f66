import Foundation
import ScrollStudy

/// Simulates scrolling through 10,000 rows: `benchmarks scroll [--json]`.
@MainActor
enum ScrollCommand {
    /// Returns whether all goals other than times are met.
    static func run(_ arguments: [String]) throws -> Bool {
        let scenarios = [ScrollScenario.steady(rowCount: 10_000), .natural(rowCount: 10_000, seed: 1)]
        var meetsGoals = true
        for scenario in scenarios {
            let ours = outcome(of: scenario, prefetches: true)
            meetsGoals = meetsGoals && ours.meetsGoals
            try report(ours, comparedWith: outcome(of: scenario, prefetches: false), isJSON: arguments == ["--json"])
        }
        return meetsGoals
    }

    /// Returns the outcome with the least time of five runs, which are otherwise identical.
    private static func outcome(of scenario: ScrollScenario, prefetches: Bool) -> ScrollOutcome {
        let outcomes = (0..<5).map { _ in
            ScrollSimulation(scenario, prefetches: prefetches, mainNanoseconds: Stopwatch.processorNanoseconds).run()
        }
        let least = outcomes.min { $0.mainMicroseconds < $1.mainMicroseconds }
        return least ?? outcomes[0]
    }

    private static func report(_ outcome: ScrollOutcome, comparedWith plain: ScrollOutcome, isJSON: Bool) throws {
        if isJSON {
            for outcome in [outcome, plain] {
                print(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
            }
        } else {
            print(outcome.text(comparedWith: plain))
        }
    }
}

extension ScrollOutcome {
    fileprivate func text(comparedWith plain: ScrollOutcome) -> String {
        func line(_ name: String, _ figure: (ScrollOutcome) -> String, goal: String = "") -> String {
            let columns = [figure(self), figure(plain)].map {
                String(repeating: " ", count: max(0, 14 - $0.count)) + $0
            }
            return "  " + name.padding(toLength: 48, withPad: " ", startingAt: 0) + columns.joined() + goal
        }
        func percent(_ share: Double) -> String { String(format: "%.2f %%", 100 * share) }
        let wasteGoal = "   goal: less than \(Int(100 * Self.wastedShareGoal)) %"
        return [
            line("\(scenario), \(appearances) cells", { $0.prefetches ? "with prefetch" : "without" }),
            line("cells with their image in the first frame", { percent($0.share(of: $0.atOnce)) }),
            line("cells that never showed their image", { percent($0.share(of: $0.blank)) }),
            line("wrong images", { "\($0.wrong)" }, goal: "   goal: 0"),
            line("wasted transfers", { percent($0.wastedTransferShare) }, goal: wasteGoal),
            line("wasted bytes", { percent($0.wastedByteShare) }, goal: wasteGoal),
            line("decodes of images never shown", { percent($0.wastedDecodeShare) }, goal: wasteGoal),
            line(
                "main actor, processor time per cell", { String(format: "%.1f µs", $0.mainMicrosecondsPerCell) },
                goal: "   goal: less than \(Int(Self.mainMicrosecondsGoal)) µs"),
        ].joined(separator: "\n")
    }

    private func share(of count: Int) -> Double { Double(count) / Double(max(1, appearances)) }
}
