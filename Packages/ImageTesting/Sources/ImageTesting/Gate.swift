import Dispatch
import Synchronization

/// Suspends tasks until a test opens it, and reports which tasks wait. Tests wait on gates, never on time.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let arrived = Arrivals()
    private let opened = Watched(false)

    public init() {}

    /// Returns when the gate is open. Cancellation does not open it: for what a test wants held. What waits in a test calls `whenOpen`.
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

    /// Calls `resume` once, as soon as this passage is let through.
    func arrive(resume: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(resume) }
            return state.isOpen
        }
        arrived.add()
        if isOpen { resume() }
    }

    /// Returns when the gate is open, or when the task is cancelled. No passage.
    public func whenOpen() async { await opened.reaches { $0 } }

    /// Returns when `count` passages in all have been asked for since the beginning, or when the task is cancelled.
    public func arrivals(_ count: Int) async { await arrived.reach(count) }

    /// How many passages have been asked for so far.
    public var arrivalCount: Int { arrived.count }

    /// Lets everyone pass, now and later.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume() }
        opened.change { $0 = true }
    }

    /// Lets exactly one waiting passage through, the first that came; nothing happens when none waits.
    public func letOnePass() {
        let first = state.withLock { state in state.waiting.isEmpty ? nil : state.waiting.removeFirst() }
        first?()
    }
}
