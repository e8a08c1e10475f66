import Synchronization

/// Blocks connections of a `LoopbackServer` at a `.wait` or `.drip` step until a test lets them continue.
public final class LoopbackSignal: Sendable {
    private struct State {
        var isOpen = false
        var permits = 0
        var waiting: [Int: WakePipe] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())
    private let arrived = Counter()

    /// Creates a closed signal without permits.
    public init() {}

    /// Lets all connections pass, now and later.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            return Array(state.waiting.values)
        }
        for wake in waiting { wake.signal() }
    }

    /// Lets a connection pass once, now or later. `.drip` needs one permit per chunk.
    public func letOnePass() {
        let waiting = state.withLock { state in
            state.permits += 1
            return Array(state.waiting.values)
        }
        for wake in waiting { wake.signal() }
    }

    /// Waits until connections have reached the signal `count` times in total.
    public func arrivals(_ count: Int) async { await arrived.reaches(count) }

    func arrive(waking wake: WakePipe) -> Int {
        let id = state.withLock { state in
            state.nextID += 1
            state.waiting[state.nextID] = wake
            return state.nextID
        }
        arrived.add(1)
        return id
    }

    func leave(_ id: Int) { state.withLock { $0.waiting[id] = nil } }

    func takePermit() -> Bool {
        state.withLock { state in
            if state.isOpen { return true }
            guard state.permits > 0 else { return false }
            state.permits -= 1
            return true
        }
    }
}
