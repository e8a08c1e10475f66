/// Lets one of many servers render what several are asked for at the same time.
///
/// Promises:
/// - Returns the value of `lookup`, or that of `produce`. `produce` runs at most once for a call.
/// - Waits for other servers within a bound, and then runs `produce`.
/// - Throws only errors of `produce`.
protocol RenderingLease: Sendable {
    /// Returns the value of a key.
    ///
    /// - Parameters:
    ///   - lookup: Returns the value if a server has stored it.
    ///   - produce: Does the work, and stores the value for the other servers.
    func value<Value: Sendable>(
        for key: String, lookup: () async -> Value?, produce: () async throws -> Value
    ) async throws -> Value
}

/// The lease of a server that shares no cache: it always does the work.
struct NoLease: RenderingLease {
    func value<Value: Sendable>(
        for key: String, lookup: () async -> Value?, produce: () async throws -> Value
    ) async throws -> Value {
        try await produce()
    }
}
