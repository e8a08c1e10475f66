import Synchronization

/// Runs a bounded number of writes in the background.
final class BackgroundWrites: Sendable {
    private struct State {
        var running = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Runs a write, unless too many are running.
    func run(_ write: @escaping @Sendable () async -> Void) {
        let isAccepted = state.withLock { state in
            guard state.running < limit else { return false }
            state.running += 1
            return true
        }
        guard isAccepted else { return }
        Task {
            await write()
            ended()
        }
    }

    /// Waits until no write is running.
    func flush() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.running > 0 { state.waiters.append(continuation) }
                return state.running == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    private func ended() {
        let waiters = state.withLock { state in
            state.running -= 1
            guard state.running == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
