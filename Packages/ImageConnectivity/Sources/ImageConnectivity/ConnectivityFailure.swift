/// An error that occurs while the monitor reads the routes of the system.
public enum ConnectivityFailure: Error, Hashable, Sendable {
    /// The system rejected a call or a request to the kernel.
    ///
    /// `call` is the name in the manual pages, for example `recv` or `RTM_GETROUTE`. `code` is the value of `errno`.
    case systemError(call: String, code: Int32)
    /// The kernel's response doesn't have the format that rtnetlink(7) describes. The text names the problem.
    case malformed(String)
}
