public import ImageCore
import Synchronization

/// A provider that grants or denies background time as the test says, and logs its calls.
public final class FakeBackgroundTime: BackgroundTimeProvider {
    private struct State: Sendable {
        var expiries: [Int: @Sendable () -> Void] = [:]
        var lastID = 0
    }

    /// Whether `begin` grants time.
    public let grantsTime = Watched(true)
    /// The calls so far: `"begin"` for each request of time, `"end"` for each allowance that has ended.
    public let log = MessageLog<String>()
    private let state = Mutex(State())

    /// Creates a provider that grants time.
    public init() {}

    public func begin(onExpiry: @escaping @Sendable () -> Void) -> BackgroundAllowance? {
        log.append("begin")
        guard grantsTime.value else { return nil }
        let id = state.withLock { state in
            state.lastID += 1
            state.expiries[state.lastID] = onExpiry
            return state.lastID
        }
        return BackgroundAllowance { [weak self] in self?.end(id) }
    }

    /// The number of allowances that haven't ended.
    public var heldCount: Int { state.withLock { $0.expiries.count } }

    /// Calls the expiry handlers of all allowances that haven't ended.
    public func expire() {
        let expiries = state.withLock { Array($0.expiries.values) }
        for expiry in expiries { expiry() }
    }

    private func end(_ id: Int) {
        let ended = state.withLock { $0.expiries.removeValue(forKey: id) }
        if ended != nil { log.append("end") }
    }
}
