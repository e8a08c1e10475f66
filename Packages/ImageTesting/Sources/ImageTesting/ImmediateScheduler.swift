public import ImageCore
import Synchronization

/// Starts work at once, each in a task of its own: for tests that are not about order or limits.
///
/// It has no limits and no order, so work never waits and `cancel` always says so.
public final class ImmediateScheduler: WorkScheduler {
    private let lastID = Atomic<UInt64>(0)

    public init() {}

    public func enqueue(_ work: ScheduledWork) -> WorkID {
        Task.detached { await work.run() }
        return WorkID(rawValue: lastID.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    public func setPriority(_ priority: RequestPriority, of id: WorkID) {}

    @discardableResult
    public func cancel(_ id: WorkID) -> Bool { false }
}
