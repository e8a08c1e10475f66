/// Asks the platform to let the process go on for a while although nobody sees the application.
///
/// Promises:
/// - `begin` may be called from any thread and returns at once. Nil where the platform gives no time now.
/// - `onExpiry` is called at most once, before the time is over, on any thread, and not after the allowance was ended.
/// - Ending an allowance tells the platform that it may stop the process.
public protocol BackgroundTimeProvider: Sendable {
    func begin(onExpiry: @escaping @Sendable () -> Void) -> BackgroundAllowance?
}

/// Time in the background, until it is ended or let go.
public final class BackgroundAllowance: Sendable {
    private let onEnd: @Sendable () -> Void

    /// - Parameter onEnd: gives the time back; may be called more than once.
    public init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }

    /// Gives the time back. Once is enough; more do nothing.
    public func end() { onEnd() }
}
