/// Requests time from the platform to run in the background.
///
/// Promises:
/// - `begin` can be called from any thread and returns immediately. It returns nil if the platform grants no time.
/// - `onExpiry` is called at most once, on any thread, before the time is over and not after the allowance has ended.
/// - After an allowance ends, the platform may suspend the process.
public protocol BackgroundTimeProvider: Sendable {
    /// Requests time in the background.
    func begin(onExpiry: @escaping @Sendable () -> Void) -> BackgroundAllowance?
}

/// Time in the background. It ends when `end` is called or the object is released.
public final class BackgroundAllowance: Sendable {
    private let onEnd: @Sendable () -> Void

    /// - Parameter onEnd: Returns the time to the platform. May be called more than once.
    public init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }

    /// Ends the time. Further calls do nothing.
    public func end() { onEnd() }
}
