#if GTK
#if canImport(Glibc)
private import Glibc
#else
private import Darwin
#endif

/// Returns the processor time of the calling thread.
public nonisolated func threadProcessorTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// Returns the time of the monotonic clock, which is also the frame clock's time.
public nonisolated func monotonicTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
#endif
