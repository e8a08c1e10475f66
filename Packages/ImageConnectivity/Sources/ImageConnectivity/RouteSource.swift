/// Where the system's routes are read, and what tells that they may have changed.
package protocol RouteSource: Sendable {
    /// Whether there is a way to any network, now.
    func hasDefaultRoute() throws(ConnectivityFailure) -> Bool

    /// Blocks the calling thread until routes may have changed since the source was made or this returned last; false once `end` was called.
    func waitForChange() -> Bool

    /// Lets the thread go that waits, and any that comes.
    func end()
}
