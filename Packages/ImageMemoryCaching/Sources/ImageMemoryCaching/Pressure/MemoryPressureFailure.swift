/// Why the system's figures of memory pressure could not be had.
public enum MemoryPressureFailure: Error, Hashable, Sendable {
    /// The system has no such file, or does not let it be read: an older kernel, another operating system, a sandbox.
    case notAvailable(file: String)
    /// The file is there and does not say what the kernel's documentation promises. The text is the part that was not understood.
    case malformed(file: String, String)
    /// A call was refused, with its name as in its manual page and the value of errno.
    case refused(call: String, code: Int32)
}

/// Gives the text of a file by its path.
package typealias PressureFileReader = @Sendable (String) throws(MemoryPressureFailure) -> String
