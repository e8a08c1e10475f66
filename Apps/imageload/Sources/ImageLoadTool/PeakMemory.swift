import Foundation

/// Measures the growth of the process's resident memory while an operation runs.
enum PeakMemory {
    /// Returns the result of the operation, and the growth of resident memory in bytes, never below 0.
    ///
    /// On Linux, resets the kernel's high-water mark first (`clear_refs` in proc(5)). Elsewhere, returns the growth of the
    /// peak since the process started (getrusage(2)), which is too low if an earlier peak was higher.
    ///
    /// Only the first call in a process is reliable: later operations can use memory that has been freed but is still resident.
    /// Pages of code that run for the first time are included.
    static func growth<Value, Failure>(
        during body: () throws(Failure) -> Value
    ) throws(Failure) -> (value: Value, bytes: Int) {
        #if os(Linux)
            if let before = resident(.now), resetHighWaterMark() {
                let value = try body()
                return (value, resident(.highest).map { max(0, $0 - before) } ?? 0)
            }
        #endif
        let before = lifetimePeak()
        let value = try body()
        return (value, max(0, lifetimePeak() - before))
    }

    private static func lifetimePeak() -> Int {
        var usage = rusage()
        #if os(Linux)
            guard unsafe getrusage(Int32(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
            return usage.ru_maxrss << 10  // KiB
        #else
            guard unsafe getrusage(RUSAGE_SELF, &usage) == 0 else { return 0 }
            return usage.ru_maxrss  // bytes
        #endif
    }

    #if os(Linux)
        /// Fields of /proc/self/status, in KiB.
        private enum Field: String {
            case now = "VmRSS:"
            case highest = "VmHWM:"
        }

        private static func resident(_ field: Field) -> Int? {
            guard let status = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
            let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first {
                $0.hasPrefix(field.rawValue)
            }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
        }

        private static func resetHighWaterMark() -> Bool {
            let descriptor = unsafe open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            return unsafe Foundation.write(descriptor, "5", 1) == 1
        }
    #endif
}
