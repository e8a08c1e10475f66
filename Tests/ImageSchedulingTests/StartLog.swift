import Synchronization

/// What started, in order; lets a test await that so much has started.
final class StartLog: Sendable {
    private struct State: Sendable {
        var names: [String] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var names: [String] { state.withLock { $0.names } }

    func append(_ name: String) {
        let reached = state.withLock { state in
            state.names.append(name)
            let count = state.names.count
            defer { state.watchers.removeAll { $0.count <= count } }
            return state.watchers.filter { $0.count <= count }.map(\.continuation)
        }
        for continuation in reached { continuation.resume() }
    }

    func reaches(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.names.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
