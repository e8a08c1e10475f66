/// Asks the platform for time to run in the background.
///
/// Promises:
/// - `begin` can be called from any thread and returns at once. It returns nil if the platform gives no time.
/// - `onExpiry` is called at most once, before the time is over, on any thread, and not after the allowance ended.
/// - After an allowance ends, the platform may suspend the process.
public protocol BackgroundTimeProvider: Sendable {
    /// Asks for time in the background.
    func begin(onExpiry: @escaping @Sendable () -> Void) -> BackgroundAllowance?
}

/// Time in the background, until it ends or is released.
public final class BackgroundAllowance: Sendable {
    private let onEnd: @Sendable () -> Void

    /// - Parameter onEnd: Returns the time to the platform. May be called more than once.
    public init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }

    /// Ends the time. Further calls do nothing.
    public func end() { onEnd() }
}
