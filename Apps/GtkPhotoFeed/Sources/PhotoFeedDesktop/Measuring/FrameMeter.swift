#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Measures the frames of a window.
struct FrameMeter {
    private var end: Duration?

    /// Returns the processor time of the main thread since the last call, or nil in the first one. Call it after each
    /// frame.
    mutating func frameEnded() -> Duration? {
        let now = threadProcessorTime()
        defer { end = now }
        return end.map { now - $0 }
    }

    private func threadProcessorTime() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
