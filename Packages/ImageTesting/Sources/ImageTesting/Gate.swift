import Dispatch
import Synchronization

/// Suspends tasks until a test opens it. The test can await the arrival of tasks, so it never has to sleep.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let arrived = AwaitableCounter()
    private let opened = Watched(false)

    /// Creates a closed gate.
    public init() {}

    /// Waits until the gate is open, even if the task is cancelled. Call it in work that a test suspends.
    ///
    /// To wait in the test itself, call `whenOpen`, which ends if the test is cancelled.
    public func pass() async {
        await withCheckedContinuation { continuation in arrive { continuation.resume() } }
    }

    /// Blocks the calling thread until the gate is open. Call it only in fakes of synchronous protocols.
    ///
    /// Each blocked call occupies a thread of its pool, so block one call at a time.
    public func passBlocking() {
        let passed = DispatchSemaphore(value: 0)
        arrive { passed.signal() }
        passed.wait()
    }

    /// Calls `resume` once, when the gate lets this call pass.
    func arrive(resume: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(resume) }
            return state.isOpen
        }
        arrived.add()
        if isOpen { resume() }
    }

    /// Waits until the gate is open, or until the task is cancelled. Does not count as an arrival.
    public func whenOpen() async { await opened.reaches { $0 } }

    /// Waits until there were `count` arrivals in total, or until the task is cancelled.
    public func arrivals(_ count: Int) async { await arrived.reach(count) }

    /// The number of calls of `pass` and `passBlocking` so far.
    public var arrivalCount: Int { arrived.count }

    /// Opens the gate. All current and later calls pass.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume() }
        opened.change { $0 = true }
    }

    /// Lets the first waiting call pass. Has no effect if none waits.
    public func letOnePass() {
        let first = state.withLock { state in state.waiting.isEmpty ? nil : state.waiting.removeFirst() }
        first?()
    }
}
