import Foundation

/// Measures the growth of the process's resident memory while an operation runs.
enum PeakMemory {
    /// Returns the result of the operation, and the growth of resident memory in bytes, never below 0.
    ///
    /// On Linux, resets the kernel's high-water mark first (`clear_refs` in proc(5)). Where that is impossible, returns
    /// the growth of the peak since the process started, which is too low if an earlier peak was higher.
    ///
    /// Only the first call in a process is reliable: later operations can use memory that has been freed but is still
    /// resident. Pages of code that run for the first time are included.
    static func growth<Value, Failure>(
        during body: () throws(Failure) -> Value
    ) throws(Failure) -> (value: Value, bytes: Int) {
        let before = resetHighWaterMark() ? resident("VmRSS:") : resident("VmHWM:")
        let value = try body()
        return (value, max(0, resident("VmHWM:") - before))
    }

    #if os(Linux)
        /// Returns a field of /proc/self/status in bytes.
        private static func resident(_ field: String) -> Int {
            let status = FileManager.default.contents(atPath: "/proc/self/status") ?? Data()
            let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(field) }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
                ?? 0
        }

        private static func resetHighWaterMark() -> Bool {
            let descriptor = unsafe open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            return unsafe Foundation.write(descriptor, "5", 1) == 1
        }
    #else
        /// Returns the peak since the process started (getrusage(2)).
        private static func resident(_ field: String) -> Int {
            var usage = rusage()
            return unsafe getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0
        }

        private static func resetHighWaterMark() -> Bool { false }
    #endif
}
