import Synchronization

/// Keeps what handlers are told, in order, and lets a test await that so much has come.
final class Recorder<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var elements: [Element] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var elements: [Element] { state.withLock { $0.elements } }

    func append(_ element: Element) {
        let reached = state.withLock { state in
            state.elements.append(element)
            let count = state.elements.count
            defer { state.watchers.removeAll { $0.count <= count } }
            return state.watchers.filter { $0.count <= count }.map(\.continuation)
        }
        for continuation in reached { continuation.resume() }
    }

    func reaches(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.elements.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
