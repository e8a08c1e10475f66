import ImageCore
import ImageTesting
import Synchronization

/// The state that the test doubles of a simulation share.
final class SimulationContext: Sendable {
    struct State: Sendable {
        var expected = ExpectedState()
        var random: SeededRandom
        var violation: Violation?
        var isInvalidated = false
    }

    let executor: SeededExecutor
    let clock = ManualClock()
    private let state: Mutex<State>

    init(seed: UInt64) {
        executor = SeededExecutor(seed: seed)
        state = Mutex(State(random: SeededRandom(seed: ~seed)))
    }

    /// Reads or changes the expected state. `body` must call nothing but `LivePriority.value`.
    func update<Result: Sendable>(_ body: (inout ExpectedState) -> Result) -> Result {
        state.withLock { body(&$0.expected) }
    }

    /// Applies an event, which may break a promise.
    func record(_ event: (inout ExpectedState) -> Violation?) {
        if let violation = update(event) { record(violation) }
    }

    /// Records a violation, unless there is one already.
    func record(_ violation: Violation) { state.withLock { $0.violation = $0.violation ?? violation } }

    var isInvalidated: Bool { state.withLock { $0.isInvalidated } }

    func invalidate() { state.withLock { $0.isInvalidated = true } }

    /// Returns a random number below `count`.
    func draw(_ count: Int) -> Int { state.withLock { Int.random(in: 0..<count, using: &$0.random) } }

    /// Checks the expected state. Returns the first violation so far.
    func check(_ moment: ExpectedState.Moment) -> Violation? {
        state.withLock { state in
            state.violation = state.violation ?? state.expected.violation(at: moment)
            return state.violation
        }
    }
}
