/// Provides the state of the system's routes and waits for changes.
package protocol RouteSource: Sendable {
    /// Returns true if there is a default route now.
    func hasDefaultRoute() throws(ConnectivityFailure) -> Bool

    /// Blocks the calling thread until routes may have changed since the last call, or since the source was created.
    ///
    /// - Returns: False after `stop` was called.
    func waitForChange() -> Bool

    /// Ends the current and all later calls of `waitForChange`.
    func stop()
}
