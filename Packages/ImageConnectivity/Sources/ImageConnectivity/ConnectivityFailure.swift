/// Why the system's routes could not be had.
public enum ConnectivityFailure: Error, Hashable, Sendable {
    /// A call was refused, with its name as in its manual page and the value of errno.
    case refused(call: String, code: Int32)
    /// The kernel's answer is not what its documentation promises. The text says what was not understood.
    case malformed(String)
}
