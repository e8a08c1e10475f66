#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Prints a line to standard output without buffering.
func printLine(_ line: String) { writeAll("\(line)\n", to: STDOUT_FILENO) }

/// Prints a line to standard error.
func printError(_ line: String) { writeAll("\(line)\n", to: STDERR_FILENO) }

/// Writes a file atomically. Returns whether it succeeded.
func write(_ text: String, toFile path: String) -> Bool {
    let temporaryPath = path + ".new"
    let descriptor = unsafe open(temporaryPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return false }
    let isWritten = writeAll(text, to: descriptor)
    close(descriptor)
    return unsafe isWritten && rename(temporaryPath, path) == 0
}

@discardableResult
private func writeAll(_ text: String, to descriptor: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return false }
        bytes = bytes.dropFirst(count)
    }
    return true
}
