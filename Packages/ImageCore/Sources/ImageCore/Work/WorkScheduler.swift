/// Decides when work starts: in lanes with limits, by priority, in order of arrival within one priority.
///
/// Promises:
/// - A lane never exceeds its limit of concurrent work, except by transfers that moved no bytes when other work started. A
///   full lane does not delay others.
/// - Waiting work of higher priority starts first, even if priorities change. To prevent starvation, the oldest work
///   may start first after at least 32 starts that passed it over.
/// - Work whose task is cancelled while it waits never runs: the call throws `CancellationError` immediately.
/// - Work runs at most once, in the caller's task, and keeps its slot until it returns or throws.
public protocol WorkScheduler: AnyObject, Sendable {
    /// Waits for a slot in the lane, then runs `work` in the calling task, on the lane's threads if the lane has any.
    ///
    /// - Parameters:
    ///   - lane: The queue in which the work waits.
    ///   - server: The server of a download (scheme, host and port), for limits per server; nil for other work.
    ///   - priority: The priority while the work waits. It can change.
    ///   - work: Runs once, or never if the task is cancelled first. A transfer calls `moved` with each number of bytes
    ///     that has arrived, on any thread. A scheduler may start other work while they don't move.
    /// - Throws: The error of `work`, or `CancellationError` if the task is cancelled before `work` starts.
    func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value
}

extension WorkScheduler {
    /// Runs work that doesn't report bytes. Otherwise like the method that it calls.
    ///
    /// - Parameters:
    ///   - lane: The queue in which the work waits.
    ///   - server: The server of a download (scheme, host and port), for limits per server; nil for other work.
    ///   - priority: The priority while the work waits. It can change.
    ///   - work: Runs once, or never if the task is cancelled first.
    /// - Throws: The error of `work`, or `CancellationError` if the task is cancelled before `work` starts.
    public func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await run(in: lane, server: server, priority: priority) { _ in try await work() }
    }

    /// Runs work in a lane, or at once if it has none.
    package func run<Value: Sendable>(
        inLane lane: WorkLane?, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value {
        guard let lane else { return try await work { _ in } }
        return try await run(in: lane, server: server, priority: priority, work)
    }
}

/// A queue of work with its own limit. You can define more in an extension.
public struct WorkLane: RawRepresentable, Hashable, Sendable {
    /// The name of the lane.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Transfers over the network.
    public static let download = WorkLane(rawValue: "download")
    /// Reading of `file:` URLs, so that no file waits for the network.
    public static let file = WorkLane(rawValue: "file")
    /// Decoding and processing, which are CPU-bound.
    public static let decode = WorkLane(rawValue: "decode")
}
