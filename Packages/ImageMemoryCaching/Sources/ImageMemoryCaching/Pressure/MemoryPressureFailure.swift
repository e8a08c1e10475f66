/// Why information on memory pressure can't be read.
public enum MemoryPressureFailure: Error, Hashable, Sendable {
    /// The file doesn't exist or is not readable: an older kernel, another operating system, or a sandbox.
    case notAvailable(file: String)
    /// The file doesn't have the documented format. The text is the part that can't be parsed.
    case malformed(file: String, String)
    /// A system call failed, with its name and `errno`.
    case refused(call: String, code: Int32)
}

/// Returns the text of the file at a path.
typealias PressureFileReader = @Sendable (String) throws(MemoryPressureFailure) -> String
