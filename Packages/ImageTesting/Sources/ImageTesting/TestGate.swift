import Dispatch
import ImageCore

/// Suspends tasks until a test opens it. The test can await the arrival of tasks, so it never has to sleep.
public final class TestGate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var arrivalCount = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Watched(State())

    /// Creates a closed gate.
    public init() {}

    /// Waits until the gate is open, even if the task is cancelled. Call it in work that a test suspends.
    ///
    /// To wait in the test itself, call `whenOpen`, which ends if the test is cancelled.
    public func pass() async {
        await withCheckedContinuation { continuation in arrive { continuation.resume() } }
    }

    /// Waits until the gate is open. Returns false if the task is cancelled first.
    func passUnlessCancelled() async -> Bool {
        let signal = OneTimeSignal()
        arrive { signal.send() }
        return (try? await signal.wait()) != nil
    }

    /// Blocks the calling thread until the gate is open. Call it only in fakes of synchronous protocols.
    ///
    /// Each blocked call occupies a thread of its pool, so block one call at a time.
    func passBlocking() {
        let passed = DispatchSemaphore(value: 0)
        arrive { passed.signal() }
        passed.wait()
    }

    /// Calls `resume` once, when the gate lets this call pass.
    private func arrive(resume: @escaping @Sendable () -> Void) {
        let isOpen = state.change { state in
            state.arrivalCount += 1
            if !state.isOpen { state.waiting.append(resume) }
            return state.isOpen
        }
        if isOpen { resume() }
    }

    /// Waits until the gate is open, or until the task is cancelled. Does not count as an arrival.
    public func whenOpen(file: StaticString = #fileID, line: UInt = #line) async {
        await state.waitUntil(\.isOpen, file: file, line: line)
    }

    /// Waits until there were `count` arrivals in total, or until the task is cancelled.
    public func waitForArrivals(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await state.waitUntil({ $0.arrivalCount >= count }, file: file, line: line)
    }

    /// The number of calls of `pass` and `passBlocking` so far.
    public var arrivalCount: Int { state.value.arrivalCount }

    /// Opens the gate. All current and later calls pass.
    public func open() {
        let waiting = state.change { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume() }
    }

    /// Lets the first waiting call pass. Has no effect if none waits.
    public func letOnePass() {
        let first = state.change { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        first?()
    }
}
