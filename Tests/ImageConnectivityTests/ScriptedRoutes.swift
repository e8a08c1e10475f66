import Dispatch
import ImageConnectivity
import Synchronization

/// Routes that a test brings about.
final class ScriptedRoutes: RouteSource {
    private struct State {
        var answer: Result<Bool, ConnectivityFailure>
        /// Who brought a change that was not looked at yet, and who brought the one that is being looked at.
        var bringers: [CheckedContinuation<Void, Never>] = []
        var seen: [CheckedContinuation<Void, Never>] = []
        var isEnded = false
        var onLeave: CheckedContinuation<Void, Never>?
        var hasLeft = false
    }

    private let state: Mutex<State>
    private let changes = DispatchSemaphore(value: 0)

    init(_ answer: Result<Bool, ConnectivityFailure>) { state = Mutex(State(answer: answer)) }

    /// Returns when the waiter for changes has looked.
    func bring(_ answer: Result<Bool, ConnectivityFailure>) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.answer = answer
                state.bringers.append(continuation)
            }
            changes.signal()
        }
    }

    /// Returns when nobody waits for changes any more.
    func left() async {
        await withCheckedContinuation { continuation in
            let hasLeft = state.withLock { state in
                if !state.hasLeft { state.onLeave = continuation }
                return state.hasLeft
            }
            if hasLeft { continuation.resume() }
        }
    }

    func hasDefaultRoute() throws(ConnectivityFailure) -> Bool { try state.withLock { $0.answer }.get() }

    func waitForChange() -> Bool {
        for bringer in state.withLock({ take(&$0.seen) }) { bringer.resume() }
        changes.wait()
        let (goesOn, leaver) = state.withLock { state in
            state.seen = take(&state.bringers)
            state.hasLeft = state.isEnded
            return (!state.isEnded, state.isEnded ? state.onLeave.take() : nil)
        }
        leaver?.resume()
        return goesOn
    }

    func end() {
        state.withLock { $0.isEnded = true }
        changes.signal()
    }

    private func take<Element>(_ elements: inout [Element]) -> [Element] {
        defer { elements = [] }
        return elements
    }
}
