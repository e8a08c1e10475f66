public import ImageCore
import Synchronization

/// Runs work in lanes with limits: by priority, and in the order of arrival within one priority.
///
/// - A server at its limit delays only its own work. Servers are compared case-insensitively (RFC 3986, section 3.2.2).
/// - If the priority of waiting work changes, its order of arrival applies within the new priority.
/// - Work doesn't starve: after 64 consecutive starts that passed over the oldest work that could have started, that
///   work starts.
/// - Each operation takes O(log n) time for n waiting work items.
public final class PriorityScheduler: WorkScheduler {
    private let lanes: Mutex<[WorkLane: Lane]>
    private let maxOvertakes: Int?

    /// Creates a scheduler.
    ///
    /// - Parameter lanes: The configurations of lanes. Each other lane has a limit of 1.
    public convenience init(lanes: [WorkLane: LaneOptions]) { self.init(lanes: lanes, maxOvertakes: 64) }

    /// - Parameter maxOvertakes: The number of consecutive starts in a lane that can pass over older work; nil for no limit.
    init(lanes: [WorkLane: LaneOptions], maxOvertakes: Int?) {
        self.lanes = Mutex(lanes.mapValues { Lane($0, maxOvertakes: maxOvertakes) })
        self.maxOvertakes = maxOvertakes
    }

    /// Work that is cancelled while it runs takes a token; see ``StartRate``. Work that moves too few bytes can lose its
    /// place; see ``StallLimit``.
    public func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let lane = self.lane(lane)
        let id = try await lane.waitForSlot(server?.lowercased(), priority)
        return try await withTaskExecutorPreference(lane.executor) {
            // Frees the slot before the call returns to the caller's executor.
            defer { lane.change { $0.finish(id, wasCancelled: Task.isCancelled, at: $1) } }
            try Task.checkCancellation()
            return try await work { lane.moved($0, by: id) }
        }
    }

    /// The limit of a lane. Running work continues after a change. With 0, nothing starts.
    public subscript(limitOf lane: WorkLane) -> Int {
        get { self.lane(lane).limit }
        set { self.lane(lane).change { $0.setLimit(newValue, at: $1) } }
    }

    /// The number of waiting work items in all lanes.
    public var waitingCount: Int { allLanes.reduce(0) { $0 + $1.waitingCount } }

    /// The number of running work items in all lanes.
    public var runningCount: Int { allLanes.reduce(0) { $0 + $1.runningCount } }

    private var allLanes: [Lane] { lanes.withLock { Array($0.values) } }

    private func lane(_ name: WorkLane) -> Lane {
        lanes.withLock { lanes in
            if let lane = lanes[name] { return lane }
            let lane = Lane(LaneOptions(limit: 1), maxOvertakes: maxOvertakes)
            lanes[name] = lane
            return lane
        }
    }
}
