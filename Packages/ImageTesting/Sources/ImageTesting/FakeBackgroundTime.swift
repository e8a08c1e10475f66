public import ImageCore
import Synchronization

/// Gives time in the background, or none, as the test says, and keeps a log of `"begin"` and `"end"`.
public final class FakeBackgroundTime: BackgroundTimeProvider {
    private struct State: Sendable {
        var expiries: [Int: @Sendable () -> Void] = [:]
        var lastID = 0
    }

    /// Whether time is given when it is asked for.
    public let givesTime = Watched(true)
    public let log = MessageLog<String>()
    private let state = Mutex(State())

    public init() {}

    public func begin(onExpiry: @escaping @Sendable () -> Void) -> BackgroundAllowance? {
        log.append("begin")
        guard givesTime.value else { return nil }
        let id = state.withLock { state in
            state.lastID += 1
            state.expiries[state.lastID] = onExpiry
            return state.lastID
        }
        return BackgroundAllowance { [weak self] in self?.end(id) }
    }

    /// How many allowances are held now.
    public var heldCount: Int { state.withLock { $0.expiries.count } }

    /// Tells all that hold time that it is over.
    public func expire() {
        let expiries = state.withLock { Array($0.expiries.values) }
        for expiry in expiries { expiry() }
    }

    private func end(_ id: Int) {
        let ended = state.withLock { $0.expiries.removeValue(forKey: id) }
        if ended != nil { log.append("end") }
    }
}
