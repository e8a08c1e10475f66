import ImageTesting
import Testing

@Suite("Scrolling with prefetching", .timeLimit(.minutes(10)))
@MainActor
struct ScrollTests {
    private func run(_ rows: [Int], prefetches: Bool = true) -> SimulatedScroll.Outcome {
        let rowCount = (rows.max() ?? 0) + SimulatedScroll.screen
        return SimulatedScroll(rowCount: rowCount, prefetches: prefetches).run(rows)
    }

    @Test("at 60 rows per second, nearly all rows have their image in the first frame, and little work is wasted")
    func steady() {
        let outcome = run(Array(0...988))
        #expect(outcome.meetsGoals && 50 * outcome.wastedTransfers < outcome.transfers, "\(outcome)")
        #expect(outcome.appearances == 1_000)
        // The first second is a cold start, in which nothing is cached.
        #expect(outcome.atOnce > 940 && outcome.blank <= SimulatedScroll.screen, "\(outcome)")
    }

    @Test("natural scrolling wastes little work, less than without prefetching, and never shows a wrong image")
    func natural() {
        // The goals apply to long lists. In a short list, a single fling wastes a large share of the work.
        let rows = Self.natural(to: 3_988, seed: 1)
        let (outcome, plain) = (run(rows), run(rows, prefetches: false))
        #expect(outcome.meetsGoals, "\(outcome)")
        #expect(3 * outcome.atOnce > 2 * outcome.appearances, "\(outcome)")
        #expect(2 * outcome.wastedTransfers < plain.wastedTransfers, "\(outcome), \(plain)")
        #expect(2 * outcome.blank < plain.blank && plain.wrong == 0, "\(outcome), \(plain)")
    }

    @Test("the same rows have the same outcome")
    func determinism() {
        let outcomes = [7, 7, 8].map { run(Self.natural(to: 188, seed: $0)) }
        #expect(outcomes[0] == outcomes[1] && outcomes[0] != outcomes[2])
    }

    /// Returns the topmost row in each frame of a scroll like a person's: drags of 20 to 100 rows per second, flings that
    /// slow down from 150, pauses, and movements back.
    private static func natural(to end: Int, seed: UInt64) -> [Int] {
        var random = SeededRandom(seed: seed)
        var (rows, position) = ([0], 0.0)
        func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        func move(_ velocity: Double) {
            position = min(max(0, position + velocity / 60), Double(end))
            rows.append(Int(position))
        }
        while position < Double(end) {
            let kind = draw(0...9)
            if (3...4).contains(kind) {
                for velocity in sequence(first: 150.0, next: { $0 > 5 ? $0 * 0.97 : nil }) { move(velocity) }
                continue
            }
            let velocity = kind < 2 ? 0 : kind == 2 ? -draw(20...60) : draw(20...100)
            for _ in 0..<(kind <= 2 ? draw(10...60) : draw(20...120)) { move(Double(velocity)) }
        }
        return rows
    }
}
