import Dispatch
import ImageConnectivity
import Synchronization

/// Routes that a test changes.
final class ScriptedRoutes: RouteSource {
    private struct State {
        var answer: Result<Bool, ConnectivityFailure>
        /// The callers of `change` whose changes the waiter has not noticed yet.
        var pendingCallers: [CheckedContinuation<Void, Never>] = []
        /// The callers of `change` whose changes the waiter is processing.
        var noticedCallers: [CheckedContinuation<Void, Never>] = []
        var isStopped = false
        var onWaiterEnd: CheckedContinuation<Void, Never>?
        var hasWaiterEnded = false
    }

    private let state: Mutex<State>
    private let changes = DispatchSemaphore(value: 0)

    init(_ answer: Result<Bool, ConnectivityFailure>) { state = Mutex(State(answer: answer)) }

    /// Changes the routes. Returns after the waiter has processed the change.
    func change(to answer: Result<Bool, ConnectivityFailure>) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.answer = answer
                state.pendingCallers.append(continuation)
            }
            changes.signal()
        }
    }

    /// Returns after the waiter has ended.
    func waiterDidEnd() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasWaiterEnded { state.onWaiterEnd = continuation }
                return state.hasWaiterEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    func hasDefaultRoute() throws(ConnectivityFailure) -> Bool { try state.withLock { $0.answer }.get() }

    func waitForChange() -> Bool {
        for caller in state.withLock({ take(&$0.noticedCallers) }) { caller.resume() }
        changes.wait()
        let (shouldContinue, onEnd) = state.withLock { state in
            state.noticedCallers = take(&state.pendingCallers)
            state.hasWaiterEnded = state.isStopped
            return (!state.isStopped, state.isStopped ? state.onWaiterEnd.take() : nil)
        }
        onEnd?.resume()
        return shouldContinue
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        changes.signal()
    }

    private func take<Element>(_ elements: inout [Element]) -> [Element] {
        defer { elements = [] }
        return elements
    }
}
