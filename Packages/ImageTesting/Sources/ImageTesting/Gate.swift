import Dispatch
import Synchronization

/// Holds whoever passes until a test opens it, and tells the test who waits. Tests wait on gates, never on time.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrived = 0
        var waiting: [@Sendable () -> Void] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Returns when the gate is open. Cancellation does not open it.
    public func pass() async {
        await withCheckedContinuation { continuation in arrive { continuation.resume() } }
    }

    /// Blocks the calling thread until the gate is open: for fakes of synchronous ports alone.
    ///
    /// Each blocked call takes one thread out of whatever pool it runs on, so hold one at a time.
    public func passBlocking() {
        let passed = DispatchSemaphore(value: 0)
        arrive { passed.signal() }
        passed.wait()
    }

    private func arrive(resume: @escaping @Sendable () -> Void) {
        let (isOpen, watchers) = state.withLock { state in
            state.arrived += 1
            let arrived = state.arrived
            let reached = state.watchers.filter { $0.count <= arrived }.map(\.continuation)
            state.watchers.removeAll { $0.count <= arrived }
            if !state.isOpen { state.waiting.append(resume) }
            return (state.isOpen, reached)
        }
        for watcher in watchers { watcher.resume() }
        if isOpen { resume() }
    }

    /// Returns when `count` passages in all have been asked for since the beginning.
    public func arrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.arrived >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    /// How many passages have been asked for so far.
    public var arrivalCount: Int { state.withLock { $0.arrived } }

    /// Lets everyone pass, now and later.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume() }
    }

    /// Lets exactly one waiting passage through, the first that came; nothing happens when none waits.
    public func letOnePass() {
        let first = state.withLock { state in state.waiting.isEmpty ? nil : state.waiting.removeFirst() }
        first?()
    }
}
