import Synchronization

/// Waits in a lane until the place there is released, before or after it was granted.
final class PlaceKeeper: Sendable {
    private enum State {
        case kept
        case awaited(CheckedContinuation<Void, Never>)
        case released
    }

    private let state = Mutex(State.kept)

    /// Returns when the place is released.
    func released() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if case .released = state { return true }
                state = .awaited(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    func release() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .released }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }
}
