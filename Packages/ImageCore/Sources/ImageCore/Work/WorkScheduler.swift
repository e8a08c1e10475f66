/// Decides when work starts: in bounded lanes, by priority, in order of arrival within one priority.
///
/// Promises:
/// - A lane never runs more work at once than its limit. A full lane does not hold back others.
/// - Waiting work of higher priority starts first, also if priorities change while it waits. To prevent starvation, the
///   oldest work may start first after at least 32 starts that passed it over.
/// - Work whose task is cancelled while it waits never runs: the call throws `CancellationError` at once.
/// - Work runs at most once, in the caller's task, and keeps its slot until it returns or throws.
public protocol WorkScheduler: AnyObject, Sendable {
    /// Waits for a slot in the lane, then runs `work` in the calling task, on the lane's threads if the lane has any.
    ///
    /// - Parameters:
    ///   - host: The host of a download, for schedulers with limits per host; nil for other work.
    ///   - priority: Changes take effect while the work waits. They do not affect work that runs.
    /// - Throws: What `work` throws, or `CancellationError` if the task is cancelled before `work` starts.
    func run<Value: Sendable>(
        in lane: WorkLane, host: String?, priority: LivePriority, _ work: @Sendable () async throws -> Value
    ) async throws -> Value
}

/// A queue with a limit of its own. Define more with `extension WorkLane`.
public struct WorkLane: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Transfers over the network.
    public static let download = WorkLane(rawValue: "download")
    /// Decoding and processing: processor-bound.
    public static let decode = WorkLane(rawValue: "decode")
}
